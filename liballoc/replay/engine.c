// SPDX-License-Identifier: Apache-2.0
/* Playing a program on a fresh heap: la_replay(). */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "replay/answers.h"
#include "replay/chains.h"
#include "replay/meter.h"
#include "replay/oom.h"
#include "replay/program.h"
#include "replay/timed.h"
#include "util/error.h"
#include "util/util.h"

struct player {
	const int *stop; /* borrowed; not 0: ends before the next op */
	const struct la_program *program; /* borrowed */
	const struct la_replay_options *options; /* borrowed */
	struct la_device *device; /* owned */
	struct la_heap *heap; /* owned */
	const struct la_heap_stats *stats; /* of the heap */
	struct held *held; /* owned; by slot */
	struct meter meter; /* hears the heap, if there are costs */
	struct timed *timed; /* policy compact with costs: the device */
	size_t steps; /* of the release policy, that have begun */
	struct la_replay_result *result;
};

static bool is_compact(const struct player *player)
{
	return player->options->policy == LA_HEAP_COMPACT;
}

/* Does the program begin with live blocks alone? */
static bool is_packed(const struct player *player)
{
	return is_compact(player) ||
	       (player->options->start == LA_START_PACKED &&
		!player->options->as_recorded);
}

/* Segments go below those that are there at the start; 0: there are none. */
static uint64_t lowest_segment(const struct player *player)
{
	const struct la_program *program = player->program;
	size_t i;

	for (i = 0; i < program->start_count && !is_packed(player); i++)
		if (!program->start[i].reserved)
			return program->start[i].addr;
	return 0;
}

static int make_device(struct player *player)
{
	const struct la_program *program = player->program;
	const struct la_limit *limit = &player->options->limit;
	uint64_t card = limit->kind == LA_LIMIT_CARD ? limit->bytes :
						       UINT64_MAX;
	size_t i;
	int err;

	if (player->options->as_recorded)
		return device_answers(&player->device, program->answer,
				      program->answer_count);
	err = la_device_sim(&player->device, player->options->layout, card,
			    lowest_segment(player));
	for (i = 0; i < program->start_count && !is_packed(player) && !err;
	     i++) {
		const struct start_segment *start = &program->start[i];

		if (start->reserved)
			err = la_device_sim_hold_reservation(
				player->device, start->addr, start->reserved,
				start->size);
		else
			la_device_sim_hold(player->device, start->addr,
					   start->size);
	}
	return err;
}

/* The meter hears the heap first, and passes on. */
static void connect_meter(struct player *player,
			  struct la_heap_config *config)
{
	const struct la_replay_options *options = player->options;

	player->meter = (struct meter){
		.costs = options->costs,
		.granule = options->setting->large_segment_size,
		.listener = options->listener,
		.listener_data = options->listener_data,
	};
	config->listener = meter_hear;
	config->split_listener = options->split_listener ? meter_split : NULL;
	player->meter.split_listener = options->split_listener;
	config->listener_data = &player->meter;
}

/* Bytes of the card, by which chains are sized; of one of unknown size no
 * fewer than it had.  0: unknown. */
static uint64_t card_of(const struct player *player)
{
	const struct la_program *program = player->program;
	const struct la_limit *limit = &player->options->limit;
	uint64_t card = TOTAL_UNKNOWN;

	if (is_compact(player) && program->info.total)
		return program->info.total;
	if (program->chain_card || player->options->as_recorded)
		return program->chain_card;
	if (program->peak_recorded > card)
		card = program->peak_recorded;
	if (program->full_card != UINT64_MAX && program->full_card > card)
		card = program->full_card;
	if (limit->kind == LA_LIMIT_CARD && limit->bytes > card)
		card = limit->bytes;
	return card;
}

/* Have the time summed up by who knows what is done. */
static int connect_costs(struct player *player, struct la_heap_config *config)
{
	if (!player->options->costs)
		return 0;
	if (!is_compact(player)) {
		connect_meter(player, config);
		return 0;
	}
	player->timed = timed_new(player->device, player->options->costs);
	if (!player->timed)
		return -ENOMEM;
	player->device = &player->timed->device;
	config->device = player->device;
	return 0;
}

