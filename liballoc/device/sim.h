/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated device.  sim.c places segments, sim-pieces.c reservations and
 * what is mapped in them, sim-streams.c knows what is queued on streams.
 */
#ifndef LA_DEVICE_SIM_H
#define LA_DEVICE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/device.h>

#include "device/page.h"
#include "device/slots.h"
#include "util/util.h"

#define CHUNK (32 * MIB)

struct gap {
	uint64_t addr;
	uint64_t size; /* bytes */
};

/* A piece: it goes when the caller has given it back and it is attached
 * nowhere. */
struct piece {
	struct slot slot; /* first member */
	uint64_t size; /* bytes */
	uint64_t attached; /* addresses that it is attached at */
	bool held; /* by the caller */
};

/* What is under 2 MiB of a reservation. */
struct page {
	uint64_t piece; /* handle; 0: nothing */
	uint64_t index; /* of the page within the piece */
};

struct reservation {
	uint64_t addr;
	uint64_t size; /* bytes */
	struct page *page; /* owned; NULL: no piece was attached yet */
	uint64_t attached; /* pages that have a piece */
};

/* What was queued on a stream and is not done. */
struct work {
	uint64_t addr; /* a kernel that uses ... */
	uint64_t size; /* ... so many bytes; 0: a wait for ... */
	size_t stream; /* ... what another stream ... */
	uint64_t position; /* ... has queued up to there */
};

/* Positions up to which the work of each stream comes before something. */
struct clock {
	uint64_t *position; /* owned; by stream */
	size_t count, room;
};

struct stream {
	uint64_t value; /* what CUDA calls it */
	uint64_t queued; /* position of the last work queued */
	uint64_t done; /* position of the last work done */
	struct work *work; /* owned; those from done + 1 to queued */
	size_t work_count, work_room;
	struct clock before; /* what is queued next comes after it */
	bool captured; /* into a graph */
};

struct event {
	struct slot slot; /* first member */
	size_t stream;
	uint64_t position; /* of the last work before it; 0: none */
	struct clock before; /* of the stream when it was recorded */
};

struct sim {
	struct la_device device; /* first member */
	uint64_t card; /* most bytes that segments may take, or UINT64_MAX:
			* there is no bound */
	uint64_t held; /* bytes that segments and mapped memory take; what
			* was held from the start may be more than the card
			* has */
	enum la_layout layout;
	uint64_t edge; /* where the next segment is put that fits no gap;
			* shuffled layouts: where the slots begin */
	struct gap *gap; /* owned; by address, never touching each other */
	size_t gap_count, gap_room;
	uint16_t *slot; /* owned; shuffled layouts: the order of the slots */
	uint64_t slots_used;
	uint64_t huge; /* where the next segment goes that fits no slot */
	struct reservation *taken; /* owned; by address */
	size_t taken_count, taken_room;
	struct slots piece; /* struct piece */
	struct slots event; /* struct event */
	struct stream *stream; /* owned; those with work or a capture */
	size_t stream_count, stream_room;
	uint64_t violations;
	struct la_device_sim_counts counts;
};

static inline uint64_t whole_chunks(uint64_t size)
{
	return (size + CHUNK - 1) / CHUNK * CHUNK;
}

static inline bool is_full(const struct sim *sim, uint64_t size)
{
	return size > sim->card || sim->held > sim->card - size;
}

static inline void count(struct la_device_sim_count *what, uint64_t size)
{
	what->calls++;
	what->bytes += size;
}

/* sim-pieces.c */
int la_sim_begin_pieces(struct sim *sim);
void la_sim_end_pieces(struct sim *sim);
int la_sim_reserve(struct la_device *dev, uint64_t size, uint64_t *addr);
int la_sim_unreserve(struct la_device *dev, uint64_t addr, uint64_t size);
int la_sim_map(struct la_device *dev, uint64_t addr, uint64_t size,
	       uint64_t granule);
int la_sim_unmap(struct la_device *dev, uint64_t addr, uint64_t size);
int la_sim_create(struct la_device *dev, uint64_t size, uint64_t *piece);
int la_sim_release(struct la_device *dev, uint64_t piece, uint64_t size);
int la_sim_attach(struct la_device *dev, uint64_t addr, uint64_t size,
		  uint64_t piece);
int la_sim_detach(struct la_device *dev, uint64_t addr, uint64_t size);
/* The page under an address; NULL: it is in no reservation that has, or had,
 * pieces. */
const struct page *la_sim_page(const struct sim *sim, uint64_t addr);

/* sim-streams.c */
void la_sim_end_streams(struct sim *sim);
int la_sim_record(struct la_device *dev, uint64_t stream, uint64_t *event);
int la_sim_query(struct la_device *dev, uint64_t event);
int la_sim_order(struct la_device *dev, uint64_t stream, uint64_t event);
int la_sim_await(struct la_device *dev, uint64_t event);
int la_sim_drain(struct la_device *dev);
void la_sim_forget(struct la_device *dev, uint64_t event);
int la_sim_capturing(struct la_device *dev, uint64_t stream);
/* Memory is about to go from its addresses. */
void la_sim_taken_away(struct sim *sim, uint64_t addr, uint64_t size);

#endif /* LA_DEVICE_SIM_H */
