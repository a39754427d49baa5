/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device on a GPU.  cuda.c makes it and answers for its segments,
 * cuda-pieces.c for reservations and what is mapped in them, cuda-streams.c
 * for events.
 */
#ifndef LA_DEVICE_CUDA_H
#define LA_DEVICE_CUDA_H

#include <stdatomic.h>
#include <sys/types.h>

#include <liballoc/device.h>

#include "device/cuda-driver.h"
#include "device/page.h"
#include "util/util.h"

/* What a page of a reservation has. */
enum cuda_page {
	PAGE_EMPTY,
	PAGE_FIRST, /* the first page of a handle */
	PAGE_MORE /* another one */
};

struct cuda_range {
	uint64_t addr;
	uint64_t size; /* bytes */
	unsigned char *page; /* owned; enum cuda_page of each */
};

/* The caller's lock guards all but what says otherwise. */
struct cuda {
	struct la_device device; /* first member */
	struct la_cu cu; /* constant */
	la_cu_device ordinal; /* constant */
	la_cu_context context; /* constant: the primary one, retained */
	pid_t owner; /* constant: a forked child is none */
	struct la_cu_piece_kind kind; /* constant: of all pieces */
	struct la_cu_access *access; /* owned; the device itself, then peers */
	size_t access_count, access_room;
	struct cuda_range *range; /* owned; reservations */
	size_t range_count, range_room;
	la_cu_event *idle; /* owned; room for each event that was made */
	size_t idle_count, idle_room;
	size_t event_count; /* events that were made */
	_Atomic uint64_t failure; /* the last: number of the call + 1 in the
				   * upper half, result in the lower; 0 */
	atomic_int dead; /* what every call fails with from now on; 0 */
};

/* What a thread was in the middle of when it came. */
struct visit {
	bool pushed; /* our context, over its own */
	unsigned int mode; /* of captures */
};

/* Come to the driver: with our context, and free to make calls that a capture
 * forbids.  Returns 0 or a negative errno value; la_cuda_leave() after 0. */
int la_cuda_enter(struct cuda *cuda, struct visit *visit);
void la_cuda_leave(struct cuda *cuda, const struct visit *visit);

/* A result as 0 or a negative errno value; failures are remembered. */
int la_cuda_check(struct cuda *cuda, enum la_cu_call call, la_cu_result result);

#define CALL(cuda, member, ...)                    \
	la_cuda_check((cuda), LA_CU_CALL_##member, \
		      (cuda)->cu.member(__VA_ARGS__))

/* What is asked of the driver, within a visit. */
#define VISIT(cuda, asked)                                    \
	({                                                    \
		struct visit visit;                           \
		int result = la_cuda_enter((cuda), &visit);   \
                                                              \
		if (!result) {                                \
			result = (asked);                     \
			la_cuda_leave((cuda), &visit);        \
		}                                             \
		result;                                       \
	})

/* cuda-pieces.c */
int la_cuda_reserve(struct la_device *dev, uint64_t size, uint64_t *addr);
int la_cuda_unreserve(struct la_device *dev, uint64_t addr, uint64_t size);
int la_cuda_map(struct la_device *dev, uint64_t addr, uint64_t size,
		uint64_t granule);
int la_cuda_unmap(struct la_device *dev, uint64_t addr, uint64_t size);
int la_cuda_create(struct la_device *dev, uint64_t size, uint64_t *piece);
int la_cuda_release(struct la_device *dev, uint64_t piece, uint64_t size);
int la_cuda_attach(struct la_device *dev, uint64_t addr, uint64_t size,
		   uint64_t piece);
void la_cuda_end_pieces(struct cuda *cuda);

/* cuda-streams.c */
int la_cuda_record(struct la_device *dev, uint64_t stream, uint64_t *event);
int la_cuda_query(struct la_device *dev, uint64_t event);
int la_cuda_order(struct la_device *dev, uint64_t stream, uint64_t event);
int la_cuda_await(struct la_device *dev, uint64_t event);
int la_cuda_drain(struct la_device *dev);
void la_cuda_forget(struct la_device *dev, uint64_t event);
int la_cuda_capturing(struct la_device *dev, uint64_t stream);
void la_cuda_end_streams(struct cuda *cuda, bool alive);

#endif /* LA_DEVICE_CUDA_H */
