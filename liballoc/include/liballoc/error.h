/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file error.h
 * @brief What went wrong, in words, and where in the input.
 *
 * Functions of liballoc return 0 or a negative errno value.  Those that read
 * input also take a struct la_error, which the caller owns and which may be
 * NULL; on success it is left untouched.
 */
#ifndef LIBALLOC_ERROR_H
#define LIBALLOC_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Value of la_error.offset where no position is known. */
#define LA_NO_OFFSET UINT64_MAX

/** @brief One error: its code, one line of text, and a position. */
struct la_error {
	int code; /**< the negative errno value that was returned */
	uint64_t offset; /**< byte in the input, or LA_NO_OFFSET */
	char text[256]; /**< one line, no full stop, never empty */
};

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_ERROR_H */
