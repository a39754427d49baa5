/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the front ends (cupti/, preload/) tell the core, and what it needs of
 * them.  No function here changes errno, and none fails: a probe that cannot
 * go on is silent.
 */
#ifndef PROBE_CORE_H
#define PROBE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/probe-format.h>

#include "abi/calls.h"
#include "core/config.h"

/* The variables as they are when somebody first asks. */
const struct config *probe_config(void);

/*
 * Begin to record, once a process; later calls only say what the first did.
 * False: the probe is off here, or another front end has begun: then the caller
 * watches nothing.
 */
bool probe_start(enum la_probe_front front);

/*
 * Around a driver call, on the thread that makes it.  params: the structure of
 * the call, struct NAME_params of abi/calls.h; its memory and what it points to
 * are the caller's.  If probe_enter() says false the call is none of ours (made
 * by the probe itself, or in a forked child) and probe_exit() is not to be
 * called.
 */
bool probe_enter(enum probe_entry entry, const void *params);
void probe_exit(enum probe_entry entry, const void *params, int result);

/*
 * What PyTorch's allocator reports, with its lock held: a block of size bytes,
 * handed out (above 0) or taken back (below 0), or a request that failed.
 * allocated and reserved are bytes after it.
 */
void probe_block(const void *addr, int64_t size, uint64_t allocated,
		 uint64_t reserved, unsigned int device);
void probe_block_oom(int64_t size, uint64_t allocated, uint64_t reserved,
		     unsigned int device);

/* A level is seen from now on, or no longer; why: a line for the header's
 * note, or NULL. */
void probe_view_begin(enum la_probe_level level);
void probe_view_end(enum la_probe_level level, const char *why);

/* Add a line to the header's note. */
void probe_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The version of libcupti that is used, for the header. */
void probe_cupti_version(uint32_t version);

/* The release of PyTorch, for the header. */
void probe_torch(const char *release);

/*
 * A symbol as libc's dlsym() finds it, whatever is interposed; preload/ has
 * its own way to it.
 */
void *probe_symbol(void *handle, const char *name);

/* Called about every 100 ms by the core's thread: libraries may have been
 * loaded since.  Each front end has one; NULL: nothing to do. */
extern void (*probe_tick)(void);

#endif /* PROBE_CORE_H */
