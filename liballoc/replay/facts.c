// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "replay/facts.h"

void facts_init(struct facts *facts)
{
	*facts = (struct facts){ 0 };
	pthread_mutex_init(&facts->lock, NULL);
}

void facts_release(struct facts *facts)
{
	pthread_mutex_destroy(&facts->lock);
	free(facts->fact);
	free(facts->used);
	free(facts->slot);
}

static bool is_same(const struct la_tune_fact *a, const struct la_tune_fact *b)
{
	return a->likeness == b->likeness && a->program == b->program &&
	       a->layout == b->layout && a->limit.kind == b->limit.kind &&
	       a->limit.bytes == b->limit.bytes;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* The slot of a fact, or the empty one where it would be; there is one. */
static size_t find_slot(const struct facts *facts,
			const struct la_tune_fact *fact)
{
	size_t mask = facts->slot_count - 1, i;
	uint64_t hash = mix(fact->likeness, fact->limit.bytes);

	hash = mix(hash, (uint64_t)fact->program << 16 |
				 (uint64_t)fact->layout << 8 |
				 (uint64_t)fact->limit.kind);
	for (i = hash & mask; facts->slot[i]; i = (i + 1) & mask)
		if (is_same(&facts->fact[facts->slot[i] - 1], fact))
			break;
	return i;
}

bool facts_find(struct facts *facts, struct la_tune_fact *fact)
{
	uint32_t found = 0;

	pthread_mutex_lock(&facts->lock);
	if (facts->slot_count)
		found = facts->slot[find_slot(facts, fact)];
	if (found) {
		facts->used[found - 1] = true;
		*fact = facts->fact[found - 1];
	}
	pthread_mutex_unlock(&facts->lock);
	return found != 0;
}

static void fill_slots(struct facts *facts)
{
	size_t i;

	for (i = 0; i < facts->count; i++)
		facts->slot[find_slot(facts, &facts->fact[i])] =
			(uint32_t)i + 1;
}

static int grow(struct facts *facts)
{
	size_t room = facts->room ? 2 * facts->room : 1024;
	uint32_t *slot;
	void *bigger;

	bigger = reallocarray(facts->fact, room, sizeof(*facts->fact));
	if (!bigger)
		return -ENOMEM;
	facts->fact = bigger;
	bigger = reallocarray(facts->used, room, sizeof(*facts->used));
	if (!bigger)
		return -ENOMEM;
	facts->used = bigger;
	slot = calloc(2 * room, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(facts->slot);
	facts->slot = slot;
	facts->slot_count = 2 * room;
	facts->room = room;
	fill_slots(facts);
	return 0;
}

static int add(struct facts *facts, const struct la_tune_fact *fact, bool used)
{
	uint32_t *slot;

	if (facts->count == facts->room && grow(facts) < 0)
		return -ENOMEM;
	slot = &facts->slot[find_slot(facts, fact)];
	if (*slot)
		return 0;
	facts->fact[facts->count] = *fact;
	facts->used[facts->count] = used;
	*slot = (uint32_t)++facts->count;
	return 0;
}

int facts_add(struct facts *facts, const struct la_tune_fact *fact, bool used)
{
	int code;

	pthread_mutex_lock(&facts->lock);
	code = add(facts, fact, used);
	pthread_mutex_unlock(&facts->lock);
	return code;
}

void facts_drop_unused(struct facts *facts)
{
	size_t i, kept = 0;

	for (i = 0; i < facts->count; i++)
		if (facts->used[i])
			facts->fact[kept++] = facts->fact[i];
	facts->count = kept;
}
