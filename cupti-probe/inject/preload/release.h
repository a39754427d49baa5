/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROBE_PRELOAD_RELEASE_H
#define PROBE_PRELOAD_RELEASE_H

/* Tell the core the release of the PyTorch that is mapped, if its files say.
 * Reads one: not from a hook. */
void release_tell(void);

#endif /* PROBE_PRELOAD_RELEASE_H */
