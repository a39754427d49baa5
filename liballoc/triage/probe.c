// SPDX-License-Identifier: Apache-2.0
/* The driver's facts of an episode: la_facts_of_probe(). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "triage/amount.h"
#include "triage/moment.h"
#include "triage/recording.h"
#include "util/error.h"
#include "util/segment.h"
#include "util/util.h"

/* What a context, modules and workspaces take at most, where nobody measures
 * it: see causes.c. */
#define CONTEXT_USUAL ((int64_t)(2 * GIB))

/* An episode that facts are made of. */
struct episode {
	const struct la_probe *probe;
	const struct la_probe_header *header;
	const struct la_probe_oom *oom;
	struct la_facts *facts; /* being gathered */
	bool reported; /* PyTorch's allocator gave up */
	struct la_margin held; /* by the driver's calls of this process */
};

static void set_margin(struct la_facts *facts, enum la_amount_id id,
		       struct la_margin value)
{
	enum la_basis basis =
		value.low == value.high ? LA_BASIS_RECORDED : LA_BASIS_DERIVED;

	value = la_margin_not_negative(value);
	if (value.known)
		set_amount(facts, id, (uint64_t)value.low, (uint64_t)value.high,
			   basis);
}

/* Was a level seen when it failed? */
static bool was_seen(const struct episode *episode, enum la_probe_level level)
{
	const struct la_probe_view *view = &episode->header->view[level];
	uint64_t time = episode->oom->time;

	return view->from && view->from <= time &&
	       (!view->until || view->until >= time);
}

static enum la_oom_kind kind_of(const struct episode *episode)
{
	if (episode->reported)
		return LA_OOM_CACHING;
	switch (episode->oom->op) {
	case LA_PROBE_OP_HOST_ALLOC:
	case LA_PROBE_OP_HOST_REGISTER:
		return LA_OOM_PINNED;
	case LA_PROBE_OP_RESERVE:
		return LA_OOM_MAPPING;
	case LA_PROBE_OP_ASYNC_ALLOC:
		return LA_OOM_ASYNC;
	default:
		return LA_OOM_CALL;
	}
}

/* "RANK=3 LOCAL_RANK=1": 3; -1: not told. */
static int64_t rank_of(const char *job)
{
	static const char name[] = "RANK=";
	const char *at = job;

	while ((at = strstr(at, name)) && at > job && at[-1] != ' ')
		at++;
	if (!at || at[sizeof(name) - 1] < '0' || at[sizeof(name) - 1] > '9')
		return -1;
	return strtol(at + sizeof(name) - 1, NULL, 10);
}

static int tell_circumstances(struct episode *episode)
{
	const struct la_probe_header *header = episode->header;
	struct la_facts *facts = episode->facts;
	int known = *header->torch ? la_release_parse(&facts->release[0],
						      header->torch, NULL) :
				     -EINVAL;

	facts->kind = kind_of(episode);
	facts->count = 1;
	facts->device = episode->oom->device;
	facts->rank = rank_of(header->job);
	facts->pid = header->pid ? (int64_t)header->pid : -1;
	facts->release[1] = known ? UINT_MAX : facts->release[0];
	facts->backend = "cuda";
	if (was_seen(episode, LA_PROBE_DRIVER))
		facts->views |= 1u << LA_PROBE_DRIVER;
	if (episode->reported || was_seen(episode, LA_PROBE_ALLOCATOR))
		facts->views |= 1u << LA_PROBE_ALLOCATOR;
	if (facts->views & 1u << LA_PROBE_ALLOCATOR || *header->torch)
		facts->framework = "pytorch";
	if (!*header->setting)
		return 0;
	facts->setting = strdup(header->setting);
	return facts->setting ? 0 : -ENOMEM;
}

/*
 * Expandable segments ask for one piece after the other: the one that failed
 * says what is asked for at least.
 */
static void tell_size(struct episode *episode)
{
	const struct la_probe_oom *oom = episode->oom;
	struct la_facts *facts = episode->facts;

	if (episode->reported)
		set_exact(facts, LA_AMOUNT_REQUEST, oom->request);
	if (episode->reported && oom->op != LA_PROBE_OP_ALLOC)
		set_exact(facts, LA_AMOUNT_SEGMENT,
			  segment_for(oom->request, LARGE_SEGMENT));
	else if (oom->op == LA_PROBE_OP_CREATE && oom->size < oom->total)
		set_amount(facts, LA_AMOUNT_SEGMENT, oom->size, oom->total,
			   LA_BASIS_DERIVED);
	else if (oom->size)
		set_exact(facts, LA_AMOUNT_SEGMENT, oom->size);
	facts->expandable = episode->reported && oom->op == LA_PROBE_OP_CREATE;
}

/* Before it gives up PyTorch's allocator empties its cache, so that what was
 * free in the end counts; so does what a program was told that asked. */
