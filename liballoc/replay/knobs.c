// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>

#include "replay/knobs.h"
#include "setting/table.h"
#include "util/util.h"

static uint64_t in_mib(uint64_t bytes, uint64_t fallback)
{
	return bytes == fallback ? 0 : bytes / MIB;
}

static bool has_whole_numbers(const struct la_setting_values *values)
{
	double percent = values->garbage_collection_threshold * 100;
	double off = percent - (double)(unsigned int)(percent + 0.5);

	return off < 1e-9 && off > -1e-9;
}

bool knobs_read(struct knobs *knobs, const struct la_setting_values *values)
{
	const struct la_setting_values *fallback = &la_setting_defaults;
	int i;

	if (values->per_process_memory_fraction < 1 ||
	    values->cuda_malloc_async || !has_whole_numbers(values))
		return false;
	*knobs = (struct knobs){
		.expandable = values->expandable_segments,
		.percent = (unsigned int)(values->garbage_collection_threshold *
						  100 + 0.5),
		.split = in_mib(values->max_split_size,
				fallback->max_split_size),
		.leftover = in_mib(values->max_non_split_rounding,
				   values->large_segment_size),
		.large = in_mib(values->large_segment_size,
				fallback->large_segment_size),
	};
	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		if (values->roundup_power2_divisions[i] > 1)
			knobs->parts[i] =
				(uint16_t)values->roundup_power2_divisions[i];
	return true;
}

void knobs_set_parts(struct knobs *knobs, uint16_t parts)
{
	int i;

	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		knobs->parts[i] = parts;
}

bool knobs_are_even(const struct knobs *knobs)
{
	int i;

	for (i = 1; i < LA_ROUNDUP_SLOTS; i++)
		if (knobs->parts[i] != knobs->parts[0])
			return false;
	return true;
}

/* The first entry stands for all below it, > for all above the last one; every
 * slot between is named. */
static void write_list(const struct knobs *knobs, struct la_strbuf *out)
{
	int first = 0, last = LA_ROUNDUP_SLOTS - 1, i;

	while (knobs->parts[first + 1] == knobs->parts[0])
		first++;
	while (knobs->parts[last - 1] == knobs->parts[LA_ROUNDUP_SLOTS - 1])
		last--;
	la_strbuf_addstr(out, "[");
	for (i = first; i < last; i++)
		la_strbuf_addf(out, "%d:%u,", 1 << i,
			       (unsigned int)knobs->parts[i]);
	la_strbuf_addf(out, ">:%u]", (unsigned int)knobs->parts[last]);
}

static void begin_option(struct la_strbuf *out, size_t start, const char *name)
{
	if (out->length > start)
		la_strbuf_addstr(out, ",");
	la_strbuf_addf(out, "%s:", name);
}

static void write_mib(struct la_strbuf *out, size_t start, const char *name,
		      uint64_t mib)
{
	if (!mib)
		return;
	begin_option(out, start, name);
	la_strbuf_addf(out, "%" PRIu64, mib);
}

static void write_percent(struct la_strbuf *out, size_t start,
			  unsigned int percent)
{
	if (!percent)
		return;
	begin_option(out, start, "garbage_collection_threshold");
	if (percent % 10)
		la_strbuf_addf(out, "0.%02u", percent);
	else
		la_strbuf_addf(out, "0.%u", percent / 10);
}

static void write_parts(const struct knobs *knobs, struct la_strbuf *out,
			size_t start)
{
	if (knobs_are_even(knobs) && knobs->parts[0] <= 1)
		return;
	begin_option(out, start, "roundup_power2_divisions");
	if (knobs_are_even(knobs))
		la_strbuf_addf(out, "%u", (unsigned int)knobs->parts[0]);
	else
		write_list(knobs, out);
}

void knobs_write(const struct knobs *knobs, struct la_strbuf *out)
{
	size_t start = out->length;

	if (knobs->expandable)
		la_strbuf_addstr(out, "expandable_segments:True");
	write_percent(out, start, knobs->percent);
	write_mib(out, start, "max_split_size_mb", knobs->split);
	write_mib(out, start, "max_non_split_rounding_mb", knobs->leftover);
	write_parts(knobs, out, start);
	write_mib(out, start, "large_segment_size_mb", knobs->large);
}
