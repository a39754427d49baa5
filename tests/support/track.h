/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that keeps books: what is handed out overlaps nothing, and what
 * comes back was handed out as it is.  It aborts where that is broken.
 */
#ifndef LA_TESTS_TRACK_H
#define LA_TESTS_TRACK_H

#include <stdint.h>

#include <liballoc/device.h>

/* inner is owned by the result. */
struct la_device *track_new(struct la_device *inner);

/* Bytes that are handed out. */
uint64_t track_held(const struct la_device *dev);

#endif /* LA_TESTS_TRACK_H */
