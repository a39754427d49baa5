/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The front end that the driver loads by CUDA_INJECTION64_PATH: callbacks of
 * CUPTI around the entry points of calls.txt.
 *
 * CUPTI has one place for a subscriber.  Another library that is linked with
 * it and subscribes gets the place: we leave first, and the driver's view
 * ends.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "core/core.h"
#include "cupti/library.h"
#include "cupti/slots.h"
#include "preload/preload.h"

#define EXPORT __attribute__((visibility("default")))

int InitializeInjection(void);

enum {
	CALLBACKS = 1024 /* ids are below */
};

static const struct {
	const char *name;
	uint32_t id;
} calls[] = {
#define CALL(name, id, since) { #name, id },
	PROBE_CALLS(CALL)
#undef CALL
};

/* What the process has of CUPTI.  Written by the front end's start; later
 * only subscribed and inside, atomically. */
static struct {
	struct cupti api;
	CUpti_SubscriberHandle subscriber;
	bool subscribed;
	uint32_t inside; /* calls between ENTER and EXIT */
	uint16_t entry[CALLBACKS]; /* of an id: probe_entry + 1 */
	struct elf_hook hook[3];
} front;

static void enter(enum probe_entry entry, const CUpti_CallbackData *data)
{
	bool seen = probe_enter(entry, data->functionParams);

	*data->correlationData = seen;
	if (seen)
		__atomic_add_fetch(&front.inside, 1, __ATOMIC_ACQ_REL);
}

static void leave(enum probe_entry entry, const CUpti_CallbackData *data)
{
	if (!*data->correlationData)
		return;
	*data->correlationData = 0;
	probe_exit(entry, data->functionParams,
		   *(CUresult *)data->functionReturnValue);
	__atomic_sub_fetch(&front.inside, 1, __ATOMIC_ACQ_REL);
}

static void callback(void *user, unsigned int domain, uint32_t id,
		     const void *argument)
{
	const CUpti_CallbackData *data = argument;

	(void)user;
	if (domain != CUPTI_CB_DOMAIN_DRIVER_API || id >= CALLBACKS ||
	    !front.entry[id])
		return;
	if (data->callbackSite == CUPTI_API_ENTER)
		enter(front.entry[id] - 1, data);
	else
		leave(front.entry[id] - 1, data);
}

/* Enable what the library knows under the name that we know it by. */
static void enable(void)
{
	unsigned int i, others = 0;
	const char *name;

	for (i = 0; i < PROBE_ENTRY_COUNT; i++) {
		uint32_t id = calls[i].id;

		name = NULL;
		if (front.api.cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API,
						   id, &name) || !name)
			continue;
		if (strcmp(name, calls[i].name) != 0) {
			others++;
			continue;
		}
		front.entry[id] = (uint16_t)(i + 1);
		front.api.cuptiEnableCallback(1, front.subscriber,
					      CUPTI_CB_DOMAIN_DRIVER_API, id);
	}
	if (others)
		probe_note("CUPTI has other names for %u calls: not seen",
			   others);
}

/* holder: who has the place already, where the library can say. */
static int subscribe(char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN])
{
	CUpti_SubscriberParams params = {
		.structSize = sizeof(params),
		.subscriberName = "cupti-probe",
		.oldSubscriberName = holder,
		.oldSubscriberSize = CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN,
	};

	if (!front.api.cuptiSubscribe_v2)
		return front.api.cuptiSubscribe(&front.subscriber, callback,
						NULL);
	return front.api.cuptiSubscribe_v2(&front.subscriber, callback, NULL,
					   &params);
}

static void say_refused(int result, const char *holder)
{
	if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		probe_note("driver not seen: %s has CUPTI",
			   *holder ? holder : "another tool");
	else if (result == CUPTI_ERROR_NOT_INITIALIZED)
		probe_note("driver not seen: CUPTI does not work with it");
	else
		probe_note("driver not seen: CUPTI says error %d", result);
}

/* Whoever is between ENTER and EXIT shall see both; but not for ever. */
static void wait_for_calls(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int i;

	for (i = 0; i < 100; i++) {
		if (!__atomic_load_n(&front.inside, __ATOMIC_ACQUIRE))
			return;
		nanosleep(&pause, NULL);
	}
}

static void yield(const char *why)
{
	int error = errno;

	if (__atomic_exchange_n(&front.subscribed, false, __ATOMIC_ACQ_REL)) {
		wait_for_calls();
		front.api.cuptiUnsubscribe(front.subscriber);
		probe_view_end(LA_PROBE_DRIVER, why);
	}
	errno = error;
}

static int other_subscribes(CUpti_SubscriberHandle *subscriber,
			    CUpti_CallbackFunc called, void *userdata)
{
	yield("CUPTI was left to another subscriber");
	return front.api.cuptiSubscribe(subscriber, called, userdata);
}

static int other_subscribes_v2(CUpti_SubscriberHandle *subscriber,
			       CUpti_CallbackFunc called, void *userdata,
			       CUpti_SubscriberParams *params)
{
	yield("CUPTI was left to another subscriber");
	return front.api.cuptiSubscribe_v2(subscriber, called, userdata,
					   params);
}

static int other_finalizes(void)
{
	yield("CUPTI was ended by another library");
	return front.api.cuptiFinalize();
}

/* With CUPTI_PROBE_EXCLUSIVE nobody gets the place, but who ends CUPTI ends it
 * for all. */
static const struct elf_hook *hooks(void)
{
	bool yields = !probe_config()->exclusive;
	void *first = (void *)front.api.cuptiSubscribe;
	void *second = (void *)front.api.cuptiSubscribe_v2;

	if (!front.subscribed)
		return NULL;
	front.hook[0] = (struct elf_hook){ "cuptiSubscribe",
					   (void *)other_subscribes,
					   yields ? first : NULL };
	front.hook[1] = (struct elf_hook){ "cuptiSubscribe_v2",
					   (void *)other_subscribes_v2,
					   yields ? second : NULL };
	front.hook[2] = (struct elf_hook){ "cuptiFinalize",
					   (void *)other_finalizes,
					   (void *)front.api.cuptiFinalize };
	return front.hook;
}

static void begin_driver(void)
{
	char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
	uint32_t version = 0;
	int result;

	if (!cupti_find(&front.api)) {
		probe_note("driver not seen: there is no libcupti");
		return;
	}
	front.api.cuptiGetVersion(&version);
	probe_cupti_version(version);
	result = subscribe(holder);
	holder[sizeof(holder) - 1] = '\0';
	if (result) {
		say_refused(result, holder);
		return;
	}
	probe_view_begin(LA_PROBE_DRIVER);
	front.subscribed = true;
	enable();
}

static void begin(void)
{
	if (preload_is_active() || !probe_start(LA_PROBE_FRONT_CUPTI))
		return;
	begin_driver();
	slots_begin(probe_config()->allocator, hooks());
}

/* The variable that loaded us names one library: another one follows. */
static void chain(const char *path)
{
	void *library = path && *path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*initialize)(void);

	if (!library)
		return;
	*(void **)&initialize = probe_symbol(library, "InitializeInjection");
	if (initialize && (void *)initialize != (void *)InitializeInjection)
		initialize();
}

EXPORT int InitializeInjection(void)
{
	static bool begun;
	int error = errno;

	if (!__atomic_exchange_n(&begun, true, __ATOMIC_ACQ_REL)) {
		begin();
		chain(probe_config()->chain);
		dlerror(); /* of libraries that are not there */
	}
	errno = error;
	return 1;
}
