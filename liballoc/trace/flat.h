/* SPDX-License-Identifier: Apache-2.0 */
/* Events and blocks, read at one go where they are as expected. */
#ifndef LA_TRACE_FLAT_H
#define LA_TRACE_FLAT_H

#include "trace/machine.h"

/*
 * Read the dicts that are next in the input as far as they are flat, as
 * flat.c has it, and belong to the list of the last mark.  Returns 0, or a
 * negative errno with the error filled.
 */
int la_flat_read(struct la_machine *m);

#endif /* LA_TRACE_FLAT_H */
