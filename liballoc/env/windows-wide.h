/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and blocks of Windows. */
#ifndef LA_ENV_WINDOWS_WIDE_H
#define LA_ENV_WINDOWS_WIDE_H

#include <wchar.h>

#include "env/internal.h"

/* As UTF-8; release with free().  NULL: no memory. */
char *la_env_narrow(const wchar_t *wide);

/* Of entries, each terminated, with an empty one behind the last. */
int la_env_of_wide(struct la_env **out, const wchar_t *block);

#endif /* LA_ENV_WINDOWS_WIDE_H */
