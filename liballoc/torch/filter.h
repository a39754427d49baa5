/* SPDX-License-Identifier: Apache-2.0 */
/*
 * std::function<bool(cudaStream_t)>, held and called without a C++ compiler.
 *
 * torch passes one by value to the hook that begins a pool: a copy that the
 * caller owns, of which the hook gets the address.  libstdc++ has kept its
 * layout since 2010 (GCC 4.5), and both of its ABIs of std::string share it:
 * 16 bytes for the callable or a pointer to it, a manager that copies and
 * destroys it, and what calls it.
 */
#ifndef LA_TORCH_FILTER_H
#define LA_TORCH_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the callable, owned by who owns the function. */
union la_filter_target {
	void *pointer;
	char bytes[16];
};

/* As libstdc++ lays out std::function<bool(cudaStream_t)>. */
struct la_filter {
	union la_filter_target target;
	/* Does what operation says; NULL: the function is empty */
	bool (*manager)(union la_filter_target *to,
			const union la_filter_target *from, int operation);
	bool (*invoke)(const union la_filter_target *target, void **stream);
};

/* A copy, to be released by la_filter_release(); NULL: no memory. */
struct la_filter *la_filter_copy(const struct la_filter *filter);

/* A la_stream_filter; data: a struct la_filter.  An empty one takes all. */
bool la_filter_call(void *data, uint64_t stream);

/* data: a struct la_filter from la_filter_copy(). */
void la_filter_release(void *data);

#endif /* LA_TORCH_FILTER_H */
