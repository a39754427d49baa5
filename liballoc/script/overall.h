/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for all kinds, said by script.c around the reading. */
#ifndef LA_SCRIPT_OVERALL_H
#define LA_SCRIPT_OVERALL_H

#include "script/internal.h"

/*
 * If the text begins with a prompt that was pasted along, put blanks in the
 * place of it and of those that follow.  Returns where the first one ends, or
 * 0 if there is none.
 */
size_t la_script_blank_prompts(enum la_script_kind kind, char *text,
			       size_t length);

/*
 * After the reading: prompts (prompt: what the former returned), placeholders
 * and names that nothing sets; torch: its own variables are watched.
 */
void la_script_say_overall(struct la_script *script,
			   const struct la_script_part *all, size_t prompt,
			   bool torch);

#endif /* LA_SCRIPT_OVERALL_H */
