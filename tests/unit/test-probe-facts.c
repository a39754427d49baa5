// SPDX-License-Identifier: Apache-2.0
/* Verdicts on what the driver was asked: one episode for each cause, on a card
 * of 80 GiB, with numbers as the driver and NVML give them. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

#include "support/probe-file.h"
#include "util/util.h"

static struct probe_file file;
static struct la_probe *probe;
static struct la_facts facts;
static struct la_verdict verdict;

static void setup(void)
{
	probe_file_init(&file);
	file.header.view[LA_PROBE_ALLOCATOR].from = 0;
	probe = NULL;
	memset(&facts, 0, sizeof(facts));
}

static void teardown(void)
{
	la_facts_release(&facts);
	la_probe_free(probe);
	probe_file_release(&file);
}

static void read_facts(void)
{
	size_t size;
	uint8_t *data = probe_file_bytes(&file, &size);

	ck_assert_int_eq(la_probe_read(&probe, data, size, NULL), 0);
	free(data);
	ck_assert_int_eq(la_facts_of_probe(&facts, probe, 0, NULL), 0);
}

static void judge(void)
{
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
}

static void expect(enum la_cause cause, enum la_grade grade)
{
	ck_assert_str_eq(la_cause_name(verdict.cause), la_cause_name(cause));
	ck_assert_str_eq(la_grade_name(verdict.grade), la_grade_name(grade));
}

static bool contributes(enum la_cause cause)
{
	size_t i;

	for (i = 0; i < verdict.contributing_count; i++)
		if (verdict.contributing[i] == cause)
			return true;
	return false;
}

/* In GiB; process 0: NVML was not asked; context 0: it was not measured. */
static const struct episode {
	enum la_probe_op op;
	double size, free, device, process, others, context;
	double pool_reserved, pool_used;
	enum la_cause cause;
	enum la_grade grade;
} episodes[] = {
	/* Larger than the card, and than what a context leaves of it. */
	{ LA_PROBE_OP_ALLOC, 100, 79, 0, .5, 0, .5, 0, 0,
	  LA_CAUSE_REQUEST_TOO_LARGE, LA_GRADE_PROVEN },
	{ LA_PROBE_OP_ALLOC, 79.9, 79, 0, .5, 0, .5, 0, 0,
	  LA_CAUSE_REQUEST_TOO_LARGE, LA_GRADE_STRONG },
	{ LA_PROBE_OP_ALLOC, 9000, 79, 0, .5, 0, .5, 0, 0,
	  LA_CAUSE_ABSURD_SIZE, LA_GRADE_PROVEN },
	/* Other processes, with all of the card accounted for; with 5 GiB that
	 * nobody holds; and without NVML. */
	{ LA_PROBE_OP_ALLOC, 4, 1, 10, 10.5, 68.5, .5, 0, 0,
	  LA_CAUSE_OTHER_PROCESS, LA_GRADE_PROVEN },
	{ LA_PROBE_OP_ALLOC, 4, 1, 10, 10.5, 63.5, .5, 0, 0,
	  LA_CAUSE_OTHER_PROCESS, LA_GRADE_CONSISTENT },
	{ LA_PROBE_OP_ALLOC, 4, 1, 10, 0, 0, .5, 0, 0,
	  LA_CAUSE_OTHER_PROCESS, LA_GRADE_CONSISTENT },
	/* Contexts and what libraries hold without a call. */
	{ LA_PROBE_OP_ALLOC, 4, 1, 60, 79, 0, .5, 0, 0,
	  LA_CAUSE_DRIVER_OVERHEAD, LA_GRADE_PROVEN },
	{ LA_PROBE_OP_ALLOC, 4, 1, 60, 74, 0, .5, 0, 0,
	  LA_CAUSE_DRIVER_OVERHEAD, LA_GRADE_CONSISTENT },
	/* The pool of cudaMallocAsync, for itself and for others. */
	{ LA_PROBE_OP_ASYNC_ALLOC, 4, 1, 8, 79, 0, .5, 70.5, 60,
	  LA_CAUSE_POOL_FRAGMENTATION, LA_GRADE_PROVEN },
	{ LA_PROBE_OP_ALLOC, 4, 1, 8, 79, 0, .5, 70.5, 60,
	  LA_CAUSE_OTHER_ALLOCATOR, LA_GRADE_PROVEN },
	{ LA_PROBE_OP_ASYNC_ALLOC, 4, 1, 8, 79, 0, .5, 70.5, 69,
	  LA_CAUSE_CANNOT_TELL, LA_GRADE_UNKNOWN },
	/* Told by the call. */
	{ LA_PROBE_OP_HOST_ALLOC, 4, 79, 0, .5, 0, .5, 0, 0,
	  LA_CAUSE_HOST_PINNED, LA_GRADE_STRONG },
	{ LA_PROBE_OP_HOST_REGISTER, 4, 79, 0, .5, 0, .5, 0, 0,
	  LA_CAUSE_HOST_PINNED, LA_GRADE_STRONG },
	{ LA_PROBE_OP_RESERVE, 4, 79, 0, .5, 0, .5, 0, 0,
	  LA_CAUSE_VA_EXHAUSTED, LA_GRADE_STRONG },
	/* Enough was free. */
	{ LA_PROBE_OP_ALLOC, 4, 30, 49, 49.5, 0, .5, 0, 0,
	  LA_CAUSE_DRIVER_FRAGMENTATION_OR_LIMIT, LA_GRADE_STRONG },
	/* The process holds it all: only its allocator could tell more. */
	{ LA_PROBE_OP_ALLOC, 4, 1, 78.5, 79, 0, .5, 0, 0,
	  LA_CAUSE_CANNOT_TELL, LA_GRADE_UNKNOWN },
	{ LA_PROBE_OP_ALLOC, 4, 1, 78, 0, 0, .5, 0, 0,
	  LA_CAUSE_CANNOT_TELL, LA_GRADE_UNKNOWN },
	/* One piece of an expandable segment: how many more are wanted, the
	 * driver is not told. */
	{ LA_PROBE_OP_CREATE, .0195, .01, 10, 10.5, 69.49, .5, 0, 0,
	  LA_CAUSE_CANNOT_TELL, LA_GRADE_UNKNOWN },
};

