/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlsym() and dlvsym() in front of libc's.
 *
 * What RTLD_NEXT and RTLD_DEFAULT mean depends on the address that the call
 * returns to, so ours hand the call on as if they had not been there.
 */
#ifndef PROBE_PRELOAD_SYMBOL_H
#define PROBE_PRELOAD_SYMBOL_H

#include <stdbool.h>

/* Whether a caller is a part of CUDA, whose own look-ups stay as they are. */
bool symbol_is_for_itself(const void *caller);

#endif /* PROBE_PRELOAD_SYMBOL_H */
