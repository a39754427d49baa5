/* SPDX-License-Identifier: Apache-2.0 */
#include "c10.h"

#define EXPORT __attribute__((visibility("default")))

static unsigned long reports, ooms;

EXPORT void report_memory(void *block, int64_t size, size_t allocated,
			  size_t reserved, uint16_t device)
{
	(void)block;
	(void)size;
	(void)allocated;
	(void)reserved;
	(void)device;
	__atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED);
}

EXPORT void report_oom(int64_t size, size_t allocated, size_t reserved,
		       uint16_t device)
{
	(void)size;
	(void)allocated;
	(void)reserved;
	(void)device;
	__atomic_add_fetch(&ooms, 1, __ATOMIC_RELAXED);
}

EXPORT unsigned long mock_c10_reports(void)
{
	return reports;
}

EXPORT unsigned long mock_c10_ooms(void)
{
	return ooms;
}
