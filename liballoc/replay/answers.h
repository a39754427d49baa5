/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_ANSWERS_H
#define LA_REPLAY_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

#include <liballoc/device.h>

/*
 * A driver that answers what a list says, in order: an address of a segment,
 * reservation or mapping, or a refusal (ANSWER_REFUSED).  Behind the end of
 * the list it refuses.  The list is borrowed.  Returns 0 or -ENOMEM.
 */
int device_answers(struct la_device **out, const uint64_t *answer,
		   size_t count);

#endif /* LA_REPLAY_ANSWERS_H */
