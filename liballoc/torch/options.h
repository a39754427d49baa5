/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the plug-in: LIBALLOC_CONF=policy:compact,limit:20GiB,... */
#ifndef LA_TORCH_OPTIONS_H
#define LA_TORCH_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <liballoc/error.h>
#include <liballoc/heap.h>

struct la_options {
	enum la_heap_policy policy;
	uint64_t limit; /* bytes a device may hold; UINT64_MAX: no limit */
	uint64_t history; /* events kept of each device */
	double smart_cache; /* see la_allocator_config.empty_above; 0: off */
	bool log_split; /* splits on standard error */
	char record[PATH_MAX]; /* snapshot at the end; "": none */
	char report[PATH_MAX]; /* folder of la_report files; "": none */
};

/* Names of policies, by enum la_heap_policy. */
extern const char *const la_options_policies[];

/* What holds where nothing is named. */
extern const struct la_options la_options_default;

/*
 * Take what text names; the last of equal options counts.  0, or -EINVAL with
 * the byte in err.offset, and then some of it may have been taken.
 */
int la_options_parse(struct la_options *options, const char *text,
		     struct la_error *err);

#endif /* LA_TORCH_OPTIONS_H */
