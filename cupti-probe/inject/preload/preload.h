/* SPDX-License-Identifier: Apache-2.0 */
/* The front end that LD_PRELOAD loads. */
#ifndef PROBE_PRELOAD_H
#define PROBE_PRELOAD_H

#include <stdbool.h>

/* Whether the process was begun with this library, or another copy of it,
 * before all others. */
bool preload_is_active(void);

/* Whether driver calls that come through exported functions are seen; begins
 * to record at the first. */
bool preload_sees(void);

/* Whether reports of PyTorch's allocator are. */
bool preload_sees_torch(void);

#endif /* PROBE_PRELOAD_H */
