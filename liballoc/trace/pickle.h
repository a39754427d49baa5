/* SPDX-License-Identifier: Apache-2.0 */
/* A machine for the opcodes of pickles that hold data alone. */
#ifndef LA_TRACE_PICKLE_H
#define LA_TRACE_PICKLE_H

#include "trace/input.h"
#include "trace/snapshot.h"

/*
 * Feed the objects of one pickle to snap.  `partial`: an input that ends too
 * early is fine and sets *truncated.  Errors go to snap->err.
 */
int la_pickle_read(struct la_snapshot *snap, struct la_input *in, bool partial,
		   bool *truncated);

#endif /* LA_TRACE_PICKLE_H */