static uint64_t bytes(double gib)
{
	return (uint64_t)(gib * 1024) * MIB;
}

static struct la_probe_oom *add_episode(const struct episode *from)
{
	struct la_probe_oom *oom = probe_file_oom(&file);

	oom->state = LA_PROBE_OOM_EXPIRED;
	oom->closed = oom->time + LA_PROBE_OOM_WAIT;
	oom->call = 243;
	oom->result = 2;
	oom->failures = 1;
	oom->op = from->op;
	oom->size = bytes(from->size);
	oom->free = bytes(from->free);
	oom->free_last = 80 * GIB;
	oom->total = 80 * GIB;
	oom->live[LA_PROBE_KIND_DEVICE] = bytes(from->device);
	oom->live[LA_PROBE_KIND_HOST] = 7 * GIB;
	oom->live[LA_PROBE_KIND_ASYNC] = bytes(from->pool_used);
	oom->live[LA_PROBE_KIND_BLOCK] = 3 * GIB;
	oom->context = bytes(from->context);
	oom->pool_reserved = bytes(from->pool_reserved);
	oom->pool_used = bytes(from->pool_used);
	if (!(from->process > 0))
		return oom;
	oom->process_count = oom->processes = 2;
	oom->process[0] = (struct la_probe_process){ 1, 0,
						     bytes(from->others) };
	oom->process[1] = (struct la_probe_process){ 77, 1,
						     bytes(from->process) };
	oom->nvml_total = 81 * GIB;
	oom->nvml_used = 80 * GIB - bytes(from->free);
	return oom;
}

START_TEST(test_calls_of_the_driver_tell)
{
	const struct episode *episode = &episodes[_i];

	add_episode(episode);
	read_facts();
	judge();
	expect(episode->cause, episode->grade);
	ck_assert_uint_eq(facts.views, 1u << LA_PROBE_DRIVER);
	if (episode->cause != LA_CAUSE_CANNOT_TELL)
		return;
	ck_assert(contributes(LA_CAUSE_CAPACITY));
	ck_assert(contributes(LA_CAUSE_FRAGMENTATION));
}
END_TEST

