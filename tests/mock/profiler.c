/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is linked with libcupti, as PyTorch's profiler is. */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

int cuptiSubscribe(void **subscriber, void *callback, void *user);
int cuptiUnsubscribe(void *subscriber);
int cuptiFinalize(void);
int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain,
			uint32_t id);
int mock_profile_begin(void);
int mock_profile_end(void);

static void *handle;
static int seen;

static void callback(void *user, int domain, uint32_t id, const void *data)
{
	(void)user;
	(void)domain;
	(void)id;
	(void)data;
	seen++;
}

/* What subscribing answers.  Then cuMemAlloc_v2 is watched. */
EXPORT int mock_profile_begin(void)
{
	int result = cuptiSubscribe(&handle, (void *)callback, NULL);

	return result ? result : cuptiEnableCallback(1, handle, 1, 243);
}

/* How many callbacks came. */
EXPORT int mock_profile_end(void)
{
	if (handle)
		cuptiUnsubscribe(handle);
	cuptiFinalize();
	handle = NULL;
	return seen;
}
