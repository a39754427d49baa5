// SPDX-License-Identifier: Apache-2.0
/*
 * The table of what is live: open addressing with linear probing, in shards,
 * each behind a lock that is held for nanoseconds.
 *
 * The file must tell the truth whenever the process dies, so a slot is filled
 * with its address last and emptied with its address first, and an entry that
 * moves is in two slots for a moment: it may be there twice, never missing.
 */
#include <string.h>

#include "core/parts.h"
#include "core/store.h"

enum {
	SHARD_LEAST = 1024, /* slots of a shard, if there are more than one */
	BATCH = 16 /* holdings removed under one lock */
};

/* Owner: the process; set by table_init() before any thread asks. */
static struct {
	struct la_probe_holding *slot;
	struct shard *shard;
	uint64_t shards; /* a power of two */
	uint64_t size; /* slots of a shard, a power of two */
	uint64_t most; /* slots of a shard that may be used: some stay free */
} table;

/* A key, its shard, and the slots of that. */
struct place_of_key {
	struct shard *shard;
	struct la_probe_holding *slot;
	uint64_t home; /* where its search begins */
};

void table_init(struct la_probe_holding *holdings, uint64_t slots,
		struct shard *shards)
{
	uint64_t number = PROBE_SHARDS;

	while (number > 1 && slots / number < SHARD_LEAST)
		number /= 2;
	table.slot = holdings;
	table.shard = shards;
	table.shards = number;
	table.size = slots / number;
	table.most = table.size - table.size / 8;
}

/* Finalizer of MurmurHash3: every bit of the key changes every bit. */
static uint64_t hash(uint64_t addr, unsigned int kind)
{
	uint64_t h = addr + kind * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 33) * 0xff51afd7ed558ccdull;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ull;
	return h ^ h >> 33;
}

static uint64_t home_of(uint64_t hashed)
{
	return (hashed >> 8) & (table.size - 1);
}

static struct place_of_key find_place(uint64_t addr, unsigned int kind)
{
	uint64_t hashed = hash(addr, kind), i = hashed & (table.shards - 1);

	return (struct place_of_key){
		.shard = &table.shard[i],
		.slot = table.slot + i * table.size,
		.home = home_of(hashed),
	};
}

static uint64_t next(uint64_t i)
{
	return (i + 1) & (table.size - 1);
}

/* Each store is ordered after the one before it. */
static void fill(struct la_probe_holding *slot,
		 const struct la_probe_holding *holding)
{
	__atomic_store_n(&slot->size, holding->size, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->time, holding->time, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->other, holding->other, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->thread, holding->thread, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->references, holding->references,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&slot->kind, holding->kind, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->device, holding->device, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->addr, holding->addr, __ATOMIC_RELEASE);
}

static void empty(struct la_probe_holding *slot)
{
	__atomic_store_n(&slot->addr, 0, __ATOMIC_RELEASE);
}

/* The slot of a key, or the free one that ends the search for it. */
static uint64_t search(const struct place_of_key *place, uint64_t addr,
		       unsigned int kind)
{
	const struct la_probe_holding *slot = place->slot;
	uint64_t i;

	for (i = place->home; slot[i].addr; i = next(i))
		if (slot[i].addr == addr && slot[i].kind == kind)
			break;
	return i;
}

/* May what is in slot at move to the hole before it?  Not past its home. */
static bool may_move(const struct la_probe_holding *holding, uint64_t hole,
		     uint64_t at)
{
	uint64_t home = home_of(hash(holding->addr, holding->kind));

	return ((at - home) & (table.size - 1)) >=
	       ((at - hole) & (table.size - 1));
}

/* Empty a slot; those after it move up, as if it had never been used. */
static void remove_at(struct shard *shard, struct la_probe_holding *slot,
		      uint64_t hole)
{
	uint64_t i;

	empty(&slot[hole]);
	for (i = next(hole); slot[i].addr; i = next(i))
		if (may_move(&slot[i], hole, i)) {
			fill(&slot[hole], &slot[i]);
			empty(&slot[i]);
			hole = i;
		}
	shard->used--;
}

static void lose(void)
{
	__atomic_add_fetch(&store.header->lost_holdings, 1, __ATOMIC_RELAXED);
}

/* Under the lock.  What is replaced goes when the new one is there. */
static bool add(const struct place_of_key *place,
		const struct la_probe_holding *holding,
		struct la_probe_holding *old)
{
	struct la_probe_holding *slot = place->slot;
	uint64_t i = search(place, holding->addr, holding->kind), end = i;

