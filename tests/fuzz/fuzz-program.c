// SPDX-License-Identifier: Apache-2.0
/*
 * Recordings made on a real heap, whole or damaged, and recordings that never
 * were: reading and replaying them ends, and keeps the promises.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <liballoc/replay.h>
#include <liballoc/triage.h>

#include "heap/inside.h"
#include "support/snapshot.h"
#include "util/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	BLOCKS = 512,
	EVENTS_MOST = 4096,
	EVENTS_REMEDIED = 256, /* more take too long under many settings */
	POOLS = 64, /* that ever are, with the default pool */
	OPEN_POOLS = 4, /* that are used at once, with it */
	CHANGES = 4,
};

/* Seconds of the processor in which any recording is read; sanitizers slow it
 * down. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SECONDS_MAX 60
#elif defined(__has_feature)
#define SECONDS_MAX                           \
	(__has_feature(address_sanitizer) ||  \
			 __has_feature(thread_sanitizer) ? \
		 60 :                          \
		 5)
#else
#define SECONDS_MAX 5
#endif

struct bytes {
	const uint8_t *next, *end;
};

/* A program that runs, and what it was run under. */
struct stage {
	struct snapshot *snapshot; /* borrowed */
	struct la_device *device; /* owned */
	struct la_heap *heap; /* owned */
	struct la_limit limit;
	const char *first; /* the setting that it began with */
	struct la_setting_at change[CHANGES]; /* made while it ran */
	struct la_setting *setting[CHANGES + 1]; /* owned; first, changes */
	size_t change_count;
	uint64_t pool_id[POOLS][2]; /* by number of the pool */
	unsigned int pool_count;
	unsigned int open[OPEN_POOLS]; /* numbers of those in use */
	la_block live[BLOCKS], pending[BLOCKS];
	size_t live_count, pending_count;
};

/* What was done to a recording before it is read. */
enum damage {
	WHOLE, /* nothing */
	LATE, /* the first events are missing */
	DAMAGED /* more than that */
};

static unsigned int take(struct bytes *bytes)
{
	return bytes->next < bytes->end ? *bytes->next++ : 0;
}

static const char *const settings[] = {
	"",
	"max_split_size_mb:21",
	"max_split_size_mb:32,max_non_split_rounding_mb:21",
	"roundup_power2_divisions:4",
	"garbage_collection_threshold:0.6",
	"garbage_collection_threshold:0.3,max_split_size_mb:24",
	"roundup_power2_divisions:[1:2,2:4,8:1,>:8],max_split_size_mb:40",
	"large_segment_size_mb:32",
	"expandable_segments:True",
	"expandable_segments:True,max_split_size_mb:40",
	"expandable_segments:True,garbage_collection_threshold:0.5",
	"expandable_segments:True,large_segment_size_mb:32",
};

static struct la_setting *parse(const char *text)
{
	struct la_setting *setting;

	assert(!la_setting_parse(&setting, text, strlen(text), LA_SET_AT_INIT,
			       NULL));
	return setting;
}

/* Another setting, as torch's setter takes it. */
static struct la_setting *parse_change(const char *text,
				       const struct la_setting *before)
{
	const struct la_setting_context context = {
		.release = LA_RELEASE(2, 11),
		.set_at = LA_SET_AT_RUNTIME,
		.previous = la_setting_values(before),
	};
	struct la_setting *setting;

	assert(!la_setting_parse_for(&setting, text, strlen(text), &context,
				     NULL));
	return setting;
}

static void draw_limit(struct stage *stage, struct bytes *bytes)
{
	stage->limit.kind = take(bytes) % 3;
	stage->limit.bytes = (1 + take(bytes) % 64) * 4 * MIB;
}

