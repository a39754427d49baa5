/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_UTIL_H
#define LA_UTIL_H

#ifndef LA_EXPORT
#define LA_EXPORT __attribute__((visibility("default")))
#endif
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

#endif /* LA_UTIL_H */
