/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_KNOBS_H
#define LA_REPLAY_KNOBS_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/setting.h>

#include "util/strbuf.h"

/* What tune turns of a setting; sizes in MiB.  What is 0 is not named. */
struct knobs {
	bool expandable;
	unsigned int percent; /* garbage_collection_threshold */
	uint64_t split; /* max_split_size_mb */
	uint64_t leftover; /* max_non_split_rounding_mb */
	uint64_t large; /* large_segment_size_mb */
	/* roundup_power2_divisions by slot; 0 and 1: off. */
	uint16_t parts[LA_ROUNDUP_SLOTS];
};

/* The knobs of a setting; false: it turns others as well. */
bool knobs_read(struct knobs *knobs, const struct la_setting_values *values);

/* The setting as a string is appended. */
void knobs_write(const struct knobs *knobs, struct la_strbuf *out);

/* All slots alike; 0: off. */
void knobs_set_parts(struct knobs *knobs, uint16_t parts);

/* Are all slots alike? */
bool knobs_are_even(const struct knobs *knobs);

#endif /* LA_REPLAY_KNOBS_H */