/* A private pool that was not there before: a graph's, or a MemPool. */
static void open_pool(struct stage *stage, unsigned int at)
{
	unsigned int number = stage->pool_count;

	if (number == POOLS)
		return;
	stage->pool_id[number][number % 2] = number;
	assert(la_heap_pool(stage->heap, stage->pool_id[number]) ==
	       (int)number);
	stage->open[at] = stage->pool_count++;
}

static void stage_open(struct stage *stage, struct snapshot *snapshot,
		       struct bytes *bytes)
{
	struct la_heap_config config = {
		.cap = UINT64_MAX,
		.total = 80 * GIB,
		.listener = snapshot_hear,
		.listener_data = snapshot,
	};
	unsigned int at;
	uint64_t card;

	memset(stage, 0, sizeof(*stage));
	stage->snapshot = snapshot;
	snapshot->setting = settings[take(bytes) % ARRAY_SIZE(settings)];
	stage->first = snapshot->setting;
	stage->setting[0] = parse(snapshot->setting);
	draw_limit(stage, bytes);
	card = stage->limit.kind == LA_LIMIT_CARD ? stage->limit.bytes :
						    UINT64_MAX;
	if (stage->limit.kind == LA_LIMIT_CAP)
		config.cap = stage->limit.bytes;
	snapshot->device_free = (uint64_t)1 << 40;
	assert(!la_device_sim(&stage->device, take(bytes) % LA_LAYOUT_SHUFFLE_1,
			      card, 0));
	config.device = stage->device;
	config.setting = la_setting_values(stage->setting[0]);
	assert(!la_heap_new(&stage->heap, &config, NULL));
	stage->pool_count = 1;
	for (at = 1; at < OPEN_POOLS; at++)
		open_pool(stage, at);
	if (take(bytes) % 4)
		snapshot->pool_id = (const uint64_t (*)[2])stage->pool_id;
}

static void stage_close(struct stage *stage)
{
	size_t i;

	la_heap_free(stage->heap);
	la_device_destroy(stage->device);
	for (i = 0; i <= stage->change_count; i++)
		la_setting_free(stage->setting[i]);
}

/* Small, middle and large requests alike. */
static uint64_t draw_size(unsigned int a, unsigned int b)
{
	static const uint64_t steps[] = { 100,	    512,	9000,
					  64 * KIB, 128 * KIB, 512 * KIB };

	return steps[a % ARRAY_SIZE(steps)] * b;
}

static void request(struct stage *stage, unsigned int a, unsigned int b,
		    unsigned int pool)
{
	uint64_t reserved = la_heap_stats(stage->heap)->reserved;
	int stream = la_heap_stream(stage->heap, a / 64 * 16);
	la_block block;
	int err;

	assert(stream >= 0);
	if (stage->live_count == BLOCKS)
		return;
	if (stage->limit.kind == LA_LIMIT_CARD)
		stage->snapshot->device_free = stage->limit.bytes > reserved ?
						       stage->limit.bytes -
							       reserved :
						       0;
	stage->snapshot->pool = (uint16_t)pool;
	err = la_heap_alloc(stage->heap, draw_size(a % 64, b), stream,
			    (int)pool, &block);
	assert(!err || err == -ENOSPC);
	if (!err)
		stage->live[stage->live_count++] = block;
}

static void release(struct stage *stage, unsigned int which)
{
	size_t at;

	if (!stage->live_count)
		return;
	at = which % stage->live_count;
	assert(!la_heap_release(stage->heap, stage->live[at]));
	stage->live[at] = stage->live[--stage->live_count];
}

static void release_later(struct stage *stage, unsigned int which)
{
	size_t at;

	if (!stage->live_count || stage->pending_count == BLOCKS)
		return;
	at = which % stage->live_count;
	la_heap_free_request(stage->heap, stage->live[at]);
	stage->pending[stage->pending_count++] = stage->live[at];
	stage->live[at] = stage->live[--stage->live_count];
}

static void complete(struct stage *stage)
{
	if (!stage->pending_count)
		return;
	assert(!la_heap_free_complete(stage->heap, stage->pending[0]));
	memmove(stage->pending, stage->pending + 1,
		--stage->pending_count * sizeof(*stage->pending));
}

