/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl check found out about one setting, for its formats. */
#ifndef ALLOCCTL_CHECK_H
#define ALLOCCTL_CHECK_H

#include <liballoc/setting.h>

#include "util/json.h"

enum check_format { CHECK_TEXT, CHECK_JSON, CHECK_GCC, CHECK_SARIF };

/* In the order of enum la_set_at. */
extern const char *const check_set_at_names[];

struct check_options {
	struct la_setting_context context;
	const char *release; /* of the context, as the table names it */
	enum check_format format;
	bool json_lines; /* the answers have the keys that they always had */
	const struct la_policy *policy; /* NULL: none */
	const char *policy_path;
	struct la_policy_subject subject; /* who wants the setting */
	struct la_json sarif; /* the document that is being written */
};

/* A setting and where it stands. */
struct check_source {
	const char *text; /* of the setting, not terminated */
	size_t length;
	const char *file; /* "<argument>" or "<stdin>" */
	size_t line; /* from 1 */
	size_t column; /* characters of the line before it */
	const char *variable; /* that is set by the line; NULL: not known */
};

/* One setting under one release. */
struct check_answer {
	const struct check_source *source;
	const struct la_setting_check *check;
	const char *unread; /* why the variable is not read; NULL: it is */
	const struct la_policy_result *policy; /* NULL: none */
};

void check_print_json(const struct check_answer *answer,
		      const struct check_options *options);
void check_print_text(const struct check_answer *answer,
		      const struct check_options *options);
void check_print_gcc(const struct check_answer *answer);

/* A document: begin, one setting after the other, end. */
void check_sarif_begin(struct la_json *json);
void check_sarif_add(struct la_json *json, const struct check_answer *answer);
void check_sarif_end(struct la_json *json);

/* All releases, those that agree together; returns a status. */
int check_all_releases(const struct check_source *source,
		       const struct check_options *options);

/* "note", "warning" or "hint". */
const char *check_severity_name(enum la_severity severity);

#endif /* ALLOCCTL_CHECK_H */
