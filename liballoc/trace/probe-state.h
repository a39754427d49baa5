/* SPDX-License-Identifier: Apache-2.0 */
/* What PyTorch held in the end, by a walk over a probe's records. */
#ifndef LA_TRACE_PROBE_STATE_H
#define LA_TRACE_PROBE_STATE_H

#include "trace/probe-walk.h"
#include "trace/recording.h"

/* Fill the segments and blocks of all devices: 0 or -ENOMEM. */
int la_walk_take_state(struct la_walk *walk, struct la_recording *recording);

#endif /* LA_TRACE_PROBE_STATE_H */
