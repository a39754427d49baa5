/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody meant who wrote something else. */
#ifndef LA_SETTING_MEANT_H
#define LA_SETTING_MEANT_H

#include "setting/table.h"

/*
 * The option of a release that a word stands for: its name in other letters,
 * with some of them missing or wrong, or with some of its parts left out; NULL
 * if there is none.
 */
const struct la_option *la_meant_option(unsigned int release, const char *word,
					size_t length);

/* "True" or "False" for what other programs take for them, or NULL. */
const char *la_meant_bool(const char *word);

/* A backend of a build, in whatever case it is written and with other marks
 * around it, or NULL. */
const char *la_meant_backend(enum la_build build, const char *word,
			     size_t length);

/*
 * The character of ASCII that the one at text (UTF-8) looks like: ' ' for
 * blanks and what is not to be seen, '"' for any quotation mark; 0 if it is
 * ASCII itself or looks like none.  *size: its bytes.
 */
char la_meant_char(const char *text, size_t length, size_t *size);

#endif /* LA_SETTING_MEANT_H */