/* The rows of the ledger sum to the card. */
START_TEST(test_ledger_sums_to_the_card)
{
	int64_t low = 0, high = 0;
	int i;

	if (episodes[_i].op == LA_PROBE_OP_HOST_ALLOC ||
	    episodes[_i].op == LA_PROBE_OP_HOST_REGISTER)
		return;
	add_episode(&episodes[_i]);
	read_facts();
	judge();
	for (i = 0; i < LA_LEDGER_COUNT; i++) {
		if (!verdict.ledger[i].known || i == LA_LEDGER_UNEXPLAINED)
			continue;
		low += verdict.ledger[i].low;
		high += verdict.ledger[i].high;
	}
	ck_assert_int_eq(verdict.ledger[LA_LEDGER_UNEXPLAINED].low,
			 (int64_t)(80 * GIB) - high);
	ck_assert_int_eq(verdict.ledger[LA_LEDGER_UNEXPLAINED].high,
			 (int64_t)(80 * GIB) - low);
}
END_TEST

/* An allocator's report with 78 GiB reserved, of these so many in use. */
static struct la_probe_oom *add_report(double allocated, double request,
				       double free)
{
	const struct episode from = {
		.op = LA_PROBE_OP_ALLOC,
		.size = request,
		.free = .25,
		.device = 78.25,
		.process = 78.75,
		.others = 1.25 - free,
		.context = .5,
	};
	struct la_probe_oom *oom = add_episode(&from);

	file.header.view[LA_PROBE_ALLOCATOR].from = 1;
	oom->state = LA_PROBE_OOM_REPORTED;
	oom->free_last = bytes(free);
	oom->request = bytes(request) - 512;
	oom->allocated = bytes(allocated);
	oom->reserved = 78 * GIB;
	return oom;
}

/* A number of NVML that is less than what the process surely holds would leave
 * its memory to others. */
START_TEST(test_process_below_its_calls_is_not_believed)
{
	struct la_probe_oom *oom = add_report(77, 4, .25);

	oom->process[1].used = 0;
	read_facts();
	judge();
	ck_assert_uint_ge(facts.amount[LA_AMOUNT_PROCESS].low, 78 * GIB);
	ck_assert_uint_le(facts.amount[LA_AMOUNT_OTHERS].high, 2 * GIB);
	ck_assert_int_ne(verdict.cause, LA_CAUSE_OTHER_PROCESS);
}
END_TEST

START_TEST(test_allocator_tells_fragmentation)
{
	add_report(70, 4, 1);
	read_facts();
	judge();
	expect(LA_CAUSE_FRAGMENTATION, LA_GRADE_STRONG);
	ck_assert_uint_eq(facts.views, 1u << LA_PROBE_DRIVER |
					       1u << LA_PROBE_ALLOCATOR);
	/* what PyTorch emptied its cache for counts, and NCCL's 256 MiB */
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_FREE].low, GIB);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_OTHER_ALLOCATORS].low,
			  256 * MIB);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_CONTEXT].low, 768 * MIB);
}
END_TEST

START_TEST(test_allocator_tells_capacity)
{
	add_report(77.9, 4, 1);
	read_facts();
	judge();
	expect(LA_CAUSE_CAPACITY, LA_GRADE_STRONG);
}
END_TEST

/* No call failed: PyTorch refused ahead of it. */
START_TEST(test_cap_is_between_what_was_held_and_asked_for)
{
	struct la_probe_oom *oom = add_report(77.9, 4, 70);

	oom->call = 0;
	oom->op = LA_PROBE_OP_NONE;
	oom->size = 0;
	oom->total = 180 * GIB;
	read_facts();
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_ALLOWED].low, 78 * GIB);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_ALLOWED].high, 82 * GIB - 1);
	judge();
	expect(LA_CAUSE_FRACTION_CAP, LA_GRADE_STRONG);
}
END_TEST

