/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "core/config.h"
#include "core/core.h"
#include "core/shield.h"
#include "cupti/elf.h"
#include "cupti/torch.h"

/* Written once, by begin(). */
static bool sees_calls, sees_reports, has_begun;
static pthread_once_t begun = PTHREAD_ONCE_INIT;

bool preload_is_active(void)
{
	static const char *const us[] = { "libcupti-probe.so", NULL };
	void *first = probe_symbol(RTLD_DEFAULT, "dlsym");

	return first && elf_address_in(first, us);
}

static void begin(void)
{
	struct config config;

	if (!preload_is_active())
		return;
	config_read(&config);
	if (!probe_start(LA_PROBE_FRONT_PRELOAD))
		return;
	probe_view_begin(LA_PROBE_DRIVER);
	sees_reports = config.allocator;
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
	if (!preload_sees() || !sees_reports)
		return false;
	torch_watch();
	return true;
}
