/* SPDX-License-Identifier: Apache-2.0 */
/* libc10.so and libc10_cuda.so: names and entry points. */
#ifndef TESTS_MOCK_C10_H
#define TESTS_MOCK_C10_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libc10.so.  device: low byte its type (1: CUDA), high byte its index. */
void report_memory(void *block, int64_t size, size_t allocated,
		   size_t reserved, uint16_t device)
	__asm__("_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");
void report_oom(int64_t size, size_t allocated, size_t reserved,
		uint16_t device)
	__asm__("_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE");

/* How often either was called. */
unsigned long mock_c10_reports(void);
unsigned long mock_c10_ooms(void);

/* libc10_cuda.so: a caching allocator.  NULL: out of memory. */
void *mock_torch_alloc(size_t size);
void mock_torch_free(void *block);
void mock_torch_empty_cache(void);
void mock_torch_limit(size_t bytes); /* of a fraction cap; 0: none */
void mock_torch_expandable(bool on);

#endif /* TESTS_MOCK_C10_H */
