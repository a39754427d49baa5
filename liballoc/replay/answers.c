// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "replay/answers.h"
#include "replay/program.h"

struct answers {
	struct la_device device; /* first member */
	const uint64_t *next; /* borrowed */
	size_t left; /* number of answers from next on */
};

static int next_answer(struct la_device *dev, uint64_t *addr)
{
	struct answers *answers = (struct answers *)dev;

	if (!answers->left)
		return -ENOSPC;
	answers->left--;
	if (*answers->next == ANSWER_REFUSED) {
		answers->next++;
		return -ENOSPC;
	}
	*addr = *answers->next++;
	return 0;
}

static int answers_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	(void)size;
	return next_answer(dev, addr);
}

static int answers_map(struct la_device *dev, uint64_t addr, uint64_t size,
		       uint64_t granule)
{
	(void)size, (void)granule;
	return next_answer(dev, &addr);
}

static int answers_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	(void)dev, (void)addr, (void)size;
	return 0;
}

static void answers_destroy(struct la_device *dev)
{
	free(dev);
}

static const struct la_device_ops answers_ops = {
	.alloc = answers_alloc,
	.free = answers_free,
	.reserve = answers_alloc,
	.unreserve = answers_free,
	.map = answers_map,
	.unmap = answers_free,
	.destroy = answers_destroy,
};

int device_answers(struct la_device **out, const uint64_t *answer, size_t count)
{
	struct answers *answers = malloc(sizeof(*answers));

	if (!answers)
		return -ENOMEM;
	answers->device.ops = &answers_ops;
	answers->next = answer;
	answers->left = count;
	*out = &answers->device;
	return 0;
}
