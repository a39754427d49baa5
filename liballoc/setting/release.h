/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of torch: each parses a string in one of three ways. */
#ifndef LA_SETTING_RELEASE_H
#define LA_SETTING_RELEASE_H

#include <liballoc/setting.h>

enum la_generation {
	LA_GENERATION_A, /* 1.9 to 1.13: pieces cut out by regexes */
	LA_GENERATION_B, /* 2.0 to 2.9: a lexer of characters */
	LA_GENERATION_C /* 2.10 and later: several passes over tokens */
};

/* release: one of the table. */
enum la_generation la_generation_of(unsigned int release);

#endif /* LA_SETTING_RELEASE_H */
