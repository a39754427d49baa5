/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of systemd: systemd.c reads its lines, systemd-word.c words. */
#ifndef LA_SCRIPT_SYSTEMD_H
#define LA_SCRIPT_SYSTEMD_H

#include "script/place.h"

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

#endif /* LA_SCRIPT_SYSTEMD_H */
