/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of the program's libraries that lead to us. */
#ifndef PROBE_CUPTI_SLOTS_H
#define PROBE_CUPTI_SLOTS_H

#include "loader/elf.h"

/*
 * Patch the libraries that are loaded, and from then on, at probe_tick, those
 * that come later.  allocator: PyTorch's reports; subscribe: three functions
 * of libcupti, or NULL.  Both live as long as the process.
 */
void slots_begin(bool allocator, const struct elf_hook subscribe[3]);

#endif /* PROBE_CUPTI_SLOTS_H */
