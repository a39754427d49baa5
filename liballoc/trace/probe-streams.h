/* SPDX-License-Identifier: Apache-2.0 */
/* Which stream each segment is of, by what the allocator did not take. */
#ifndef LA_TRACE_PROBE_STREAMS_H
#define LA_TRACE_PROBE_STREAMS_H

#include "trace/probe-walk.h"

/* Streams that are told apart in a pool. */
enum { LA_WALK_STREAMS = 32 };

/* Fill the streams of all spans and failures: 0 or -ENOMEM.  0 is the one with
 * most requests. */
int la_walk_infer_streams(struct la_walk *walk);

#endif /* LA_TRACE_PROBE_STREAMS_H */
