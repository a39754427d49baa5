/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_DEVICE_PAGE_H
#define LA_DEVICE_PAGE_H

#include "util/util.h"

/* What devices map memory in, and what pieces are made of; bytes. */
#define PAGE (2 * MIB)

#endif /* LA_DEVICE_PAGE_H */
