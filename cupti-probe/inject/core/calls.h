/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of all calls, by entry point. */
#ifndef PROBE_CALLS_TABLE_H
#define PROBE_CALLS_TABLE_H

#include "core/account.h"

/* Collect the rows; before any other function. */
void calls_init(void);

const struct call_row *calls_row(enum probe_entry entry);

/* The number of CUPTI's callback. */
unsigned int calls_id(enum probe_entry entry);

#endif /* PROBE_CALLS_TABLE_H */
