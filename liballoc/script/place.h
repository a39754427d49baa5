/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How readers of files note a place: with what there is to say of a value
 * that looks odd, and of lines that name a variable without setting it.
 */
#ifndef LA_SCRIPT_PLACE_H
#define LA_SCRIPT_PLACE_H

#include "script/launcher.h"
#include "script/vars.h"

/* A range of bytes of a part. */
struct la_script_span {
	size_t start, end;
};

/*
 * Note what a variable is given, and say what is odd about the value: quotes,
 * blanks or a comment in it, look-alike characters, a dollar sign, what it was
 * assumed under.  Names that are not watched are left out: LA_SCRIPT_WHOLE.
 */
size_t la_script_give(struct la_script *script,
		      const struct la_script_part *part, const char *name,
		      size_t length, const struct la_script_value *value,
		      struct la_script_span at);

/* Note that a variable does not get there (or is removed), and why. */
size_t la_script_lose(struct la_script *script,
		      const struct la_script_part *part, const char *name,
		      size_t length, enum la_script_code code,
		      struct la_script_span at, const char *why);

/* The first watched name in a range, or an empty one at its end. */
struct la_script_span la_script_mention(const struct la_script *script,
					const char *text,
					struct la_script_span in);

/* la_script_lose() for the first watched name in a range, if there is one. */
bool la_script_lose_mention(struct la_script *script,
			    const struct la_script_part *part,
			    enum la_script_code code, struct la_script_span in,
			    const char *why);

/* Places noted so far. */
size_t la_script_places(const struct la_script *script);

/*
 * Text in UTF-16, of which readers of files that want UTF-8 find nothing: say
 * so, and return true.
 */
bool la_script_is_utf16(struct la_script *script,
			const struct la_script_part *part);

/* Bytes of a byte order mark of UTF-8 at the start of text. */
size_t la_script_mark(const char *text, size_t length);

/* Bytes of a blank other than that of ASCII, such as U+00A0; 0: none. */
size_t la_script_odd_blank(const char *text, size_t length);

/*
 * A program that is started with these words: a shell with -c reads its
 * argument, others are la_script_launch()'s business.
 */
int la_script_start(struct la_script *script, const struct la_script_part *part,
		    const struct la_script_command *command,
		    struct la_error *err);

#endif /* LA_SCRIPT_PLACE_H */