/* NCCL failed: PyTorch's cache might have been given back, or not. */
START_TEST(test_cache_of_torch_may_be_what_a_library_lacks)
{
	const struct episode from = {
		.op = LA_PROBE_OP_ALLOC,
		.size = 4,
		.free = 1,
		.device = 78.5,
		.process = 79,
		.context = .5,
	};
	const struct la_probe_record report = {
		.addr = 1 << 30,
		.size = 512,
		.time = 5,
		.stream = 40 * GIB,
		.other = 70 * GIB,
		.op = LA_PROBE_OP_BLOCK_ALLOC,
	};

	file.header.view[LA_PROBE_ALLOCATOR].from = 1;
	add_episode(&from);
	probe_file_record(&file, LA_PROBE_ALLOCATOR, &report);
	read_facts();
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_OTHER_CACHES].low, 0);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_OTHER_CACHES].high, 30 * GIB);
	judge();
	expect(LA_CAUSE_CANNOT_TELL, LA_GRADE_UNKNOWN);
	ck_assert(contributes(LA_CAUSE_OTHER_ALLOCATOR));
	ck_assert(!contributes(LA_CAUSE_FRAGMENTATION));
}
END_TEST

/* NVML lists what it cannot number, and more than is kept. */
START_TEST(test_processes_without_numbers_leave_bounds)
{
	struct la_probe_oom *oom = add_episode(&episodes[3]);

	oom->process[0].used = UINT64_MAX;
	read_facts();
	ck_assert(facts.processes_unknown);
	ck_assert_uint_eq(facts.process_count, 0);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_OTHERS].low, 0);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_OTHERS].high,
			  79 * GIB - bytes(10.5));
	judge();
	ck_assert_int_ne(verdict.grade, LA_GRADE_PROVEN);
}
END_TEST

START_TEST(test_processes_beyond_those_kept_leave_bounds)
{
	struct la_probe_oom *oom = add_episode(&episodes[4]);

	oom->processes = 40;
	read_facts();
	judge();
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_OTHERS].low, bytes(63.5));
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_OTHERS].high, bytes(68.5));
	expect(LA_CAUSE_OTHER_PROCESS, LA_GRADE_CONSISTENT);
}
END_TEST

START_TEST(test_header_tells_circumstances)
{
	add_episode(&episodes[0]);
	strcpy(file.header.job, "LOCAL_RANK=1 RANK=13 WORLD_SIZE=16");
	strcpy(file.header.torch, "2.11.0+cu130");
	strcpy(file.header.setting, "max_split_size_mb:64");
	read_facts();
	ck_assert_int_eq(facts.rank, 13);
	ck_assert_int_eq(facts.pid, 4711);
	ck_assert_int_eq(facts.device, 0);
	ck_assert_uint_eq(facts.release[0], LA_RELEASE(2, 11));
	ck_assert_uint_eq(facts.release[1], LA_RELEASE(2, 11));
	ck_assert_str_eq(facts.setting, "max_split_size_mb:64");
}
END_TEST

START_TEST(test_episode_that_is_not_there_has_no_facts)
{
	struct la_facts none;

	add_episode(&episodes[0]);
	read_facts();
	ck_assert_int_eq(la_facts_of_probe(&none, probe, 1, NULL), -ENOENT);
}
END_TEST

/* A recording and the driver's level of one file: each has what the other
 * lacks. */
START_TEST(test_facts_of_both_levels_join)
{
	struct la_facts recorded = {
		.kind = LA_OOM_CACHING,
		.device = 0,
		.rank = -1,
		.pid = -1,
		.recorded = true,
		.exact = true,
		.views = 1u << LA_PROBE_ALLOCATOR,
	};

	recorded.amount[LA_AMOUNT_UNALLOCATED] =
		(struct la_amount){ 8 * GIB, 8 * GIB, LA_BASIS_RECORDED, 0 };
	add_report(70, 4, 1);
	read_facts();
	ck_assert_int_eq(la_facts_merge(&recorded, &facts, NULL), 0);
	ck_assert_uint_eq(recorded.views, 1u << LA_PROBE_DRIVER |
						  1u << LA_PROBE_ALLOCATOR);
	ck_assert_uint_eq(recorded.amount[LA_AMOUNT_OTHERS].low,
			  bytes(.25));
	ck_assert_uint_eq(recorded.amount[LA_AMOUNT_UNALLOCATED].low, 8 * GIB);
	la_facts_release(&facts);
	facts = recorded;
	judge();
	expect(LA_CAUSE_FRAGMENTATION, LA_GRADE_STRONG);
}
END_TEST