/* The last handle of a MemPool, or the last graph of a pool, is gone. */
static void close_pool(struct stage *stage, unsigned int which)
{
	unsigned int at = 1 + which % (OPEN_POOLS - 1);
	unsigned int pool = stage->open[at];

	if (stage->pool_id[pool][0])
		assert(!la_heap_pool_give_up(stage->heap, (int)pool));
	else
		assert(!la_heap_pool_drop(stage->heap, (int)pool));
	open_pool(stage, at);
}

static void change_setting(struct stage *stage, unsigned int which)
{
	struct snapshot *snapshot = stage->snapshot;
	size_t count = stage->change_count;

	if (count == CHANGES)
		return;
	snapshot->setting = settings[which % ARRAY_SIZE(settings)];
	stage->change[count] = (struct la_setting_at){
		snapshot->event_count, snapshot->setting
	};
	stage->setting[count + 1] = parse_change(snapshot->setting,
						 stage->setting[count]);
	stage->change_count++;
	assert(!la_heap_set(stage->heap,
			    la_setting_values(stage->setting[count + 1]),
			    NULL));
}

/* Flushes waited for some that were pending. */
static void forget_completed(struct stage *stage)
{
	size_t i, kept = 0;

	for (i = 0; i < stage->pending_count; i++)
		if (heap_is_pending(stage->heap, stage->pending[i]))
			stage->pending[kept++] = stage->pending[i];
	stage->pending_count = kept;
}

static void do_rarely(struct stage *stage, unsigned int what)
{
	if (what < 64)
		assert(!la_heap_empty_cache(stage->heap));
	else if (what < 80)
		close_pool(stage, what);
	else if (what < 84)
		change_setting(stage, what);
}

static void step(struct stage *stage, struct bytes *bytes)
{
	unsigned int what = take(bytes), a = take(bytes), pool = what / 16;

	switch (what % 16) {
	case 0:
	case 1:
	case 2:
	case 3:
		release(stage, a);
		break;
	case 4:
	case 5:
		release_later(stage, a);
		break;
	case 6:
		complete(stage);
		break;
	case 7:
		do_rarely(stage, a);
		break;
	default:
		request(stage, a, take(bytes),
			pool < OPEN_POOLS ? stage->open[pool] : 0);
	}
	forget_completed(stage);
}

static uint64_t number(struct bytes *bytes)
{
	static const uint64_t edges[] = { 0, 1, 511, 2 * MIB, 20 * MIB,
					  (uint64_t)1 << 60,
					  (uint64_t)1 << 61 };
	unsigned int a = take(bytes);

	return a < 128 ? edges[a % ARRAY_SIZE(edges)] :
			 (uint64_t)take(bytes) << a % 32;
}

/* Damage one event, or its neighbourhood. */
static void damage_event(struct snapshot *snapshot, size_t at,
			 struct bytes *bytes)
{
	struct la_event *event = &snapshot->event[at], copy = *event;
	size_t to = take(bytes) * snapshot->event_count / 256;

	switch (take(bytes) % 9) {
	case 0:
		snapshot_cut(snapshot, at, 1 + take(bytes) % 4);
		break;
	case 1:
		*event = snapshot->event[to];
		snapshot->event[to] = copy;
		break;
	case 2:
		event->size = number(bytes);
		break;
	case 3:
		event->addr = snapshot->event[to].addr;
		break;
	case 4:
		event->addr += number(bytes);
		break;
	case 5:
		event->stream = take(bytes) % 3 * 16;
		event->pool = take(bytes) % OPEN_POOLS;
		break;
	case 6:
		event->action = take(bytes) % (LA_OOM + 1);
		break;
	case 7:
		event->action = LA_OOM;
		break;
	default:
		snapshot_add(snapshot, &copy);
		memmove(&snapshot->event[to + 1], &snapshot->event[to],
			(snapshot->event_count - 1 - to) * sizeof(copy));
		snapshot->event[to] = copy;
	}
	for (at = 0; at < snapshot->event_count; at++)
		if (snapshot->event[at].addr > UINT64_MAX >> 1)
			snapshot->event[at].addr >>= 1;
}

