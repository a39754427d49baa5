// SPDX-License-Identifier: Apache-2.0
/* Free blocks by size: see hole-bins.h. */

#include "allocctl/source.h"
#include "hole-bins.h"
#include "util/size.h"

const char *const hole_places[LA_FREE_PLACES] = {
	[LA_FREE_OWN] = "where it looks",
	[LA_FREE_STREAMS] = "other streams",
	[LA_FREE_CLASS] = "other size class",
	[LA_FREE_POOLS] = "other pools",
};

double hole_bins_bytes(const struct hole_bins *bins, int bin)
{
	double bytes = 0;
	int place;

	for (place = 0; place < LA_FREE_PLACES; place++)
		bytes += (double)bins->oom->free[place].bin_bytes[bin];
	return bytes;
}

uint64_t hole_bins_count(const struct hole_bins *bins, int bin)
{
	uint64_t count = 0;
	int place;

	for (place = 0; place < LA_FREE_PLACES; place++)
		count += bins->oom->free[place].bin_count[bin];
	return count;
}

static void show(struct hole_bins *bins, int bin)
{
	if (bin < bins->first)
		bins->first = bin;
	if (bin > bins->last)
		bins->last = bin;
}

void hole_bins_init(struct hole_bins *bins, const struct la_oom_state *oom)
{
	int bin;

	*bins = (struct hole_bins){ .oom = oom, .first = LA_HOLE_BINS,
				    .last = -1, .request = -1 };
	for (bin = 0; bin < LA_HOLE_BINS; bin++) {
		if (!hole_bins_count(bins, bin))
			continue;
		show(bins, bin);
		if (hole_bins_bytes(bins, bin) > bins->most)
			bins->most = hole_bins_bytes(bins, bin);
	}
	if (oom->rounded) {
		bins->request = 63 - __builtin_clzll(oom->rounded);
		show(bins, bins->request);
	}
}

static double free_in_all(const struct la_oom_state *oom)
{
	double bytes = 0;
	int place;

	for (place = 0; place < LA_FREE_PLACES; place++)
		bytes += (double)oom->free[place].bytes;
	return bytes;
}

const char *hole_bins_title(const struct hole_bins *bins)
{
	return bins->request < 0 ? "Holes by size" :
				   "Holes against the failed request";
}

/* Without a request no place is better than another. */
static uint64_t largest_of(const struct la_oom_state *oom)
{
	uint64_t largest = 0;
	int place;

	for (place = 0; place < LA_FREE_PLACES; place++)
		if (oom->free[place].largest > largest)
			largest = oom->free[place].largest;
	return largest;
}

void hole_bins_describe(struct la_strbuf *text, const struct hole_bins *bins)
{
	const struct la_oom_state *oom = bins->oom;
	double all = free_in_all(oom);
	char size[LA_SIZE_TEXT];

	if (oom->rounded)
		la_strbuf_addf(text, "a request of %s failed; ",
			       la_size_format(size, oom->rounded));
	if (!oom->rounded)
		la_strbuf_addf(text, "the largest hole has %s; ",
			       la_size_format(size, largest_of(oom)));
	else if (oom->free[LA_FREE_OWN].count)
		la_strbuf_addf(text,
			       "the largest hole that it could use has %s; ",
			       la_size_format(size,
					      oom->free[LA_FREE_OWN].largest));
	else
		la_strbuf_addstr(text, "no hole where it looks; ");
	la_strbuf_addf(text, "%s free in all",
		       la_size_format(size, all < 0x1p64 ? (uint64_t)all :
							   UINT64_MAX));
}