START_TEST(test_records_win_over_a_replay_that_is_not_exact)
{
	struct la_facts recorded = {
		.kind = LA_OOM_CACHING,
		.recorded = true,
		.exact = _i,
		.views = 1u << LA_PROBE_ALLOCATOR,
	};
	struct la_amount *reserved = &recorded.amount[LA_AMOUNT_RESERVED];

	*reserved = (struct la_amount){ GIB, GIB, LA_BASIS_RECORDED, 0 };
	add_report(70, 4, 1);
	read_facts();
	ck_assert_int_eq(la_facts_merge(&recorded, &facts, NULL), 0);
	ck_assert_uint_eq(reserved->low, _i ? GIB : 78 * GIB);
	la_facts_release(&recorded);
}
END_TEST

/* A file of what the probe would have seen of a snapshot's program, and the
 * facts of the snapshot. */
static void play_snapshot(const char *name, struct la_facts *of_snapshot)
{
	struct la_recording *recording;
	struct la_program *program;
	char path[256];

	snprintf(path, sizeof(path), "tests/data/%s.pickle.xz", name);
	ck_assert_int_eq(la_recording_open(&recording, path, NULL, NULL), 0);
	ck_assert_int_eq(la_program_new(&program, recording, 0, NULL, NULL), 0);
	ck_assert_int_eq(la_facts_of_recording(of_snapshot, recording, 0,
					       program, NULL),
			 0);
	ck_assert(of_snapshot->exact);
	probe_file_play(&file, recording, 0, program);
	la_program_free(program);
	la_recording_free(recording);
}

/* Of one stream. */
static const char *const snapshots[] = {
	"big_random.oom",
	"card",
	"gnn.oom",
	"oom_capacity",
	"oom_fraction",
	"oom_private_pool",
	"remedy-gnn.12.oom",
	"ooms/oom_expandable_card",
	"ooms/oom_graph_pool_card",
	"ooms/oom_fraction_expandable",
};

/* By walking its records: what torch's own snapshot gives by a replay. */
START_TEST(test_moment_is_that_of_the_snapshot)
{
	static const enum la_amount_id ids[] = {
		LA_AMOUNT_RESERVED,    LA_AMOUNT_ALLOCATED,
		LA_AMOUNT_UNALLOCATED, LA_AMOUNT_PRIVATE,
		LA_AMOUNT_LARGEST,     LA_AMOUNT_OWN_FREE,
		LA_AMOUNT_CLASS_FREE,  LA_AMOUNT_PAGES_FREE,
	};
	struct la_facts of_snapshot;
	size_t i;

	play_snapshot(snapshots[_i], &of_snapshot);
	read_facts();
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		const struct la_amount *one = &of_snapshot.amount[ids[i]];
		const struct la_amount *other = &facts.amount[ids[i]];

		ck_assert_int_ne(other->basis, LA_BASIS_NONE);
		ck_assert_uint_eq(other->low, one->low);
		ck_assert_uint_eq(other->high, one->high);
	}
	ck_assert_int_eq(facts.private_request, of_snapshot.private_request);
	la_facts_release(&of_snapshot);
}
END_TEST

/* As the allocator reports it, with what it holds then. */
static void tell(enum la_probe_op op, uint64_t addr, uint64_t size,
		 uint64_t reserved)
{
	static uint64_t allocated;
	struct la_probe_record record = {
		.addr = addr,
		.size = size,
		.other = reserved,
		.op = (uint16_t)op,
	};

	if (file.record_count[LA_PROBE_ALLOCATOR] == 0)
		allocated = 0;
	if (op == LA_PROBE_OP_BLOCK_ALLOC)
		allocated += size;
	else if (op == LA_PROBE_OP_BLOCK_FREE)
		allocated -= size;
	record.stream = allocated;
	probe_file_record(&file, LA_PROBE_ALLOCATOR, &record);
}

/*
 * torch.cuda.graph() as it was recorded on a card: the states of generators
 * lie in a segment of its side stream, which serves nobody else, so that the
 * next small request gets another segment; and the capture's tensors are
 * freed.  Then the card is full, and the program ends.
 */
