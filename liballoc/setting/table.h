/* SPDX-License-Identifier: Apache-2.0 */
/* Every option that torch ever took, and how it is read. */
#ifndef LA_SETTING_TABLE_H
#define LA_SETTING_TABLE_H

#include <liballoc/setting.h>

/* Options are fewer, so that a bit for each fits 64. */
enum { LA_OPTION_MAX = 64 };

/* How a value is read and what it may be. */
enum la_option_kind {
	LA_OPTION_MB_FROM_LARGE, /* MiB, not below large_segment_size_mb */
	LA_OPTION_LARGE, /* MiB, above 10; read before everything else */
	LA_OPTION_THRESHOLD, /* 0 < v < 1 */
	LA_OPTION_ROUNDUP, /* a power of two, or a list */
	LA_OPTION_BOOL, /* True or False */
	LA_OPTION_BACKEND, /* native or cudaMallocAsync */
	LA_OPTION_THREADS, /* a power of two up to 128 */
	LA_OPTION_MB_ABOVE_ZERO, /* MiB, not 0 */
	LA_OPTION_MB_ANY, /* MiB */
	LA_OPTION_FRACTION, /* 0 <= v <= 1 */
	LA_OPTION_RESERVE, /* a share or a size; anything else is ignored */
	LA_OPTION_RESERVE_LIST /* a list of those, each with a name */
};

/* Which of the two parsers of releases 2.10 and later reads an option. */
enum la_option_owner { LA_OWNER_COMMON, LA_OWNER_CUDA };

struct la_option {
	struct la_setting_option about;
	size_t length; /* bytes of its name */
	unsigned int first, last; /* releases that have it; last 0: no end */
	unsigned int anew; /* first release that forgets it; 0: none does */
	enum la_option_kind kind;
	enum la_option_owner owner;
	bool one_error; /* up to 2.9 a missing value reads as a wrong one */
	size_t field; /* offset in struct la_setting_values */
};

extern const struct la_setting_values la_setting_defaults;

bool la_option_exists(const struct la_option *option, unsigned int release);

/* The option of that exact name in a release, or NULL. */
const struct la_option *la_option_find(unsigned int release, const char *name,
				       size_t length);

/* The option of that exact name in any release, or NULL. */
const struct la_option *la_option_find_any(const char *name, size_t length);

/* The name that torch's errors use of an option that has two. */
const char *la_option_main_name(const struct la_option *option);

/* Position in the table, as la_setting_option_at() counts. */
size_t la_option_index(const struct la_option *option);

/* The option of a release whose name is nearest, or NULL if none is near. */
const struct la_option *la_option_nearest(unsigned int release,
					  const char *name, size_t length);

/* What a parse does before it reads anything: some options start anew. */
void la_options_start_anew(unsigned int release,
			   struct la_setting_values *values);

#endif /* LA_SETTING_TABLE_H */