static void damage_segments(struct snapshot *snapshot, struct bytes *bytes)
{
	struct la_recorded_segment *segment =
		&snapshot->segment[take(bytes) % snapshot->segment_count];
	struct la_recorded_block *block =
		&snapshot->block[segment->first_block +
				 take(bytes) % segment->block_count];

	switch (take(bytes) % 8) {
	case 0:
		block->state = take(bytes) % 3;
		break;
	case 1:
		block->requested = number(bytes);
		break;
	case 2:
		segment->size -= block->size;
		block->size = 1 + number(bytes) % ((uint64_t)1 << 60);
		segment->size += block->size;
		break;
	case 3:
		segment->addr += number(bytes);
		break;
	case 4:
		segment->small = !segment->small;
		break;
	case 5:
		segment->expandable = !segment->expandable;
		break;
	case 6:
		segment->pool[0] = UINT64_MAX - take(bytes) % 3;
		segment->pool[1] = take(bytes) % 3;
		break;
	default:
		*segment = snapshot->segment[--snapshot->segment_count];
	}
}

static enum damage damage(struct snapshot *snapshot, struct bytes *bytes)
{
	unsigned int kind = take(bytes), count = take(bytes) % 4;
	size_t at = take(bytes) * snapshot->event_count / 256;

	switch (kind % 5) {
	case 0:
		return WHOLE;
	case 1:
		snapshot_cut(snapshot, 0, at);
		return LATE;
	case 2:
		snapshot_cut(snapshot, at, 1 + take(bytes));
		return DAMAGED;
	case 3:
		snapshot_cut(snapshot, at, snapshot->event_count);
		return DAMAGED;
	}
	for (; count && snapshot->event_count; count--) {
		at = take(bytes) * snapshot->event_count / 256;
		if (kind < 128 || !snapshot->segment_count)
			damage_event(snapshot, at, bytes);
		else
			damage_segments(snapshot, bytes);
	}
	return DAMAGED;
}

/* Compares a replay with the events, apart from la_program_verify(). */
struct witness {
	const struct snapshot *snapshot; /* borrowed */
	size_t at; /* next event */
	int differs;
};

static void witness_hear(void *data, enum la_action action, uint64_t addr,
			 uint64_t size, uint64_t stream)
{
	struct witness *witness = data;
	const struct snapshot *snapshot = witness->snapshot;
	const struct la_event *event;

	if (action == LA_FREE_REQUESTED || action == LA_FREE_COMPLETED)
		return;
	while (witness->at < snapshot->event_count &&
	       (snapshot->event[witness->at].action == LA_FREE_REQUESTED ||
		snapshot->event[witness->at].action == LA_FREE_COMPLETED))
		witness->at++;
	if (witness->at == snapshot->event_count) {
		witness->differs = 1;
		return;
	}
	event = &snapshot->event[witness->at++];
	witness->differs |= event->action != action || event->size != size ||
			    event->stream != stream ||
			    (action != LA_OOM && event->addr != addr);
}

static void check_exact(const struct snapshot *snapshot,
			const struct la_program *program,
			const struct la_verification *found)
{
	struct witness witness = {
		.snapshot = snapshot,
		.at = la_program_info(program)->first_event,
	};
	const struct la_replay_options options = {
		.setting = la_program_setting(program),
		.as_recorded = true,
		.with_changes = true,
		.listener = witness_hear,
		.listener_data = &witness,
	};
	struct la_replay_result result;
	size_t i;

	assert(!la_replay(program, &options, &result, NULL));
	for (i = witness.at; i < snapshot->event_count; i++)
		witness.differs |=
			snapshot->event[i].action != LA_FREE_REQUESTED &&
			snapshot->event[i].action != LA_FREE_COMPLETED;
	assert(found->exact == (!witness.differs && !found->adopted));
	if (!witness.differs)
		assert(found->reserved_peak_recorded ==
		     found->reserved_peak_replayed);
}