/* A fresh heap on a fresh device. */
static int make_heap(struct player *player, struct la_error *err)
{
	const struct la_replay_options *options = player->options;
	struct la_heap_config config = {
		.policy = options->policy,
		.setting = options->setting,
		.cap = options->as_recorded ? player->program->cap :
		       options->limit.kind == LA_LIMIT_CAP ?
					    options->limit.bytes :
					    UINT64_MAX,
		.total = card_of(player),
		.release = options->torch_release && !options->as_recorded ?
				   options->torch_release :
				   player->program->info.release,
		.listener = options->listener,
		.split_listener = options->split_listener,
		.listener_data = options->listener_data,
	};
	int code = make_device(player);

	if (code < 0)
		return la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	config.device = player->device;
	code = connect_costs(player, &config);
	if (code < 0)
		la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	else
		code = la_heap_new(&player->heap, &config, err);
	if (code < 0)
		la_device_destroy(player->device);
	return code;
}

static int fill_heap(struct player *player, la_block *slot)
{
	if (is_packed(player))
		return program_pack(player->program, player->heap, slot);
	return program_load(player->program, player->heap, slot);
}

/* -ENOSPC: what is live at the start does not fit. */
static int load_start(struct player *player)
{
	uint32_t count = player->program->slot_count;
	size_t i;
	la_block *slot = malloc((count + 1) * sizeof(*slot));
	int err;

	player->held = calloc(count + 1, sizeof(*player->held));
	err = slot && player->held ? fill_heap(player, slot) : -ENOMEM;
	for (i = 0; i < player->program->piece_count && !err; i++) {
		const struct start_piece *piece = &player->program->piece[i];
		struct held *held = &player->held[piece->slot];

		if (!is_busy(piece))
			continue;
		held->block = slot[piece->slot];
		held->pool = heap_pool_of(player->heap, held->block);
		held->waits = heap_waits(player->heap, held->pool);
	}
	free(slot);
	return err;
}

static void player_destroy(struct player *player)
{
	free(player->held);
	la_heap_free(player->heap);
	la_device_destroy(player->device);
}

/* Complete a free that waited for other streams. */
static int complete(struct player *player, const struct held *held)
{
	if (held->waits != heap_waits(player->heap, held->pool))
		return 0;
	return la_heap_free_complete(player->heap, held->block);
}

/* Is it the request that the replay is about? */
static bool must_be_served(const struct player *player, const struct op *op)
{
	return op->must ||
	       (uint64_t)op->event + 1 == player->options->event_count;
}

/*
 * A request that failed when recording: does it succeed now?  One that the
 * program did without is not tried on policy compact, which has no cache that
 * it would have flushed.
 */
static int retry_failed(struct player *player, const struct op *op)
{
	bool must = must_be_served(player, op);
	la_block block;
	int err;

	if (!must && is_compact(player))
		return 0;
	err = la_heap_alloc(player->heap, op->size, (int)op->stream, op->pool,
			    &block);

	if (err == -ENOSPC)
		return must ? err : 0;
	if (err < 0 || must)
		return err;
	return la_heap_release(player->heap, block);
}

static int place(struct player *player, const struct op *op)
{
	const struct la_event *event =
		&player->program->event[op->event];
	la_block *block = &player->held[op->slot].block;

	if (!player->options->as_recorded)
		return la_heap_alloc(player->heap, op->size, (int)op->stream,
				     op->pool, block);
	return heap_place(player->heap, event->addr, op->size,
			  (int)op->stream, block);
}

static int drop(struct player *player, const struct op *op)
{
	if (!player->options->as_recorded)
		return 0;
	return heap_drop(player->heap,
			 player->program->event[op->event].addr);
}