static void record_capture(void)
{
	const uint64_t side = 32 * MIB, small = 64 * MIB;
	const uint64_t pool = GIB, rest = 4 * GIB;

	probe_file_call(&file, LA_PROBE_OP_ALLOC, side, 2 * MIB);
	tell(LA_PROBE_OP_BLOCK_ALLOC, side, 512, 2 * MIB);
	tell(LA_PROBE_OP_BLOCK_ALLOC, side + 512, 512, 2 * MIB);
	probe_file_call(&file, LA_PROBE_OP_CAPTURE_BEGIN, 0, 0);
	probe_file_call(&file, LA_PROBE_OP_ALLOC, pool, GIB);
	tell(LA_PROBE_OP_BLOCK_ALLOC, pool, GIB, 2 * MIB + GIB);
	tell(LA_PROBE_OP_BLOCK_FREE, pool, GIB, 2 * MIB + GIB);
	probe_file_call(&file, LA_PROBE_OP_CAPTURE_END, 0, 0);
	probe_file_call(&file, LA_PROBE_OP_ALLOC, small, 2 * MIB);
	tell(LA_PROBE_OP_BLOCK_ALLOC, small, MIB, 4 * MIB + GIB);
	probe_file_call(&file, LA_PROBE_OP_ALLOC, rest, 70 * GIB);
	tell(LA_PROBE_OP_BLOCK_ALLOC, rest, 70 * GIB, 4 * MIB + 71 * GIB);
}

static void end_program(void)
{
	struct la_probe_oom *oom = probe_file_oom(&file);

	oom->state = LA_PROBE_OOM_REPORTED;
	oom->op = LA_PROBE_OP_ALLOC;
	oom->call = 243;
	oom->total = 72 * GIB;
	oom->free = oom->free_last = 500 * MIB;
	oom->request = oom->size = 900 * MIB;
	oom->allocated = 70 * GIB + MIB + 1024;
	oom->reserved = 71 * GIB + 4 * MIB;
	tell(LA_PROBE_OP_BLOCK_OOM, 0, 900 * MIB, oom->reserved);
	tell(LA_PROBE_OP_BLOCK_FREE, 4 * GIB, 70 * GIB, oom->reserved);
	probe_file_call(&file, LA_PROBE_OP_FREE, 4 * GIB, 70 * GIB);
}

START_TEST(test_hold_of_a_graph_pool_is_told)
{
	record_capture();
	end_program();
	read_facts();
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_PRIVATE].low, GIB);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_PRIVATE].high, GIB);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_UNALLOCATED].high,
			  3 * MIB - 1024);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_CLASS_FREE].high,
			  3 * MIB - 1024);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_OWN_FREE].high, 0);
	judge();
	expect(LA_CAUSE_GRAPH_POOL_HOLD, LA_GRADE_STRONG);
}
END_TEST

static void read_recording(struct la_recording **recording)
{
	size_t size;
	uint8_t *data = probe_file_bytes(&file, &size);

	ck_assert_int_eq(la_probe_read(&probe, data, size, NULL), 0);
	free(data);
	ck_assert_int_eq(la_probe_recording(recording, probe, NULL), 0);
}

/* The side stream's segment is not the next request's, which most are like. */
START_TEST(test_streams_of_a_capture_are_inferred)
{
	static const uint32_t streams[] = { 1, 1, 1, 0, 0, 0, 0, 0, 0 };
	const struct la_recorded_device *device;
	struct la_recording *recording;
	struct la_verification check;
	struct la_program *program;
	size_t i;

	record_capture();
	tell(LA_PROBE_OP_BLOCK_ALLOC, 65 * MIB, 1024, 4 * MIB + 71 * GIB);
	tell(LA_PROBE_OP_BLOCK_ALLOC, 65 * MIB + 1024, 1024,
	     4 * MIB + 71 * GIB);
	end_program();
	read_recording(&recording);
	device = la_recording_device(recording, 0);
	for (i = 0; i < ARRAY_SIZE(streams); i++)
		ck_assert_uint_eq(device->events[i].stream, streams[i]);
	ck_assert_int_eq(la_program_new(&program, recording, 0, NULL, NULL), 0);
	ck_assert_int_eq(la_program_verify(program, &check, NULL), 0);
	ck_assert(check.exact);
	ck_assert_uint_eq(check.ooms_right, 1);
	la_program_free(program);
	la_recording_free(recording);
}
END_TEST

