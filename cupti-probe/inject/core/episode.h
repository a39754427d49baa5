/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures for want of memory.  The first call of a thread that fails opens an
 * episode; what follows on that thread decides what it was:
 *
 *   RETRIED   the same call succeeds with at least that size.  What an
 *             allocator freed meanwhile was enough: no OOM.
 *   ASKED     the program asks how much is free.  PyTorch does that for the
 *             text of its error, so this is an OOM; one of another program
 *             if no success follows within ASK_WAIT.
 *   REPORTED  PyTorch's allocator reports that it gives up.  That settles it,
 *             also after ASKED and EXPIRED, unless that allocator handed
 *             something out in between.
 *   EXPIRED   the thread makes no call for LA_PROBE_OOM_WAIT, written by the
 *             core's thread.  An allocator that waits for the device before
 *             it tries again takes longer than that: a further failure of the
 *             same size within RETRY_WAIT belongs to the episode, and a
 *             success of the thread's next try within TRY_WAIT makes it
 *             RETRIED after all.
 *
 * A failing cuMemCreate() says little of what was asked for: PyTorch maps a
 * request in pieces of 20 MiB and gives all of them back when one fails.  Such
 * an episode is RETRIED when pieces are mapped, for that follows the last
 * creation.  A report without an episode is a refusal of the allocator's own,
 * by a cap: an episode without a failing call.
 */
#ifndef PROBE_EPISODE_H
#define PROBE_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/account.h"

#define ASK_WAIT 1000000ull /* ns */
#define RETRY_WAIT 1000000000ull /* ns */
#define TRY_WAIT 10000000000ull /* ns */

/* The one that this thread is in.  Owner: the thread; what others may end is
 * in the file. */
struct episode {
	struct la_probe_oom *oom; /* NULL: none */
	uint64_t serial; /* of oom, which may be taken for another one */
	uint64_t size; /* bytes that failed */
	uint64_t other; /* la_probe_record.other of the failure */
	uint64_t asked; /* time of asking NVML; 0: not */
	uint16_t op; /* enum la_probe_op of the failure */
	bool created; /* a cuMemCreate() of that size succeeded since */
	bool served; /* PyTorch's allocator handed something out since */
};

/* A call begins, and has returned, on this thread. */
void episode_enter(void);
void episode_exit(const struct call *call, uint64_t now);

/* The program was told how much is free. */
void episode_asked(uint64_t free, uint64_t now);

/* PyTorch's allocator handed out a block; it gives up. */
void episode_served(void);
void episode_reported(unsigned int device, uint64_t request,
		      uint64_t allocated, uint64_t reserved);

/* From the core's thread: end what has waited long enough. */
void episode_expire(uint64_t now);

/* The program ends: nothing will decide what is open. */
void episode_end(void);

#endif /* PROBE_EPISODE_H */