static void check_info(const struct la_program_info *info, size_t event_count)
{
	assert(info->event_count == event_count);
	assert(info->understood <= event_count);
	assert(info->first_event <= event_count);
	assert(info->request_count + info->oom_count <= event_count);
	assert(info->adopted_count <= event_count);
	assert(info->limit_range[0] <= info->limit_range[1]);
	if (info->ends_in_oom)
		assert(info->oom_count > 0);
}

static void check_verification(const struct la_verification *found)
{
	assert(found->placements_right <= found->placements);
	assert(found->segment_events_right <= found->segment_events);
	assert(found->ooms_right <= found->ooms);
	assert(found->exact <= (found->first_difference == UINT64_MAX));
}

/* All that is held is live, pending or free; holders hold the former two. */
static void check_oom(const struct la_oom_state *oom)
{
	const struct la_picture_part *total = &oom->picture.total;
	uint64_t free = 0, held = 0;
	size_t i;

	for (i = 0; i < LA_FREE_PLACES; i++)
		free += oom->free[i].bytes;
	for (i = 0; i < oom->holder_count; i++)
		held += oom->holder[i].bytes;
	assert(total->reserved == oom->stats.reserved);
	assert(total->live + total->pending == oom->stats.active);
	assert(total->live + total->pending == held);
	assert(total->holes.bytes == free && total->idle <= free);
	assert(held + free == total->reserved);
}

static void ask_layouts(const struct la_program *program,
			const struct la_replay_options *options)
{
	struct la_replay_options more = *options;
	struct la_oom_state oom = { 0 };
	struct la_answer answer;
	struct la_steps steps;

	assert(!la_steps_find(&steps, program));
	if (steps.count) {
		more.release.kind = LA_RELEASE_EVERY;
		more.release.every = 1;
		more.release.steps = &steps;
	}
	more.oom = &oom;
	more.costs = la_costs_default();
	assert(!la_replay_all_layouts(program, &more, &answer, NULL));
	if (answer.ran < LA_LAYOUT_COUNT)
		check_oom(&oom);
	assert(answer.rule.release_count <= steps.count);
	la_oom_state_release(&oom);
	la_steps_release(&steps);
	assert(answer.ran <= LA_LAYOUT_COUNT);
	assert(answer.reserved_peak_range[0] <= answer.reserved_peak_range[1]);
	assert((answer.outcome == LA_OUTCOME_RUNS) ==
	       (answer.ran == LA_LAYOUT_COUNT));
}

static void ask_minimum(const struct la_program *program,
			const struct la_replay_options *options)
{
	struct la_replay_options within = *options;
	struct la_replay_result result;
	struct la_minimum minimum;
	int err;

	within.limit.kind = LA_LIMIT_CAP;
	err = la_minimum_memory(program, &within, 4, &minimum, NULL);
	assert(!err || err == -ERANGE);
	if (err < 0)
		return;
	within.limit.bytes = minimum.bytes;
	assert(!la_replay(program, &within, &result, NULL));
	/* What a damaged one holds at its start may leave the device no
	 * addresses. */
	assert(result.ran || la_program_info(program)->window);
	if (!result.ran)
		return;
	/* What a request needs only a part of may go beyond a cap. */
	assert(result.stats.reserved_peak <= minimum.bytes ||
	       options->setting->expandable_segments);
}

