// SPDX-License-Identifier: Apache-2.0
/*
 * PyTorch's caching allocators.
 *
 *	F0	until 0.4: a bare CUDA error; F0-init: of the generator's
 *		state, a program's first allocation
 *	F1	1.0 to 1.3: "cached" is cached and not in use
 *	F2	1.4 to 1.9, F3 with advice until 2.0: "reserved in total"
 *	F4	2.1: "capacty"
 *	F5	2.2 to 2.9, F6 2.10, F7 later: told apart by their advice
 *	F8	expandable segments are on, and the advice says so
 *	F9	refused ahead of any call by the cap
 *	F10	more than 1 EB
 *	liballoc, liballoc-compact	of liballoc's plug-in, by its policy
 *	log-2.13	a warning: the device refused, a retry may follow
 *	xpu-block	Intel: larger than one block may be
 */
#include <limits.h>
#include <string.h>

#include <liballoc/setting.h>

#include "triage/facts.h"
#include "triage/message.h"

enum {
	SEEN_ANCHOR = 1 << 0, /* "CUDA out of memory" */
	SEEN_OLD = 1 << 1, /* F1 to F3: sizes in parentheses */
	SEEN_CACHED = 1 << 2,
	SEEN_RESERVED = 1 << 3,
	SEEN_CAPACTY = 1 << 4,
	SEEN_CAPACITY = 1 << 5,
	SEEN_SPLIT = 1 << 6, /* advice: max_split_size_mb */
	SEEN_EXPANDABLE = 1 << 7, /* advice: PYTORCH_CUDA_ALLOC_CONF=exp... */
	SEEN_ALLOC_CONF = 1 << 8, /* the same: PYTORCH_ALLOC_CONF */
	SEEN_NEW_PAGE = 1 << 9, /* docs.pytorch.org */
	SEEN_IS_ON = 1 << 10, /* expandable segments are */
	SEEN_REJECTED = 1 << 11,
	SEEN_EXABYTE = 1 << 12,
	SEEN_NEW = 1 << 13, /* F4 and later: whole sentences */
	SEEN_TRIED = 1 << 14,
	SEEN_DONE = 1 << 15, /* the last amount */
	SEEN_PLUGIN = 1 << 16, /* liballoc's own sentence */
	SEEN_COMPACT = 1 << 17, /* and its policy */
	HINT_SPLIT = SEEN_SPLIT | LA_SEEN_HINT,
	HINT_PAGE = SEEN_NEW_PAGE | LA_SEEN_HINT,
	OLD_DONE = SEEN_OLD | SEEN_DONE,
	NEW_DONE = SEEN_NEW | SEEN_DONE,
};

static const struct la_beginning starts[] = {
	{ "CUDA out of memory", .seen = SEEN_ANCHOR },
	{ "HIP out of memory", .seen = SEEN_ANCHOR, .backend = "hip" },
	{ "XPU out of memory", .seen = SEEN_ANCHOR, .backend = "xpu" },
	{ "NPU out of memory", .seen = SEEN_ANCHOR, .backend = "npu" },
	{ "Tried to allocate more than 1EB memory", .seen = SEEN_EXABYTE },
	{ "Tried to allocate %s", .seen = SEEN_TRIED },
	{ "(GPU %d; %t total capacity;", .seen = SEEN_OLD },
	{ "(NPU %d; %t total capacity;", .seen = SEEN_OLD, .backend = "npu" },
	{ "%t total capacity;", .seen = SEEN_OLD },
	{ "%a already allocated;", .seen = SEEN_OLD },
	{ "%v reserved in total by PyTorch", .seen = SEEN_RESERVED | OLD_DONE },
	{ "GPU %d has a total capacity of %t", .seen = SEEN_CAPACITY },
	{ "GPU %d has a total capacty of %t", .seen = SEEN_CAPACTY },
	{ "NPU %d has a total capacity of %t", .seen = SEEN_CAPACITY,
	  .backend = "npu" },
	{ "this process has %m memory in use", .seen = SEEN_NEW },
	{ "%l allowed; Of the allocated memory", .seen = SEEN_NEW },
	{ "%a is allocated by PyTorch", .seen = SEEN_NEW },
	{ "%u is reserved by PyTorch but unallocated", .seen = NEW_DONE },
	{ .pattern = NULL },
};

