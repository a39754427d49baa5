/* SPDX-License-Identifier: Apache-2.0 */
/* What a heap holds, as text and as JSON. */
#ifndef ALLOCCTL_PICTURE_H
#define ALLOCCTL_PICTURE_H

#include <liballoc/replay.h>

#include "holders.h"

/* "1.00 GiB reserved: ..." and a newline. */
void picture_print_sums(const struct la_picture *picture);

/* Tables: what each stream has in each pool; how large the holes are. */
void picture_print_parts(const struct la_picture *picture);
void picture_print_histogram(const struct la_holes *holes);

/* A member with an object: sums, and the same of each part. */
void picture_json(struct la_json *json, const char *key,
		  const struct la_picture *picture);

/* An object, or a member "oom", with what is known of that moment. */
void picture_json_moment(struct la_json *json, const struct la_oom_state *oom,
			 const struct holders *holders);
void picture_json_oom(struct la_json *json, const struct la_oom_state *oom,
		      const struct holders *holders);

/* Request, holes, histogram and holders of an OOM.  The limit may be less than
 * what is told: then it is the highest that the events allow. */
void picture_print_oom(const struct la_oom_state *oom,
		       const struct holders *holders, bool may_be_less);

/* "rule", "up" ..., by enum la_layout. */
extern const char *const picture_layouts[];

#endif /* ALLOCCTL_PICTURE_H */
