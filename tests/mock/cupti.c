/* SPDX-License-Identifier: Apache-2.0 */
/* libcupti of MOCK_MAJOR (11, 12 or 13), as far as callbacks go. */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "mock.h"

enum {
	INVALID_PARAMETER = 1,
	NOT_INITIALIZED = 15,
	MULTIPLE_SUBSCRIBERS = 39,
	DRIVER_API = 1,
	MAX_CALLBACKS = 1024
};

/* What callbacks are passed. */
struct callback_data {
	unsigned int site;
	const char *name;
	const void *params;
	void *result;
	const char *symbol;
	CUcontext context;
	uint32_t context_id;
	uint64_t *data;
	uint32_t correlation;
};

typedef void (*callback)(void *user, int domain, uint32_t id, const void *data);

static struct subscriber {
	callback callback;
	void *user;
	char name[54];
	bool enabled[MAX_CALLBACKS];
} subscriber;

static bool held;

#define API(name, ...) \
	int name(__VA_ARGS__); \
	MOCK_EXPORT int name(__VA_ARGS__)

static const struct {
	uint32_t id;
	int since;
	const char *name;
} names[] = {
#define NAME(name, id, since) { id, since, #name },
	PROBE_CALLS(NAME)
};

static const char *name_of(uint32_t id)
{
	size_t i;

	if (id == mock_variable("MOCK_CUPTI_RENAMED", "0"))
		return "cuSomethingElse";
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].id == id &&
		    names[i].since < (MOCK_MAJOR + 1) * 1000)
			return names[i].name;
	return NULL;
}

static void pass_on(const struct mock_call *call)
{
	struct callback_data data = {
		.site = call->exit,
		.name = call->name,
		.params = call->params,
		.result = call->result,
		.context = call->context,
		.context_id = 1,
		.data = call->data,
		.correlation = call->correlation,
	};

	if (__atomic_load_n(&subscriber.enabled[call->id], __ATOMIC_ACQUIRE))
		subscriber.callback(subscriber.user, DRIVER_API, call->id,
				    &data);
}

static bool watch(mock_watcher watcher)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void (*set)(mock_watcher who) = NULL;

	if (cuda) {
		set = (void (*)(mock_watcher))dlsym(cuda, "mock_cuda_watch");
		dlclose(cuda);
	}
	if (set)
		set(watcher);
	return set;
}

static int subscribe(void **handle, callback called, void *user)
{
	int result = (int)mock_variable("MOCK_CUPTI_RESULT", "0");

	if (result)
		return result;
	if (getenv("MOCK_CUPTI_HOLDER") ||
	    __atomic_exchange_n(&held, true, __ATOMIC_ACQ_REL))
		return MULTIPLE_SUBSCRIBERS;
	memset(&subscriber, 0, sizeof(subscriber));
	subscriber.callback = called;
	subscriber.user = user;
	*handle = &subscriber;
	return watch(pass_on) ? 0 : NOT_INITIALIZED;
}

API(cuptiSubscribe, void **handle, callback called, void *user)
{
	return subscribe(handle, called, user);
}

#if MOCK_MAJOR >= 13
struct subscriber_params {
	size_t size;
	const char *name;
	char *old_name;
	size_t old_size;
};

static void tell_holder(const struct subscriber_params *params)
{
	const char *holder = getenv("MOCK_CUPTI_HOLDER");

	if (!holder)
		holder = subscriber.name;
	if (!params->old_name || !params->old_size)
		return;
	strncpy(params->old_name, holder, params->old_size - 1);
	params->old_name[params->old_size - 1] = '\0';
}

API(cuptiSubscribe_v2, void **handle, callback called, void *user,
    struct subscriber_params *params)
{
	int result;

	if (params && params->size != 32 && params->size != 40)
		return INVALID_PARAMETER;
	result = subscribe(handle, called, user);
	if (params && result == MULTIPLE_SUBSCRIBERS)
		tell_holder(params);
	else if (params && params->name)
		strncpy(subscriber.name, params->name,
			sizeof(subscriber.name) - 1);
	return result;
}
#endif

API(cuptiUnsubscribe, void *handle)
{
	if (handle != &subscriber || !held)
		return INVALID_PARAMETER;
	watch(NULL);
	__atomic_store_n(&held, false, __ATOMIC_RELEASE);
	return 0;
}

API(cuptiFinalize, void)
{
	watch(NULL);
	__atomic_store_n(&held, false, __ATOMIC_RELEASE);
	return 0;
}

API(cuptiEnableCallback, uint32_t enable, void *handle, int domain, uint32_t id)
{
	if (handle != &subscriber || domain != DRIVER_API ||
	    id >= MAX_CALLBACKS)
		return INVALID_PARAMETER;
	__atomic_store_n(&subscriber.enabled[id], enable, __ATOMIC_RELEASE);
	return 0;
}

API(cuptiGetCallbackName, int domain, uint32_t id, const char **name)
{
	*name = domain == DRIVER_API ? name_of(id) : NULL;
	return *name ? 0 : INVALID_PARAMETER;
}

API(cuptiGetVersion, uint32_t *version)
{
	const char *usual = MOCK_MAJOR == 11 ? "18" :
			    MOCK_MAJOR == 12 ? "28" : "130001";

	*version = (uint32_t)mock_variable("MOCK_CUPTI_VERSION", usual);
	return 0;
}

API(cuptiGetTimestamp, uint64_t *timestamp)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*timestamp = now.tv_sec * 1000000000ull + now.tv_nsec;
	return 0;
}

API(cuptiGetResultString, int result, const char **text)
{
	*text = result == MULTIPLE_SUBSCRIBERS ?
			"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" :
		result ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_SUCCESS";
	return 0;
}
