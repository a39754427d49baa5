/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of torch 2.10 and later, in the form of 2.11. */
#ifndef LA_SETTING_GENERATION_C_H
#define LA_SETTING_GENERATION_C_H

#include <liballoc/setting.h>

#include "setting/refusal.h"
#include "setting/tokenizer.h"

/*
 * values: the defaults on entry, what torch understands on success.
 * 0; -EINVAL with the refusal filled; or -ENOMEM.
 */
int la_parse_generation_c(const struct la_tokens *tokens,
			  enum la_set_at set_at,
			  struct la_setting_values *values,
			  struct la_refusal *refusal);

/*
 * Index of the last token of the value of the key at i, as torch steps over
 * options that are not its own; SIZE_MAX where the string ends before that.
 */
size_t la_skip_key_generation_c(const struct la_tokens *tokens, size_t i);

#endif /* LA_SETTING_GENERATION_C_H */
