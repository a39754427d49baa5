/* SPDX-License-Identifier: Apache-2.0 */
/* Gathering the facts of a recording. */
#ifndef LA_TRIAGE_RECORDING_H
#define LA_TRIAGE_RECORDING_H

#include <liballoc/triage.h>

/* Events have the numbers of programs, which leave out marks. */
static inline bool is_mark(const struct la_event *event)
{
	return event->action > LA_OOM;
}

/* Bytes of the block that serves a request, whatever the setting. */
static inline uint64_t whole_blocks(uint64_t size)
{
	return (size + 511) / 512 * 512;
}

/* A recording that is read for one OOM, or for its end. */
struct witness {
	const struct la_recording *recording; /* borrowed */
	const struct la_recorded_device *device; /* of the recording */
	const struct la_program *program; /* borrowed; or NULL */
	const uint32_t *stack; /* by event; NULL: none has one */
	const struct la_event *oom; /* of the device; NULL: there is none */
	/* The event's number, or that of all events where there is none. */
	uint64_t end;
	struct la_facts *facts; /* being gathered */
};

static inline void set_amount(struct la_facts *facts, enum la_amount_id id,
			      uint64_t low, uint64_t high, enum la_basis basis)
{
	facts->amount[id] = (struct la_amount){
		.low = low,
		.high = high,
		.basis = basis,
	};
}

static inline void set_exact(struct la_facts *facts, enum la_amount_id id,
			     uint64_t bytes)
{
	set_amount(facts, id, bytes, bytes, LA_BASIS_RECORDED);
}

/* The stack of an event if it has frames, else 0. */
uint32_t witness_stack(const struct witness *witness, uint64_t event);

/* holders.c: a la_holder_key; data is a struct witness. */
uint64_t witness_key(void *data, uint64_t event, uint64_t size);

/* holders.c: keep the first of these.  Returns 0 or -ENOMEM. */
int witness_keep_holders(struct witness *witness,
			 const struct la_holder *holder, size_t count);

/* holders.c: who holds what is there at the end.  Returns 0 or -ENOMEM. */
int witness_list_holders(struct witness *witness);

/* held.c: the sums of a picture. */
void la_sum_up(struct la_facts *facts, const struct la_picture *picture,
	       uint64_t reserved, uint64_t active);

/* held.c: what a probe does not tell of blocks: requests, streams, whether
 * another stream still uses them. */
void la_forget_unseen(struct la_facts *facts);

/* held.c: the heap at the end, or as the OOM saw it as far as the events
 * since tell.  Returns 0 or -ENOMEM. */
int witness_see_end(struct witness *witness);

/* age.c: how old is what is live.  Returns 0 or -ENOMEM. */
int witness_tell_ages(struct witness *witness);

/* growth.c: the leak test.  Returns 0 or -ENOMEM. */
int witness_test_growth(struct witness *witness);

#endif /* LA_TRIAGE_RECORDING_H */
