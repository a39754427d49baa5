/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_DEVICE_SHUFFLE_H
#define LA_DEVICE_SHUFFLE_H

#include <stdint.h>

enum { SHUFFLE_COUNT = 1 << 14 };

/*
 * A random order of 0 .. SHUFFLE_COUNT - 1, the one that CPython gives for
 * random.Random(seed).sample(range(1 << 14), 1 << 14), so that a layout can
 * be compared with models written in Python.
 */
void la_shuffle(uint16_t order[SHUFFLE_COUNT], uint32_t seed);

#endif /* LA_DEVICE_SHUFFLE_H */
