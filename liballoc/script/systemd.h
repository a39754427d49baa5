/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of systemd: systemd.c reads its lines, systemd-word.c their words,
 * systemd-exec.c what it starts. */
#ifndef LA_SCRIPT_SYSTEMD_H
#define LA_SCRIPT_SYSTEMD_H

#include "script/place.h"

enum { LA_UNIT_WORDS = 256, LA_UNIT_SET = 64 };

/* A place that Environment= of the unit still has. */
struct la_unit_set {
	size_t index; /* of the assignment */
	char name[LA_SCRIPT_NAME];
};

struct la_unit {
	struct la_script *script;
	const struct la_script_part *part;
	bool ignored; /* the section is none with an environment */
	struct la_script_vars vars; /* of Environment= so far */
	struct la_unit_set set[LA_UNIT_SET];
	size_t sets;
	struct la_script_span file; /* the last EnvironmentFile=, or empty */
	struct la_script_span unset; /* the last UnsetEnvironment= */
	struct la_strbuf unset_text; /* owned: its words */
	struct la_error *err;
};

/* A line with those that continue it. */
struct la_unit_line {
	struct la_strbuf text;
	struct la_script_span at;
	bool continued;
};

/* One word of a line, its quotes and escapes undone. */
struct la_unit_word {
	struct la_script_value value;
	struct la_script_span at; /* of the line's text */
};

/*
 * The next word at *at, which is moved past it.  1: there is one; 0: there is
 * none; -EINVAL: quotes or escapes that systemd refuses.
 */
int la_unit_word(const char *text, size_t length, size_t *at,
		 struct la_unit_word *word);

/* Replace %n and the like: what they stand for is not known, bar %%. */
void la_unit_specifiers(struct la_script_value *value);

/* Where a word stands in the part's lines that were put together. */
struct la_script_span la_unit_find(const struct la_unit *unit,
				   const struct la_unit_line *line,
				   const struct la_unit_word *word);

/* What ExecStart= starts, with what Environment= gives it; 0 or -errno. */
int la_unit_exec(struct la_unit *unit, const struct la_unit_line *line,
		 size_t at);

#endif /* LA_SCRIPT_SYSTEMD_H */
