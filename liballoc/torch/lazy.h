/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPU that is come to at the first operation: a context takes memory of the
 * card, and most processes use one GPU of those that they see.
 */
#ifndef LA_TORCH_LAZY_H
#define LA_TORCH_LAZY_H

#include <stddef.h>
#include <stdint.h>

#include <liballoc/device.h>

/* la_device_cuda() of ordinal, later; 0 or -ENOMEM. */
int la_lazy_new(struct la_device **out, unsigned int ordinal);

/* Bytes free on the card; UINT64_MAX: unknown, or nothing was used there. */
uint64_t la_lazy_free_bytes(struct la_device *dev);

/* What the driver last failed with, one line; empty: nothing. */
void la_lazy_message(struct la_device *dev, char *text, size_t size);

#endif /* LA_TORCH_LAZY_H */
