/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file version.h
 * @brief The version of these headers; the build and all packages read it.
 */
#ifndef LIBALLOC_VERSION_H
#define LIBALLOC_VERSION_H

/** @brief Version, as `allocctl --version` prints it. */
#define LA_VERSION "0.1.0"

#endif /* LIBALLOC_VERSION_H */
