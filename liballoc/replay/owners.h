/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_OWNERS_H
#define LA_REPLAY_OWNERS_H

#include "replay/labels.h"
#include "replay/program.h"

/* Read the recording with these labels, one for each segment, chain and OOM;
 * *reached: the first event that was not predicted, or the number of events.
 * Returns 0 or a negative errno value, which ends the search. */
typedef int owners_run(void *data, const struct labels *labels,
		       size_t *reached);

/*
 * Seek the pools of all that a full recording tells of, so that run() gets to
 * the end: where it fails, the pools of the spans in question are changed as
 * long as it helps.  run() is called a few hundred times at most; the last
 * call is not the best, so the caller keeps what got furthest.
 *
 * The program knows events, streams, setting, limit and card; pools may be
 * added to it.  Returns 0, whether or not the end was reached; -EBADMSG if the
 * events do not fit together or are of too many pools; -ENOMEM; or what run()
 * failed with.
 */
int owners_seek(struct la_program *program, owners_run *run, void *data);

#endif /* LA_REPLAY_OWNERS_H */
