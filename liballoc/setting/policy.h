/* SPDX-License-Identifier: Apache-2.0 */
/* What a site wants of settings, as its file says. */
#ifndef LA_SETTING_POLICY_H
#define LA_SETTING_POLICY_H

#include "setting/table.h"

enum la_policy_rule {
	LA_RULE_ALLOWED, /* may be named */
	LA_RULE_REQUIRED, /* has to be named */
	LA_RULE_FORBIDDEN /* must not be named */
};

/* A word of the file and where it stands. */
struct la_policy_word {
	char *text; /* owned */
	size_t line;
};

struct la_policy_words {
	struct la_policy_word *word;
	size_t nr;
	size_t line; /* of the list; 0: there is none */
};

/* What is wanted of one option. */
struct la_policy_option {
	const struct la_option *option;
	enum la_policy_rule rule;
	size_t line;
	bool has_min, has_max;
	double min, max; /* in the option's unit */
	size_t min_line, max_line;
	struct la_policy_words values; /* as in a setting; no list: any */
	char *reason; /* owned; NULL: none */
};

struct la_policy_exemption {
	char *user; /* owned; NULL: any */
	char *path; /* owned; * and ? stand for any characters; NULL: any */
	size_t line;
};

struct la_policy {
	unsigned int from, to; /* releases; 0: no bound */
	size_t from_line, to_line;
	struct la_policy_words except; /* releases */
	struct la_policy_words variables;
	struct la_policy_option *option;
	size_t option_count;
	size_t others_line; /* other options are forbidden there; 0: allowed */
	struct la_policy_exemption *exemption;
	size_t exemption_count;
	char *repair; /* owned: setting in the place of others; NULL: none */
};

#endif /* LA_SETTING_POLICY_H */