/* Ask what would be under another setting. */
static void ask(const struct la_program *program, unsigned int which,
		const struct la_limit *limit)
{
	struct la_setting *setting = parse(settings[which %
						    ARRAY_SIZE(settings)]);
	const struct la_replay_options options = {
		.setting = la_setting_values(setting),
		.limit = *limit,
	};

	if (which / ARRAY_SIZE(settings) % 2)
		ask_layouts(program, &options);
	else
		ask_minimum(program, &options);
	la_setting_free(setting);
}

/* Were there private pools that the events do not tell of? */
static bool hides_pools(const struct snapshot *snapshot)
{
	size_t i = 0;

	while (i < snapshot->event_count && !snapshot->event[i].pool)
		i++;
	return i < snapshot->event_count && !snapshot->pool_id;
}

static void check_program(const struct snapshot *snapshot,
			  const struct la_program *program, enum damage damage)
{
	const struct la_program_info *info = la_program_info(program);
	struct la_verification found;

	check_info(info, snapshot->event_count);
	assert(!la_program_verify(program, &found, NULL));
	check_verification(&found);
	check_exact(snapshot, program, &found);
	if (damage == WHOLE && !hides_pools(snapshot))
		assert(found.exact && !info->window && !info->unsure_count);
	if (damage == LATE && !hides_pools(snapshot) &&
	    !info->change_count &&
	    !la_program_setting(program)->garbage_collection_threshold)
		assert(info->understood == info->event_count &&
		       !info->adopted_count);
}

static void check_picture(const struct la_recording *recording)
{
	const struct la_picture_part *total;
	struct la_picture picture;

	assert(!la_recording_picture(recording, 0, &picture));
	total = &picture.total;
	assert(total->live + total->pending + total->holes.bytes ==
	       total->reserved);
	la_picture_release(&picture);
}

static void check_rows(const struct la_program *program,
		       const struct la_facts *facts)
{
	const struct la_remedies_options options = { .whole = program };
	struct la_trial *trial;
	size_t count, i;

	if (la_program_info(program)->event_count > EVENTS_REMEDIED)
		return;
	assert(!la_remedies_replay(&trial, &count, program, facts, &options,
				   NULL));
	assert(trial[0].current && trial[0].past != LA_PAST_PAST);
	if (facts->exact)
		assert(trial[0].past == LA_PAST_STUCK);
	for (i = 0; i < count; i++)
		assert(!trial[i].worse || trial[i].past == LA_PAST_STUCK);
	la_trials_free(trial, count);
}

/* Facts are within their bounds, and exact sums are right; program may be
 * NULL. */
static void check_facts(const struct la_recording *recording,
			const struct la_program *program)
{
	struct la_facts facts;
	int ret = la_facts_of_recording(&facts, recording, 0, program, NULL), i;
	const struct la_amount *amount = facts.amount;

	assert(!ret || ret == -ENOENT);
	for (i = 0; i < LA_AMOUNT_COUNT; i++)
		assert(amount[i].low <= amount[i].high);
	if (facts.exact)
		assert(amount[LA_AMOUNT_RESERVED].low ==
		       amount[LA_AMOUNT_ALLOCATED].low +
			       amount[LA_AMOUNT_UNALLOCATED].low +
			       amount[LA_AMOUNT_PRIVATE].low);
	if (!ret && program)
		check_rows(program, &facts);
	la_facts_release(&facts);
}

/* Reading ends soon, whatever the recording is. */
static int read_program(struct la_program **out,
			const struct la_recording *recording,
			const struct la_program_options *options)
{
	clock_t begin = clock();
	int ret = la_program_new(out, recording, 0, options, NULL);

	assert(clock() - begin < SECONDS_MAX * CLOCKS_PER_SEC);
	return ret;
}

/* Read a snapshot under what was in force, then knowing less. */
static void read_snapshot(const struct snapshot *snapshot,
			  const struct la_program_options *known,
			  enum damage damage)
{
	struct la_recording *recording;
	struct la_program *program = NULL;
	struct la_error err;
	size_t size;
	uint8_t *pickle = snapshot_pickle(snapshot, &size);
	int ret = la_recording_read(&recording, pickle, size, NULL, &err);

