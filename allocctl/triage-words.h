/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of allocctl triage, in every language. */
#ifndef ALLOCCTL_TRIAGE_WORDS_H
#define ALLOCCTL_TRIAGE_WORDS_H

#include <liballoc/triage.h>

#include "util/strbuf.h"

enum triage_word {
#define WORD(name, english, chinese) W_##name,
#include "triage-words.inc"
#undef WORD
	W_COUNT
};

/* "en" or "zh"; by the environment for NULL; -1 for another one. */
int triage_language(const char *name);

/* A text in which nothing is to be put. */
const char *triage_word(enum la_language language, enum triage_word word);

/*
 * Append a text with its {0}, {1} ... replaced by the texts that follow, of
 * which NULL is the last; what could harm a terminal is escaped in these.
 */
void triage_say(struct la_strbuf *out, enum la_language language,
		enum triage_word word, ...) __attribute__((sentinel));

#endif /* ALLOCCTL_TRIAGE_WORDS_H */
