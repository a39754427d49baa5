/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C locale for a while, in this thread alone: c-locale-posix.c,
 * c-locale-windows.c, of which the Build file takes one.
 */
#ifndef LA_UTIL_C_LOCALE_H
#define LA_UTIL_C_LOCALE_H

#include <stdbool.h>

struct la_c_locale {
	void *own; /* what la_c_locale_leave() frees */
	void *previous; /* what it goes back to */
	int mode; /* likewise */
};

/* False, and nothing to leave, if there is no memory. */
bool la_c_locale_enter(struct la_c_locale *locale);

/* Keeps errno. */
void la_c_locale_leave(struct la_c_locale *locale);

#endif /* LA_UTIL_C_LOCALE_H */
