/* SPDX-License-Identifier: Apache-2.0 */
/* la_view_walk(), as the views use it. */
#ifndef LA_VIEW_WALK_H
#define LA_VIEW_WALK_H

#include "view/kinds.h"

/* What is walked along; all but the scene is given before. */
struct walk {
	const struct la_recording *recording; /* borrowed, as what follows */
	const struct la_recorded_device *device;
	const struct la_program *program; /* or NULL */
	const struct la_replay_options *replay; /* or NULL */
	la_view_visitor *visitor; /* called when the scene has followed; or
				   * NULL */
	void *data; /* first argument of visitor */
	uint64_t end; /* the event before which the walk ends */
	bool sized; /* the recording is replayed for the sizes of blocks */
	struct scene scene; /* what is held after all events so far */

	uint64_t next; /* number of the next event */
	const uint32_t *stack; /* of the program's events, or NULL */
	uint32_t *owned_stack; /* owned; stack, where it had to be made */
	uint64_t *block; /* owned; of the program's events: bytes of the block
			  * that was got, 0: unknown; or NULL */
	struct la_replay_moment moment; /* of the replay */
	struct {
		uint64_t addr, size; /* bytes that were cut off for a block */
	} split; /* that was heard last */
	uint32_t stream; /* index of the last stream that was heard */
	int error; /* what ended the walk: 0, or negative */
};

/* Returns 0; or -EINVAL if there is no such device, for walk_destroy() only. */
int walk_init(struct walk *walk, const struct la_recording *recording,
	      unsigned int device, const struct la_program *program,
	      const struct la_view_options *options, struct la_error *err);
void walk_destroy(struct walk *walk);

/* Walk up to the end.  Returns as la_view_walk(). */
int walk_run(struct walk *walk, struct la_error *err);

#endif /* LA_VIEW_WALK_H */
