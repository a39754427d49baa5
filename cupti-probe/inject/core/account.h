/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver's calls mean: to the table of what is live, to the counters,
 * and which record they leave.  One file a group of calls; each ends in the
 * rows of its calls.  Read account-device.c first, then account-vmm.c.
 *
 * What a call takes away leaves the table before the call is made, as another
 * thread may be handed the same address before the call returns here; if the
 * call fails it is put back.
 */
#ifndef PROBE_ACCOUNT_H
#define PROBE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/probe-format.h>

#include "abi/calls.h"

enum {
	DEVICE_UNKNOWN = 255, /* in la_probe_record.device */
	ARRAY_LAYERED = 0x01,
	ARRAY_SPARSE = 0x40,
	ARRAY_DEFERRED = 0x80,
	LOCATION_DEVICE = 1
};

/* How the cost of a context is known: la_probe_record.other of it. */
enum measured {
	MEASURED_NOT, /* only that it is no more than what is used in all */
	MEASURED_BY_DRIVER, /* free bytes that another context saw before */
	MEASURED_BY_NVML /* free bytes before there was any context */
};

/* A call that a thread is in. */
struct frame {
	const void *params; /* of the caller */
	uint64_t time; /* of entering */
	uint64_t spent; /* ns in the hook of entering */
	uint64_t free_before; /* contexts: bytes; UINT64_MAX: unknown */
	enum probe_entry entry;
	bool taken; /* held is what the call takes away */
	/* Contexts: there was none.  Allocations of a stream: it is captured.
	 * References: the last one went. */
	bool fresh;
	enum measured measured; /* contexts: where free_before is from */
	struct la_probe_holding held;
};

/* A call that returned, as its row sees it. */
struct call {
	const void *params;
	struct frame *frame;
	CUcontext context; /* current one, or NULL */
	/* Made here: time, call, result, op, and the current device are
	 * set before. */
	struct la_probe_record *record;
};

/* What a call does on entering and on leaving; each may be NULL. */
struct call_row {
	enum probe_entry entry;
	enum la_probe_op op;
	void (*enter)(struct frame *frame);
	void (*exit)(struct call *call);
};

extern const struct call_row calls_device[], calls_host[], calls_pool[],
	calls_vmm[], calls_array[], calls_graph[], calls_foreign[],
	calls_context[], calls_module[], calls_query[];

/* The end of each list of rows. */
#define CALLS_END { .entry = PROBE_ENTRY_COUNT }

/* Does the operation give something back?  Such records are stamped before
 * the call. */
bool account_takes(enum la_probe_op op);

static inline bool account_succeeded(const struct call *call)
{
	return call->record->result == CUDA_SUCCESS;
}

/* Keep and count something that a device has from now on; what there is no
 * room for is not counted either.  And count something no longer. */
void account_add(const struct la_probe_holding *holding);
void account_uncount(const struct la_probe_holding *holding);

/*
 * Of a call that hands out size bytes at addr: fill the record, and if it
 * succeeded, keep the holding.
 */
void account_gain(struct call *call, enum la_probe_kind kind, uint64_t addr,
		  uint64_t size, uint64_t other);

/* Before and after a call that takes back what is at addr, of one of count
 * kinds. */
void account_take(struct frame *frame, uint64_t addr,
		  const enum la_probe_kind *kinds, size_t count);
void account_taken(struct call *call, uint64_t addr);

/*
 * The same where a call takes one reference of frame->held, which is taken if
 * it was found.  With the last one the holding goes: account_drop() says
 * whether it was; account_refer() adds one, if it is still there.
 */
bool account_refer(const struct la_probe_holding *holding);
bool account_drop(const struct la_probe_holding *holding);
void account_dropped(struct call *call, uint64_t addr);

/* All that a context has and that was there before a time. */
void account_forget(CUcontext context, unsigned int device, uint64_t before);

#endif /* PROBE_ACCOUNT_H */