static void tell_card(struct episode *episode)
{
	const struct la_probe_oom *oom = episode->oom;
	struct la_facts *facts = episode->facts;
	const struct la_probe_device *device =
		la_probe_device(episode->probe, oom->device);
	bool last = oom->free_last && oom->state != LA_PROBE_OOM_EXPIRED;
	uint64_t total = oom->total ? oom->total : device->total;

	if (total)
		set_exact(facts, LA_AMOUNT_TOTAL, total);
	if (oom->total)
		set_exact(facts, LA_AMOUNT_FREE,
			  last ? oom->free_last : oom->free);
}

static int64_t live(const struct la_probe_oom *oom, enum la_probe_kind kind)
{
	return la_amount_bound(oom->live[kind]);
}

static int64_t larger(uint64_t a, uint64_t b)
{
	return la_amount_bound(a > b ? a : b);
}

/* Arrays are estimates, and managed memory may be the host's. */
static struct la_margin held_by_calls(const struct la_probe_oom *oom)
{
	struct la_margin held = la_margin_exactly(
		live(oom, LA_PROBE_KIND_DEVICE) +
		live(oom, LA_PROBE_KIND_PHYSICAL) +
		larger(oom->pool_reserved, oom->live[LA_PROBE_KIND_ASYNC]) +
		larger(oom->graph_reserved, oom->live[LA_PROBE_KIND_GRAPH]));

	held.high += live(oom, LA_PROBE_KIND_ARRAY) +
		     live(oom, LA_PROBE_KIND_MANAGED);
	return held;
}

/* What PyTorch's allocator had then: {allocated, reserved}; false: nothing is
 * known of it. */
static bool torch_then(const struct episode *episode, uint64_t bytes[2])
{
	const struct la_probe_oom *oom = episode->oom;
	const struct la_probe_record *record;
	size_t i;

	bytes[0] = oom->allocated;
	bytes[1] = oom->reserved;
	if (episode->reported)
		return true;
	record = la_probe_records(episode->probe, &i);
	while (i-- > 0) {
		if (record[i].time > oom->time ||
		    record[i].device != oom->device ||
		    record[i].op < LA_PROBE_OP_BLOCK_ALLOC ||
		    record[i].op > LA_PROBE_OP_BLOCK_OOM)
			continue;
		bytes[0] = record[i].stream;
		bytes[1] = record[i].other;
		return true;
	}
	return false;
}

/*
 * Whose the process's memory is.  Where a call failed that is not PyTorch's,
 * PyTorch is an allocator among others, and what it keeps unused might have
 * been given back, all or nothing of it.
 */
static void tell_allocators(struct episode *episode)
{
	const struct la_probe_oom *oom = episode->oom;
	struct la_facts *facts = episode->facts;
	uint64_t slack = oom->pool_reserved > oom->pool_used ?
				 oom->pool_reserved - oom->pool_used :
				 0;
	struct la_margin others = episode->held, caches;
	uint64_t torch[2];
	bool known = torch_then(episode, torch);

	caches = la_margin_exactly(la_amount_bound(slack));
	if (known && episode->reported) {
		set_exact(facts, LA_AMOUNT_ALLOCATED, torch[0]);
		set_exact(facts, LA_AMOUNT_RESERVED, torch[1]);
		others.low -= la_amount_bound(torch[1]);
		others.high -= la_amount_bound(torch[1]);
	} else if (known && torch[1] > torch[0]) {
		caches.high += la_amount_bound(torch[1] - torch[0]);
	}
	set_margin(facts, LA_AMOUNT_OTHER_ALLOCATORS, others);
	set_margin(facts, LA_AMOUNT_OTHER_CACHES, caches);
}

/* PyTorch refused ahead of any call: its cap lies between what it held and
 * what that would have become. */
static void tell_cap(struct episode *episode)
{
	const struct la_probe_oom *oom = episode->oom;
	const struct la_amount *segment =
		&episode->facts->amount[LA_AMOUNT_SEGMENT];
	struct la_margin cap;

	if (!episode->reported || oom->call ||
	    !(episode->facts->views & 1u << LA_PROBE_DRIVER) || !segment->low)
		return;
	cap = la_margin_exactly(la_amount_bound(oom->reserved));
	cap.high += la_amount_bound(segment->low) - 1;
	set_margin(episode->facts, LA_AMOUNT_ALLOWED, cap);
}

static bool is_known(const struct la_probe_process *process)
{
	return process->used != UINT64_MAX;
}

/* What NVML has of this process covers what its calls hold; it does not where
 * the driver does not tell (WSL), or where another one was taken for it. */
static bool processes_fit(const struct episode *episode)
{
	const struct la_probe_oom *oom = episode->oom;
	uint32_t i;

	for (i = 0; i < oom->process_count; i++)
		if (oom->process[i].self && is_known(&oom->process[i]))
			return la_amount_bound(oom->process[i].used) >=
			       episode->held.low;
	return oom->process_count;
}

