/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory is free, in pools and in graphs.  Only threads of the program
 * ask, on leaving a call or the allocator: at most 10 times a second, and 100
 * times more rarely where the driver takes more than a millisecond to answer.
 */
#ifndef PROBE_SAMPLE_H
#define PROBE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/cuda.h"

/* Somebody asked: keep it, and leave a record. */
void sample_seen(unsigned int device, uint64_t free, uint64_t total,
		 unsigned int call, uint64_t time);

/* Ask about the current context's device. */
bool sample_take(unsigned int device, uint64_t *free, uint64_t *total);

/* Ask if it is time to. */
void sample_maybe(unsigned int device, uint64_t now);

/* The same on leaving the allocator, where calls of the driver are not seen;
 * device < LA_PROBE_DEVICES. */
void sample_unseen(unsigned int device, uint64_t now);

/* Pools and graphs are in use: it makes sense to ask about them. */
void sample_uses_pools(void);
void sample_uses_graphs(void);

/* Bring the device's numbers of pools and graphs up to date: those of its
 * default pool, and of the pool from which this thread failed to allocate. */
void sample_pools(unsigned int device, CUmemoryPool failed);

#endif /* PROBE_SAMPLE_H */