static int change_setting(struct player *player, const struct op *op)
{
	const struct change *change = &player->program->change[op->slot];

	if (!player->options->as_recorded && !player->options->with_changes)
		return 0;
	return la_heap_set(player->heap, la_setting_values(change->setting),
			   NULL);
}

static int play_op(struct player *player, const struct op *op)
{
	struct held *held = &player->held[op->slot];

	switch (op->kind) {
	case OP_ALLOC:
		return la_heap_alloc(player->heap, op->size, (int)op->stream,
				     op->pool, &held->block);
	case OP_FREE:
		return la_heap_release(player->heap, held->block);
	case OP_FREE_REQUEST:
		held->pool = heap_pool_of(player->heap, held->block);
		held->waits = heap_waits(player->heap, held->pool);
		la_heap_free_request(player->heap, held->block);
		return 0;
	case OP_FREE_COMPLETE:
		return complete(player, held);
	case OP_FLUSH:
		return la_heap_empty_cache(player->heap);
	case OP_GIVE_UP:
		return la_heap_pool_give_up(player->heap, op->pool);
	case OP_DROP_POOL:
		return la_heap_pool_drop(player->heap, op->pool);
	case OP_FAIL:
		return retry_failed(player, op);
	case OP_SET:
		return change_setting(player, op);
	case OP_PLACE:
		return place(player, op);
	case OP_DROP:
		return drop(player, op);
	}
	return -EINVAL;
}

/* Bytes above which the policy releases, or UINT64_MAX. */
static uint64_t release_bound(const struct player *player)
{
	const struct la_replay_options *options = player->options;
	uint64_t whole = options->limit.kind == LA_LIMIT_NONE ?
				 player->program->info.total :
				 options->limit.bytes;

	if (!whole)
		return UINT64_MAX;
	return (uint64_t)(options->release.ratio * (double)whole);
}

/* Steps begin before this event: does the policy empty the cache? */
static int begin_steps(struct player *player, uint32_t event)
{
	const struct la_release_policy *policy = &player->options->release;
	int err = 0;

	while (player->steps < policy->steps->count &&
	       policy->steps->event[player->steps] <= event && !err) {
		player->steps++;
		if (policy->kind == LA_RELEASE_EVERY ?
			    player->steps % policy->every :
			    player->stats->reserved <= release_bound(player))
			continue;
		player->result->release_count++;
		err = la_heap_empty_cache(player->heap);
	}
	return err;
}

/* The request of an op failed, or there is none: what was held before does
 * not fit. */
static int report_oom(struct player *player, size_t op)
{
	const struct oom_moment moment = {
		.program = player->program,
		.options = player->options,
		.heap = player->heap,
		.held = player->held,
		.op = op,
	};

	player->result->ran = false;
	player->result->oom_event = op < player->program->op_count ?
					    player->program->op[op].event :
					    player->program->info.first_event;
	if (op < player->program->op_count)
		player->result->oom_size = player->program->op[op].size;
	if (!player->options->oom)
		return 0;
	return oom_describe(&moment, player->options->oom);
}

/* Tell who listens what comes next; NULL: the start. */
static void tell_moment(const struct player *player, const struct op *op)
{
	struct la_replay_moment *moment = player->options->moment;
	const uint64_t *id;

	if (!moment)
		return;
	id = player->program->pool[op ? op->pool : LA_DEFAULT_POOL];
	*moment = (struct la_replay_moment){
		.event = op ? op->event : UINT64_MAX,
		.pool = { id[0], id[1] },
	};
}

/* Play up to the end, or to the first request that has to be served and is
 * not; as recorded, such a request may be the one that ended the run. */
static int play(struct player *player)
{
	const struct la_program *program = player->program;
	bool releases = !player->options->as_recorded &&
			player->options->release.kind != LA_RELEASE_NONE;
	uint64_t events = player->options->event_count ?
				  player->options->event_count :
				  UINT64_MAX;
	size_t i;
	int err;

	for (i = 0; i < program->op_count; i++) {
		const struct op *op = &program->op[i];

		if (op->event >= events || *player->stop)
			break;
		tell_moment(player, op);
		err = releases ? begin_steps(player, op->event) : 0;
		if (!err)
			err = play_op(player, op);
		if (!err)
			continue;
		if (err == -ENOSPC)
			err = report_oom(player, i);
		if (err < 0)
			return err;
		if (!(player->options->as_recorded && op->kind == OP_FAIL))
			break;
	}
	return 0;
}

