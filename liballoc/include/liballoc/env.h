/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file env.h
 * @brief What a process has in its environment, and who set it.
 */
#ifndef LIBALLOC_ENV_H
#define LIBALLOC_ENV_H

#include <stddef.h>

#include <liballoc/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_ENV_H */