static const struct la_clause clauses[] = {
	{ "Tried to allocate more than 1EB memory", SEEN_EXABYTE },
	{ "Tried to allocate %s", SEEN_TRIED },
	{ "Allocation was preemptively rejected because it would exceed",
	  SEEN_REJECTED },
	{ "Requested size: %r", SEEN_DONE },
	{ "(GPU %d;", SEEN_OLD },
	{ "(NPU %d;", SEEN_OLD },
	{ "%t total capacity", SEEN_OLD },
	{ "%a already allocated", SEEN_OLD },
	{ "%f free;", SEEN_OLD },
	{ "%u cached)", SEEN_CACHED | OLD_DONE },
	{ "%l allowed;", 0 },
	{ "%v reserved in total by PyTorch", SEEN_RESERVED | OLD_DONE },
	{ "GPU %d has a total capacity of %t", SEEN_CAPACITY },
	{ "GPU %d has a total capacty of %t", SEEN_CAPACTY },
	{ "NPU %d has a total capacity of %t", SEEN_CAPACITY },
	{ "of which %f is free", SEEN_NEW },
	{ "Process %P has %M memory in use", SEEN_NEW },
	{ "Process has %M in use", SEEN_NEW },
	{ "this process has %m memory in use", SEEN_NEW },
	{ "%a is allocated by PyTorch", SEEN_NEW },
	{ "with %p allocated in private pools", SEEN_NEW },
	{ "%u is reserved by PyTorch but unallocated", NEW_DONE },
	{ "liballoc (policy torch)", SEEN_PLUGIN },
	{ "liballoc (policy compact)", SEEN_PLUGIN | SEEN_COMPACT },
	{ "try setting max_split_size_mb", HINT_SPLIT },
	{ "try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments",
	  SEEN_EXPANDABLE | LA_SEEN_HINT },
	{ "try setting PYTORCH_HIP_ALLOC_CONF=expandable_segments",
	  SEEN_EXPANDABLE | LA_SEEN_HINT },
	{ "try setting PYTORCH_ALLOC_CONF=expandable_segments",
	  SEEN_ALLOC_CONF | LA_SEEN_HINT },
	{ "(https://docs.pytorch.org/", HINT_PAGE },
	{ "See documentation for Memory Management", LA_SEEN_HINT },
	{ "expandable_segments is enabled", SEEN_IS_ON },
	{ "exceeds the expandable-segment reserve of", SEEN_IS_ON },
	{ NULL, 0 },
};

/* What tells forms apart, the first that applies; the releases with it. */
static const struct form {
	unsigned int seen;
	const char *name;
	unsigned int first, last;
} forms[] = {
	{ SEEN_COMPACT, "liballoc-compact", LA_RELEASE(2, 4), UINT_MAX },
	{ SEEN_PLUGIN, "liballoc", LA_RELEASE(2, 4), UINT_MAX },
	{ SEEN_EXABYTE, "F10", LA_RELEASE(1, 0), UINT_MAX },
	{ SEEN_REJECTED, "F9", LA_RELEASE(2, 12), UINT_MAX },
	{ SEEN_IS_ON, "F8", LA_RELEASE(2, 12), UINT_MAX },
	{ SEEN_CACHED, "F1", LA_RELEASE(1, 0), LA_RELEASE(1, 3) },
	{ SEEN_CAPACTY, "F4", LA_RELEASE(2, 1), LA_RELEASE(2, 1) },
	{ SEEN_OLD | SEEN_SPLIT, "F3", LA_RELEASE(1, 9), LA_RELEASE(2, 0) },
	{ SEEN_OLD, "F2", LA_RELEASE(1, 4), LA_RELEASE(2, 0) },
	{ SEEN_ALLOC_CONF, "F6", LA_RELEASE(2, 10), LA_RELEASE(2, 11) },
	{ SEEN_EXPANDABLE | SEEN_NEW_PAGE, "F7", LA_RELEASE(2, 8), UINT_MAX },
	{ SEEN_EXPANDABLE, "F5", LA_RELEASE(2, 2), LA_RELEASE(2, 9) },
	{ SEEN_SPLIT, "F4", LA_RELEASE(2, 1), LA_RELEASE(2, 1) },
	{ 0, "F5", LA_RELEASE(1, 0), UINT_MAX },
};

static bool comes_from(const struct la_message *m, const char *backend)
{
	return strcmp(m->facts.backend, backend) == 0;
}

/* The exception's name came in 1.13 and moved in 2.5. */
static void bound_by_exception(struct la_facts *facts,
			       const struct la_message *m)
{
	unsigned int first = 0, last = UINT_MAX;

	if (la_message_raised(m, "torch.OutOfMemoryError")) {
		first = LA_RELEASE(2, 5);
	} else if (la_message_raised(m, "torch.cuda.OutOfMemoryError")) {
		first = LA_RELEASE(1, 13);
		last = LA_RELEASE(2, 4);
	} else if (la_message_raised(m, "RuntimeError")) {
		last = LA_RELEASE(1, 12);
	}
	la_facts_bound_release(facts, first, last);
}

static void name_form(struct la_message *m)
{
	const struct form *form = forms;

	while ((form->seen & m->seen) != form->seen)
		form++;
	m->facts.form = form->name;
	if (!comes_from(m, "cuda") && !comes_from(m, "hip"))
		return;
	m->facts.release[0] = form->first;
	m->facts.release[1] = form->last;
	if (form->seen == 0 && (m->seen & (SEEN_CAPACITY | SEEN_NEW)))
		m->facts.release[0] = LA_RELEASE(2, 1);
	bound_by_exception(&m->facts, m);
}

