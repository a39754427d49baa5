/* SPDX-License-Identifier: Apache-2.0 */
/* What PyTorch's allocator held when it gave up. */
#ifndef LA_TRIAGE_MOMENT_H
#define LA_TRIAGE_MOMENT_H

#include <liballoc/triage.h>

/* Of an episode that the allocator reported, as far as the probe's records
 * reach back to it and add up: 0 or -ENOMEM. */
int la_tell_moment(struct la_facts *facts, const struct la_probe *probe,
		   const struct la_probe_oom *oom);

#endif /* LA_TRIAGE_MOMENT_H */