/* Processes that NVML lists; the one that is taken for this one is told
 * apart. */
static int tell_processes(struct episode *episode)
{
	const struct la_probe_oom *oom = episode->oom;
	struct la_facts *facts = episode->facts;
	uint32_t i;

	facts->process = calloc(LA_PROBE_PROCESSES, sizeof(*facts->process));
	if (!facts->process)
		return -ENOMEM;
	for (i = 0; i < oom->process_count; i++) {
		const struct la_probe_process *process = &oom->process[i];
		struct la_process *out;

		if (!is_known(process)) {
			facts->processes_unknown = true;
			continue;
		}
		if (process->self) {
			set_exact(facts, LA_AMOUNT_PROCESS, process->used);
			continue;
		}
		out = &facts->process[facts->process_count++];
		out->pid = process->pid;
		out->memory = (struct la_amount){ process->used, process->used,
						  LA_BASIS_RECORDED, 0 };
	}
	return 0;
}

/* Sum of the processes that are named.  Those that are not, or without a
 * number, may hold what else is used. */
static void tell_others(struct episode *episode)
{
	const struct la_probe_oom *oom = episode->oom;
	struct la_facts *facts = episode->facts;
	struct la_margin sum = la_margin_exactly(0), rest;
	size_t i;

	if (!la_facts_know(facts, LA_AMOUNT_PROCESS))
		return;
	for (i = 0; i < facts->process_count; i++)
		sum.low += la_amount_bound(facts->process[i].memory.low);
	sum.high = sum.low;
	if (facts->processes_unknown || oom->processes > oom->process_count) {
		rest = la_margin_difference(
			la_margin_exactly(la_amount_bound(oom->nvml_used)),
			la_margin_of(facts, LA_AMOUNT_PROCESS));
		if (rest.high > sum.high)
			sum.high = rest.high;
	}
	set_margin(facts, LA_AMOUNT_OTHERS, sum);
}

/* This process beyond PyTorch's allocator, as NVML has it. */
static void tell_context(struct episode *episode)
{
	struct la_facts *facts = episode->facts;

	set_margin(facts, LA_AMOUNT_CONTEXT,
		   la_margin_difference(
			   la_margin_of(facts, LA_AMOUNT_PROCESS),
			   la_margin_or_0(facts, LA_AMOUNT_RESERVED)));
}

/*
 * Without NVML: contexts took at least what they took when they were created;
 * what neither they nor calls hold is theirs too, as far as that is usual, or
 * other processes'.
 */
static void guess_processes(struct episode *episode)
{
	struct la_facts *facts = episode->facts;
	int64_t context = la_amount_bound(episode->oom->context);
	struct la_margin used =
		la_margin_difference(la_margin_of(facts, LA_AMOUNT_TOTAL),
				     la_margin_of(facts, LA_AMOUNT_FREE));
	struct la_margin process, others;

	if (!used.known || !context)
		return;
	process = la_margin_sum(episode->held, la_margin_exactly(context));
	if (process.high < used.high)
		process.high = used.high;
	others = la_margin_difference(used, episode->held);
	others.low -= context + CONTEXT_USUAL;
	others.high -= context;
	set_margin(facts, LA_AMOUNT_PROCESS, process);
	set_margin(facts, LA_AMOUNT_OTHERS, others);
	tell_context(episode);
}

static int gather(struct episode *episode)
{
	int err = tell_circumstances(episode);

	if (err < 0)
		return err;
	tell_size(episode);
	if (episode->facts->kind == LA_OOM_PINNED)
		return 0;
	tell_card(episode);
	tell_allocators(episode);
	tell_cap(episode);
	if (episode->reported)
		err = la_tell_moment(episode->facts, episode->probe,
				     episode->oom);
	if (err < 0)
		return err;
	if (!processes_fit(episode)) {
		guess_processes(episode);
		return 0;
	}
	err = tell_processes(episode);
	if (err < 0)
		return err;
	tell_others(episode);
	tell_context(episode);
	return 0;
}

LA_EXPORT int la_facts_of_probe(struct la_facts *out,
				const struct la_probe *probe, size_t oom,
				struct la_error *err)
{
	struct la_facts facts = { 0 };
	struct episode episode = {
		.probe = probe,
		.header = la_probe_header(probe),
		.facts = &facts,
	};
	const struct la_probe_oom *ooms;
	size_t count;

	ooms = la_probe_ooms(probe, &count);
	if (oom >= count)
		return la_error_set(err, -ENOENT, LA_NO_OFFSET,
				    "there is no such episode");
	episode.oom = &ooms[oom];
	episode.reported = episode.oom->state == LA_PROBE_OOM_REPORTED &&
			   episode.oom->request;
	episode.held = held_by_calls(episode.oom);
	if (gather(&episode) < 0) {
		la_facts_release(&facts);
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	}
	*out = facts;
	return 0;
}
