/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A made-up program on policy compact: streams whose work is not done, pools,
 * graphs, pins, caps, and threads that come in between.  It aborts where live
 * blocks overlap or move, where the device sees a GPU go wrong, where the heap
 * is broken, or where a request fails that need not.
 */
#ifndef LA_TESTS_COMPACT_PLAY_H
#define LA_TESTS_COMPACT_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes say what happens.  The nth operation of the device fails with -EIO; 0:
 * none.  Returns whether the heap said so. */
bool compact_play(const uint8_t *data, size_t size, uint64_t nth);

#endif /* LA_TESTS_COMPACT_PLAY_H */