	free(pickle);
	assert(!ret || damage == DAMAGED);
	if (ret < 0)
		return;
	check_picture(recording);
	check_facts(recording, NULL);
	ret = read_program(&program, recording, known);
	assert(!ret || damage == DAMAGED);
	if (!ret) {
		check_program(snapshot, program, damage);
		ask(program, (unsigned int)size, known->limit);
		la_program_free(program);
	}
	ret = read_program(&program, recording, NULL);
	assert(!ret || damage == DAMAGED);
	if (!ret) {
		check_program(snapshot, program, DAMAGED);
		check_facts(recording, program);
		la_program_free(program);
	}
	la_recording_free(recording);
}

/* A recording of nothing that ever ran. */
static void make_noise(struct snapshot *snapshot, struct bytes *bytes)
{
	static const uint64_t base = 0x7f0000000000;
	size_t i;

	snapshot->setting = settings[take(bytes) % ARRAY_SIZE(settings)];
	while (bytes->next < bytes->end &&
	       snapshot->event_count < EVENTS_MOST) {
		struct la_event event = {
			.action = take(bytes) % (LA_OOM + 1),
			.stream = take(bytes) % 3 * 16,
			.size = number(bytes),
		};

		event.addr = base + take(bytes) % 8 * 2 * MIB +
			     take(bytes) % 4 * 512;
		snapshot_add(snapshot, &event);
	}
	snapshot->segment = calloc(2, sizeof(*snapshot->segment));
	snapshot->block = calloc(2, sizeof(*snapshot->block));
	assert(snapshot->segment && snapshot->block);
	snapshot->segment_count = snapshot->block_count =
		snapshot->event_count % 3;
	for (i = 0; i < snapshot->block_count; i++) {
		snapshot->segment[i].addr = base + i * 4 * MIB;
		snapshot->segment[i].size = 2 * MIB;
		snapshot->segment[i].first_block = (uint32_t)i;
		snapshot->segment[i].block_count = 1;
		snapshot->segment[i].small = true;
		snapshot->block[i].size = 2 * MIB;
		snapshot->block[i].state = i ? LA_RECORDED_LIVE :
					       LA_RECORDED_FREE;
	}
}

/* Damage; where events are gone, what was told of later ones moves. */
static enum damage damage_stage(struct stage *stage, struct bytes *bytes)
{
	struct snapshot *snapshot = stage->snapshot;
	size_t count = snapshot->event_count, gone, i;
	enum damage damaged = damage(snapshot, bytes);

	gone = snapshot->event_count < count ? count - snapshot->event_count :
					       0;
	for (i = 0; i < stage->change_count; i++)
		stage->change[i].event -= stage->change[i].event < gone ?
						  stage->change[i].event :
						  gone;
	return damaged;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, data + size }, hurt;
	struct snapshot snapshot = { 0 };
	struct stage stage = {
		.limit = { .kind = LA_LIMIT_CAP, .bytes = 64 * MIB },
	};
	struct la_program_options known = { .limit = &stage.limit };
	enum damage damaged = DAMAGED;

	if (take(&bytes) % 8 == 7) {
		make_noise(&snapshot, &bytes);
	} else {
		stage_open(&stage, &snapshot, &bytes);
		hurt = bytes;
		bytes.next += size > 32 ? 20 : 0;
		while (bytes.next < bytes.end &&
		       snapshot.event_count < EVENTS_MOST)
			step(&stage, &bytes);
		snapshot_take(&snapshot, stage.heap);
		stage_close(&stage);
		known.setting = stage.first;
		known.set_at = stage.change;
		known.set_at_count = stage.change_count;
		known.total = 80 * GIB;
		damaged = damage_stage(&stage, &hurt);
	}
	read_snapshot(&snapshot, &known, damaged);
	snapshot_release(&snapshot);
	return 0;
}
