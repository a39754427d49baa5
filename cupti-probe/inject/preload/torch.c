/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/torch.h"

#include "core/core.h"
#include "loader/elf.h"
#include "preload/preload.h"
#include "preload/release.h"

#define EXPORT __attribute__((visibility("default")))

enum {
	DEVICE_TYPE_CUDA = 1
};

typedef void (*report_fn)(void *, int64_t, size_t, size_t, uint16_t);
typedef void (*report_oom_fn)(int64_t, size_t, size_t, uint16_t);

static bool watched;

void torch_watch(void)
{
	if (!__atomic_exchange_n(&watched, true, __ATOMIC_ACQ_REL))
		probe_view_begin(LA_PROBE_ALLOCATOR);
}

void torch_tick(void)
{
	static bool told; /* of the core's thread alone */

	if (told || !__atomic_load_n(&watched, __ATOMIC_ACQUIRE))
		return;
	told = true;
	release_tell();
}

/* The function itself: whoever calls us could only do so with libc10 there. */
static void *real(void **known, const char *symbol)
{
	void *function = __atomic_load_n(known, __ATOMIC_ACQUIRE);

	if (!function) {
		function = elf_find("libc10.so", symbol, NULL, 0);
		__atomic_store_n(known, function, __ATOMIC_RELEASE);
	}
	return function;
}

static bool is_seen(uint16_t device)
{
	return (device & 0xff) == DEVICE_TYPE_CUDA &&
	       (__atomic_load_n(&watched, __ATOMIC_ACQUIRE) ||
		preload_sees_torch());
}

EXPORT void torch_report(void *block, int64_t size, size_t allocated,
			 size_t reserved, uint16_t device)
{
	static void *known;
	report_fn report = (report_fn)real(&known, TORCH_REPORT);

	if (is_seen(device))
		probe_block(block, size, allocated, reserved, device >> 8);
	if (report)
		report(block, size, allocated, reserved, device);
}

EXPORT void torch_report_oom(int64_t size, size_t allocated, size_t reserved,
			     uint16_t device)
{
	static void *known;
	report_oom_fn report = (report_oom_fn)real(&known, TORCH_REPORT_OOM);

	if (is_seen(device))
		probe_block_oom(size, allocated, reserved, device >> 8);
	if (report)
		report(size, allocated, reserved, device);
}