/* Live bytes are what it says less the free bytes of private pools. */
static void part_private(struct la_facts *facts)
{
	struct la_amount *live = &facts->amount[LA_AMOUNT_ALLOCATED];
	const struct la_amount *apart = &facts->amount[LA_AMOUNT_PRIVATE];

	if (live->basis == LA_BASIS_NONE || apart->basis == LA_BASIS_NONE)
		return;
	live->low = live->low > apart->high ? live->low - apart->high : 0;
	live->high = live->high > apart->low ? live->high - apart->low : 0;
}

static size_t known_amounts(const struct la_message *m)
{
	size_t i, count = 0;

	for (i = 0; i < LA_AMOUNT_COUNT; i++)
		count += la_message_knows(m, (enum la_amount_id)i);
	return count;
}

/* Prose says such things too; a message says who, how much or of what. */
static bool is_told(const struct la_message *m)
{
	if (m->seen & (SEEN_EXABYTE | SEEN_REJECTED))
		return m->seen & SEEN_ANCHOR || m->exception.length > 0;
	if (m->started->seen & SEEN_ANCHOR)
		return la_message_knows(m, LA_AMOUNT_SEGMENT) ||
		       la_message_knows(m, LA_AMOUNT_TOTAL) ||
		       m->exception.length > 0;
	if (m->started->seen & SEEN_TRIED)
		return la_message_raised(m, "OutOfMemoryError") ||
		       la_message_knows(m, LA_AMOUNT_TOTAL);
	return la_message_knows(m, LA_AMOUNT_TOTAL) || known_amounts(m) > 1;
}

static bool finish(struct la_message *m)
{
	if (!is_told(m))
		return false;
	name_form(m);
	if (m->seen & SEEN_REJECTED)
		m->facts.kind = LA_OOM_CAP;
	if (m->seen & SEEN_EXABYTE)
		m->facts.kind = LA_OOM_ABSURD;
	m->facts.truncated = !(m->seen & (SEEN_DONE | SEEN_EXABYTE));
	part_private(&m->facts);
	return true;
}

static const struct la_grammar caching = {
	.framework = "pytorch",
	.backend = "cuda",
	.kind = LA_OOM_CACHING,
	.units = true,
	.start = starts,
	.clause = clauses,
	.finish = finish,
};

static const struct la_beginning oldest_starts[] = {
	{ "THCudaCheck FAIL file=%w line=%n error=2 : out of memory",
	  .form = "F0", .flags = LA_BEGIN_DETAIL },
	{ "cuda runtime error (2) : out of memory", .form = "F0" },
	{ "out of memory cuda runtime error (2)", .form = "F0" },
	{ "cuda runtime error (2)", .form = "F0" },
	{ .pattern = NULL },
};

static const struct la_clause oldest_clauses[] = {
	{ "at %w", 0 },
	{ NULL, 0 },
};

static bool contains(const struct la_message *m, const char *word)
{
	size_t length = strlen(word), i;

	for (i = m->body; i + length <= m->last; i++)
		if (memcmp(m->text->data + i, word, length) == 0)
			return true;
	return false;
}

static bool finish_oldest(struct la_message *m)
{
	m->facts.release[1] = LA_RELEASE(0, 4);
	if (contains(m, "THCTensorRandom"))
		m->facts.form = "F0-init";
	if (contains(m, "cutorch"))
		m->facts.framework = "torch7";
	return true;
}

static const struct la_grammar oldest = {
	.framework = "pytorch",
	.backend = "cuda",
	.kind = LA_OOM_CACHING,
	.start = oldest_starts,
	.clause = oldest_clauses,
	.finish = finish_oldest,
};

static const struct la_beginning warning_starts[] = {
	{ "memory allocation failed with OOM on device %d while trying to "
	  "allocate %s",
	  .form = "log-2.13" },
	{ .pattern = NULL },
};

static const struct la_clause warning_clauses[] = {
	{ "(free: %f, total: %t)", 0 },
	{ NULL, 0 },
};

static bool finish_warning(struct la_message *m)
{
	m->facts.release[0] = LA_RELEASE(2, 13);
	return true;
}

static const struct la_grammar warning = {
	.framework = "pytorch",
	.backend = "cuda",
	.kind = LA_OOM_HARMLESS,
	.start = warning_starts,
	.clause = warning_clauses,
	.finish = finish_warning,
};

static const struct la_beginning block_starts[] = {
	{ "can NOT allocate memory block with size larger than %z!",
	  .form = "xpu-block" },
	{ .pattern = NULL },
};

static const struct la_grammar block = {
	.framework = "pytorch",
	.backend = "xpu",
	.kind = LA_OOM_CALL,
	.units = true,
	.start = block_starts,
	.clause = clauses,
};

const struct la_grammar *const la_torch_grammars[] = {
	&block, &caching, &oldest, &warning, NULL,
};
