/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "core/core.h"
#include "core/shield.h"
#include "loader/elf.h"
#include "preload/torch.h"

/* Written once, by begin(). */
static bool sees_calls, has_begun;
static pthread_once_t begun = PTHREAD_ONCE_INIT;

bool preload_is_active(void)
{
	static const char *const us[] = { "libcupti-probe.so", NULL };
	void *first = probe_symbol(RTLD_DEFAULT, "dlsym");

	return first && elf_address_in(first, us);
}

static void begin(void)
{
	if (!preload_is_active() || !probe_start(LA_PROBE_FRONT_PRELOAD))
		return;
	probe_view_begin(LA_PROBE_DRIVER);
	__atomic_store_n(&probe_tick, torch_tick, __ATOMIC_RELEASE);
	sees_calls = true;
}

bool preload_sees(void)
{
	struct shield shield;
	int error = errno;

	if (__atomic_load_n(&has_begun, __ATOMIC_ACQUIRE))
		return sees_calls;
	shield_raise(&shield);
	pthread_once(&begun, begin);
	__atomic_store_n(&has_begun, true, __ATOMIC_RELEASE);
	shield_lower(&shield);
	errno = error;
	return sees_calls;
}

bool preload_sees_torch(void)
{
	if (!preload_sees() || !probe_config()->allocator)
		return false;
	torch_watch();
	return true;
}
