/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_ROUND_H
#define LA_HEAP_ROUND_H

#include <liballoc/setting.h>

#include "heap/internal.h"

static inline uint64_t round_up(uint64_t size, uint64_t step)
{
	return (size + step - 1) / step * step;
}

/* The next point of the grid that cuts [2^top, 2^(top+1)) into parts. */
static inline uint64_t round_to_parts(uint64_t size, unsigned int top,
				      uint64_t parts)
{
	uint64_t step = ((uint64_t)1 << top) / parts;

	return step ? round_up(size, step) : (uint64_t)2 << top;
}

/* By the slot's number of parts, which is more than 1. */
static inline uint64_t round_by_parts(const struct la_setting_values *setting,
				      uint64_t size, unsigned int top,
				      uint64_t parts)
{
	uint64_t least = parts == RULES_UNROUNDED ? 1 : parts;

	if (size > setting->roundup_bypass_threshold ||
	    least > size / BLOCK_MIN || size <= BLOCK_MIN * least)
		return round_up(size, BLOCK_MIN);
	return least == parts ? round_to_parts(size, top, parts) : size;
}

/* Bytes that a request takes; size < REQUEST_MAX. */
static inline uint64_t round_request(const struct la_setting_values *setting,
				     uint64_t size)
{
	unsigned int top, slot;
	uint64_t parts;

	if (size < BLOCK_MIN)
		return BLOCK_MIN;
	top = 63 - (unsigned int)__builtin_clzll(size);
	slot = top < 20 ? 0 : top - 20;
	if (slot >= LA_ROUNDUP_SLOTS)
		slot = LA_ROUNDUP_SLOTS - 1;
	parts = setting->roundup_power2_divisions[slot];
	if (parts > 1)
		return round_by_parts(setting, size, top, parts);
	return (size + BLOCK_MIN - 1) & ~(BLOCK_MIN - 1);
}

/* The class of a rounded request. */
static inline enum size_class class_of(uint64_t size)
{
	return size <= SMALL_MAX ? SMALL_CLASS : LARGE_CLASS;
}

/* Bytes of the segment that a rounded request would be given. */
static inline uint64_t round_segment(const struct la_setting_values *setting,
				     uint64_t size)
{
	return segment_for(size, setting->large_segment_size);
}

#endif /* LA_HEAP_ROUND_H */
