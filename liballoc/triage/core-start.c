// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "triage/core-start.h"
#include "util/array.h"

enum {
	WORD = 8, /* bytes of a pointer */
	/* The kernel lets arguments and environment have 6 MiB at most */
	BEFORE = 8 << 20,
	AUXV_PART = 64 /* bytes of the vector by which it is recognised */
};

int la_core_start_expect(struct la_core_start *start,
			 const struct la_core *core,
			 const struct la_core_segment *segment)
{
	uint64_t end = core->start_end, addr = segment->addr;

	if (start->data || core->auxv_size < AUXV_PART || end <= addr ||
	    end - addr > segment->size)
		return 0;
	if (end - addr > BEFORE)
		addr = end - BEFORE;
	start->data = calloc(1, (size_t)(end - addr));
	if (!start->data)
		return -ENOMEM;
	start->addr = addr;
	start->size = (size_t)(end - addr);
	return 0;
}

void la_core_start_feed(struct la_core_start *start, uint64_t addr,
			const uint8_t *data, size_t size)
{
	if (!start->data || addr >= start->addr + start->size ||
	    addr + size <= start->addr)
		return;
	if (addr < start->addr) {
		data += start->addr - addr;
		size -= (size_t)(start->addr - addr);
		addr = start->addr;
	}
	if (size > start->addr + start->size - addr)
		size = (size_t)(start->addr + start->size - addr);
	memcpy(start->data + (addr - start->addr), data, size);
}

static uint64_t word(const struct la_core_start *start, size_t at)
{
	return la_core_u64(start->data + at);
}

static bool holds(const struct la_core_start *start, uint64_t addr)
{
	return addr >= start->addr && addr - start->addr < start->size;
}

/* Where the array of pointers begins that ends before a place; 0: nowhere. */
static size_t pointers_begin(const struct la_core_start *start, size_t end)
{
	size_t at = end;

	while (at >= WORD && holds(start, word(start, at - WORD)))
		at -= WORD;
	return at >= WORD && !word(start, at - WORD) ? at : 0;
}

/* Pointers of a damaged core may all point to one long string. */
static int add_variables(const struct la_core_start *start, size_t from,
			 size_t to, struct la_core *core)
{
	size_t room = start->size;
	int ret = 0;

	for (; from < to && ret == 0; from += WORD) {
		size_t at = (size_t)(word(start, from) - start->addr);
		const char *text = (const char *)start->data + at;
		size_t length = strnlen(text, start->size - at);
		const char *name = memchr(text, '=', length);

		if (length >= room)
			break;
		room -= length;
		if (length < start->size - at && name && name > text)
			ret = la_core_add_variable(core, text, length);
	}
	return ret;
}

/*
 * At the start the stack holds, upwards: the pointers to the arguments, 0,
 * those to the environment, 0, the auxiliary vector, and the strings.  The
 * highest copy of the vector is the one.
 */
int la_core_start_read(const struct la_core_start *start, struct la_core *core)
{
	size_t at = start->size, first, from;

	if (!start->data)
		return 0;
	/* Words are aligned in the process. */
	first = (size_t)(-start->addr % WORD);
	if (at < first + AUXV_PART)
		return 0;
	at -= (at - first) % WORD + AUXV_PART;
	while (at >= first + 2 * WORD &&
	       (memcmp(start->data + at, core->auxv, AUXV_PART) != 0 ||
		word(start, at - WORD)))
		at -= WORD;
	if (at < first + 2 * WORD)
		return 0;
	from = pointers_begin(start, at - WORD);
	return from ? add_variables(start, from, at - WORD, core) : 0;
}