/* As many free blocks as no program has: it ends, and infers nothing. */
START_TEST(test_streams_are_given_up_where_it_takes_long)
{
	const uint64_t many = 1 << 15, at = 64 * GIB;
	const struct la_recorded_device *device;
	struct la_recording *recording;
	uint64_t i;

	record_capture();
	probe_file_call(&file, LA_PROBE_OP_ALLOC, at, many * 1024);
	for (i = 0; i < 2 * many; i++)
		tell(LA_PROBE_OP_BLOCK_ALLOC, at + i * 512, 512, 0);
	for (i = many; i-- > 0;)
		tell(LA_PROBE_OP_BLOCK_FREE, at + i * 1024, 512, 0);
	read_recording(&recording);
	device = la_recording_device(recording, 0);
	for (i = 0; i < device->event_count; i++)
		ck_assert_uint_eq(device->events[i].stream, 0);
	la_recording_free(recording);
}
END_TEST

/* Records that were lost do not add up to what the allocator said. */
START_TEST(test_moment_that_does_not_add_up_is_not_told)
{
	record_capture();
	end_program();
	file.oom->allocated += MIB;
	file.record[LA_PROBE_ALLOCATOR]
		   [file.record_count[LA_PROBE_ALLOCATOR] - 2].stream =
		file.oom->allocated;
	read_facts();
	ck_assert_int_eq(facts.amount[LA_AMOUNT_PRIVATE].basis, LA_BASIS_NONE);
	ck_assert_int_eq(facts.amount[LA_AMOUNT_OWN_FREE].basis, LA_BASIS_NONE);
}
END_TEST

/* What a replay shows of a probe's recording is no proof. */
START_TEST(test_replay_of_a_probe_is_no_proof)
{
	struct la_trial trial[2] = {
		{ .kind = LA_TRIAL_SETTING, .current = true,
		  .past = LA_PAST_STUCK },
		{ .kind = LA_TRIAL_PACKED, .past = LA_PAST_PAST },
	};

	add_report(70, 4, 1);
	read_facts();
	facts.recorded = facts.exact = true;
	judge();
	la_verdict_prove(&verdict, &facts, trial, 2);
	expect(LA_CAUSE_FRAGMENTATION, LA_GRADE_STRONG);
	facts.views = 0;
	la_verdict_prove(&verdict, &facts, trial, 2);
	expect(LA_CAUSE_FRAGMENTATION, LA_GRADE_PROVEN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe-facts");
	TCase *tests = tcase_create("facts");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, test_calls_of_the_driver_tell, 0,
			    ARRAY_SIZE(episodes));
	tcase_add_loop_test(tests, test_ledger_sums_to_the_card, 0,
			    ARRAY_SIZE(episodes));
	tcase_add_test(tests, test_allocator_tells_fragmentation);
	tcase_add_test(tests, test_allocator_tells_capacity);
	tcase_add_test(tests, test_cap_is_between_what_was_held_and_asked_for);
	tcase_add_test(tests, test_cache_of_torch_may_be_what_a_library_lacks);
	tcase_add_test(tests, test_process_below_its_calls_is_not_believed);
	tcase_add_test(tests, test_processes_without_numbers_leave_bounds);
	tcase_add_test(tests, test_processes_beyond_those_kept_leave_bounds);
	tcase_add_test(tests, test_header_tells_circumstances);
	tcase_add_test(tests, test_episode_that_is_not_there_has_no_facts);
	tcase_add_test(tests, test_facts_of_both_levels_join);
	tcase_add_loop_test(tests,
			    test_records_win_over_a_replay_that_is_not_exact, 0,
			    2);
	tcase_add_loop_test(tests, test_moment_is_that_of_the_snapshot, 0,
			    ARRAY_SIZE(snapshots));
	tcase_add_test(tests, test_hold_of_a_graph_pool_is_told);
	tcase_add_test(tests, test_streams_of_a_capture_are_inferred);
	tcase_add_test(tests, test_streams_are_given_up_where_it_takes_long);
	tcase_add_test(tests, test_moment_that_does_not_add_up_is_not_told);
	tcase_add_test(tests, test_replay_of_a_probe_is_no_proof);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