/* Make what the program begins with fit the limit: free segments are given
 * back.  If that is not enough, the replay ends before its first event. */
static int fit_start(struct player *player)
{
	const struct la_limit *limit = &player->options->limit;
	int err;

	if (player->options->as_recorded || is_compact(player) ||
	    limit->kind == LA_LIMIT_NONE ||
	    player->stats->reserved <= limit->bytes)
		return 0;
	err = heap_trim(player->heap);
	if (err < 0)
		return err;
	if (player->stats->reserved <= limit->bytes)
		return 0;
	return report_oom(player, player->program->op_count);
}

static struct la_device_operations
operations_of(const struct la_heap_stats *stats)
{
	return (struct la_device_operations){
		.mallocs = stats->device_allocs - stats->device_maps,
		.frees = stats->device_frees - stats->device_unmaps,
		.maps = stats->device_maps,
		.unmaps = stats->device_unmaps,
		.synchronisations = stats->syncs,
		.creates = stats->creates,
		.releases = stats->releases,
		.waits = stats->waits,
		.stalls = stats->stalls,
	};
}

/* The estimate of time, in microseconds. */
static double time_of(const struct player *player)
{
	const struct la_heap_stats *stats = player->stats;
	const struct timed *timed = player->timed;

	if (!timed)
		return player->meter.time;
	return timed->first + timed->later +
	       timed->costs->order * (double)stats->waits +
	       timed->costs->wait * (double)(stats->stalls + stats->retries);
}

static int replay(const int *stop, const struct la_program *program,
		  const struct la_replay_options *options,
		  struct la_replay_result *result, struct la_error *err)
{
	struct player player = {
		.stop = stop,
		.program = program,
		.options = options,
		.result = result,
	};
	int code;

	*result = (struct la_replay_result){ .ran = true };
	tell_moment(&player, NULL);
	code = make_heap(&player, err);
	if (code < 0)
		return code;
	player.stats = la_heap_stats(player.heap);
	code = load_start(&player);
	if (code == -ENOSPC)
		code = report_oom(&player, program->op_count);
	else if (!code)
		code = fit_start(&player);
	if (!code && result->ran)
		code = play(&player);
	result->stats = *player.stats;
	result->operations = operations_of(player.stats);
	result->seconds = time_of(&player) * 1e-6;
	if (player.timed)
		result->first_touch_seconds = player.timed->first * 1e-6;
	if (code < 0)
		la_error_set(err, code, LA_NO_OFFSET, "the replay failed: %s",
			     code == -ENOMEM ? "out of memory" :
					       "it left the recording");
	player_destroy(&player);
	return code;
}

int replay_until(const int *stop, const struct la_program *program,
		 const struct la_replay_options *options,
		 struct la_replay_result *result, struct la_error *err)
{
	struct la_program chained;
	int code;

	if (options->policy == LA_HEAP_COMPACT && options->as_recorded)
		return la_error_set(err, -EINVAL, LA_NO_OFFSET,
				    "recorded by another policy");
	if (options->start != LA_START_CHAINED || options->as_recorded ||
	    options->policy == LA_HEAP_COMPACT)
		return replay(stop, program, options, result, err);
	code = program_chain(&chained, program,
			     options->setting->large_segment_size);
	if (code < 0)
		la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	else
		code = replay(stop, &chained, options, result, err);
	free(chained.start);
	free(chained.piece);
	return code;
}

LA_EXPORT int la_replay(const struct la_program *program,
			const struct la_replay_options *options,
			struct la_replay_result *result, struct la_error *err)
{
	static const int never;

	return replay_until(&never, program, options, result, err);
}
