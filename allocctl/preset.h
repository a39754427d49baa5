/* SPDX-License-Identifier: Apache-2.0 */
/* Presets as settings. */
#ifndef ALLOCCTL_PRESET_H
#define ALLOCCTL_PRESET_H

#include <liballoc/setting.h>

#include "opt.h"

/* NULL after one line on stderr. */
const struct la_preset *preset_find(const char *name);

/* max_split_size_mb of a preset that takes a share of the memory. */
uint64_t preset_share(const struct la_preset *preset, uint64_t memory);

/*
 * Append the settings of a preset in the order in which its guide tries them;
 * the strings are owned by the list.  False: out of memory.
 */
bool preset_settings(const struct la_preset *preset, uint64_t memory,
		     struct opt_list *list);

#endif /* ALLOCCTL_PRESET_H */