	if (slot[i].addr)
		*old = slot[i];
	else if (place->shard->used == table.most) {
		lose();
		return false;
	}
	while (slot[end].addr)
		end = next(end);
	fill(&slot[end], holding);
	place->shard->used++;
	if (end != i)
		remove_at(place->shard, slot, i);
	return true;
}

bool store_add(const struct la_probe_holding *holding,
	       struct la_probe_holding *old)
{
	struct la_probe_holding replaced = { 0 };
	struct place_of_key place;
	bool kept = false;

	if (store.header && holding->addr) {
		place = find_place(holding->addr, holding->kind);
		spin_lock(&place.shard->lock);
		kept = add(&place, holding, &replaced);
		spin_unlock(&place.shard->lock);
	}
	if (old)
		*old = replaced;
	return kept;
}

bool store_remove(uint64_t addr, enum la_probe_kind kind,
		  struct la_probe_holding *old)
{
	struct place_of_key place;
	uint64_t i;
	bool found;

	if (!store.header || !addr)
		return false;
	place = find_place(addr, kind);
	spin_lock(&place.shard->lock);
	i = search(&place, addr, kind);
	found = place.slot[i].addr;
	if (found) {
		if (old)
			*old = place.slot[i];
		remove_at(place.shard, place.slot, i);
	}
	spin_unlock(&place.shard->lock);
	return found;
}

bool store_find(uint64_t addr, enum la_probe_kind kind,
		struct la_probe_holding *found)
{
	const struct la_probe_holding *slot;
	struct place_of_key place;
	bool there;

	if (!store.header || !addr)
		return false;
	place = find_place(addr, kind);
	spin_lock(&place.shard->lock);
	slot = &place.slot[search(&place, addr, kind)];
	there = slot->addr;
	if (there && found)
		*found = *slot;
	spin_unlock(&place.shard->lock);
	return there;
}

unsigned int store_refer(uint64_t addr, enum la_probe_kind kind, int change,
			 struct la_probe_holding *old)
{
	struct place_of_key place;
	struct la_probe_holding *slot;
	uint64_t i;
	int left = 0;

	memset(old, 0, sizeof(*old));
	if (!store.header || !addr)
		return 0;
	place = find_place(addr, kind);
	spin_lock(&place.shard->lock);
	i = search(&place, addr, kind);
	slot = &place.slot[i];
	if (slot->addr) {
		*old = *slot;
		left = slot->references + change;
		if (left > 0)
			__atomic_store_n(&slot->references, (uint16_t)left,
					 __ATOMIC_RELEASE);
		else
			remove_at(place.shard, place.slot, i);
	}
	spin_unlock(&place.shard->lock);
	return left > 0 ? (unsigned int)left : 0;
}

/* Remove some of a shard; how many, BATCH: ask again. */
static unsigned int remove_some(uint64_t i, store_goes *goes, const void *data,
				struct la_probe_holding removed[BATCH])
{
	struct la_probe_holding *slot = table.slot + i * table.size;
	unsigned int n = 0;
	uint64_t at = 0;

	spin_lock(&table.shard[i].lock);
	while (at < table.size && n < BATCH) {
		if (slot[at].addr && goes(&slot[at], data)) {
			removed[n++] = slot[at];
			remove_at(&table.shard[i], slot, at);
		} else {
			at++;
		}
	}
	spin_unlock(&table.shard[i].lock);
	return n;
}

void store_remove_all(store_goes *goes, const void *data,
		      void (*each)(const struct la_probe_holding *old))
{
	struct la_probe_holding removed[BATCH];
	unsigned int n, j;
	uint64_t i;

	for (i = 0; store.header && i < table.shards; i++)
		do {
			n = remove_some(i, goes, data, removed);
			for (j = 0; j < n; j++)
				each(&removed[j]);
		} while (n == BATCH);
}

/* Of addresses, and of one kind. */
struct range {
	uint64_t addr, size; /* bytes */
	enum la_probe_kind kind;
};

static bool is_in_range(const struct la_probe_holding *holding,
			const void *data)
{
	const struct range *range = data;

	return holding->addr - range->addr < range->size &&
	       holding->kind == range->kind;
}

void store_remove_range(uint64_t addr, uint64_t size, enum la_probe_kind kind,
			void (*each)(const struct la_probe_holding *old))
{
	const struct range range = { addr, size, kind };
	struct la_probe_holding whole;

	if (!store_find(addr, kind, &whole) || whole.size < size)
		store_remove_all(is_in_range, &range, each);
	else if (store_remove(addr, kind, &whole))
		each(&whole);
}
