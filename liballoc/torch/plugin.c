// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/env.h>
#include <liballoc/setting.h>

#include "torch/oom.h"
#include "torch/plugin.h"
#include "torch/throw.h"
#include "util/error.h"
#include "util/split-text.h"
#include "util/util.h"

enum { RELEASE = LA_RELEASE(2, 11) };

/* Set once, behind everything in it. */
static struct la_plugin *_Atomic the_plugin;
static la_plugin_observer *_Atomic the_observer;

/* Of what follows, and of making the plug-in. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct la_options wanted; /* of la_plugin_configure() */
static unsigned int wanted_release; /* 0: nothing was configured */

struct la_plugin *la_plugin_if_used(void)
{
	return atomic_load_explicit(&the_plugin, memory_order_acquire);
}

void la_plugin_observe(la_plugin_observer *observer)
{
	atomic_store(&the_observer, observer);
}

const char *la_plugin_policy(const struct la_plugin *plugin)
{
	return la_options_policies[plugin->options.policy];
}

static int read_environment(struct la_options *options, struct la_error *err)
{
	const char *text = getenv("LIBALLOC_CONF");

	*options = la_options_default;
	return text ? la_options_parse(options, text, err) : 0;
}

/* The newest known one that is not newer. */
static unsigned int known_release(unsigned int number)
{
	const struct la_release *release;
	unsigned int known = RELEASE;
	size_t i;

	for (i = 0; (release = la_release_at(i)); i++)
		if (release->number <= number)
			known = release->number;
	return known;
}

static unsigned int parse_release(const char *text)
{
	unsigned int major, minor;

	if (!text || sscanf(text, "%u.%u", &major, &minor) != 2 || major > 99 ||
	    minor > 99)
		return RELEASE;
	return known_release(LA_RELEASE(major, minor));
}

int la_plugin_configure(const char *release, const char *options,
			struct la_error *err)
{
	struct la_options parsed;
	int status = read_environment(&parsed, err);

	if (status == 0 && options)
		status = la_options_parse(&parsed, options, err);
	if (status < 0)
		return status;
	pthread_mutex_lock(&lock);
	if (la_plugin_if_used()) {
		status = la_error_set(err, -EBUSY, LA_NO_OFFSET,
				      "the GPU has been used already");
	} else {
		wanted = parsed;
		wanted_release = parse_release(release);
	}
	pthread_mutex_unlock(&lock);
	return status;
}

/* The setting that torch would obey. */
static int read_setting(struct la_setting **setting, unsigned int release,
			struct la_error *err)
{
	const struct la_setting_context context = {
		.release = release,
		.set_at = LA_SET_AT_INIT,
		.build = LA_BUILD_CUDA,
	};
	struct la_env_choice *choice;
	struct la_env *env;
	const char *text;
	int status = la_env_own(&env);

	if (status < 0)
		return status;
	status = la_env_choose(&choice, env, &context);
	if (status < 0)
		goto out_free_env;
	text = choice->device ? choice->device->value : "";
	status = la_setting_parse_for(setting, text, strlen(text), &context,
				      err);
	la_env_choice_free(choice);
out_free_env:
	la_env_free(env);
	return status;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int la_plugin_fraction(struct la_plugin *plugin, unsigned int device,
		       double fraction)
{
	uint64_t cap = plugin->options.limit;

	if (device >= plugin->devices.count)
		return -ENODEV;
	if (plugin->devices.total[device])
		cap = least(cap, la_heap_cap(fraction,
					     plugin->devices.total[device],
					     plugin->release));
	plugin->cap[device] = cap;
	return la_allocator_set_cap(plugin->allocator, device, cap);
}

static void log_split(void *data, unsigned int device, uint64_t addr,
		      uint64_t size, uint64_t whole)
{
	char text[LA_SPLIT_TEXT];
	int length = la_split_text(text, addr, size, whole);

	(void)data;
	(void)device;
	/* What cannot be logged is no reason to fail. */
	if (write(STDERR_FILENO, text, (size_t)length) < 0)
		return;
}

static int make_allocator(struct la_plugin *plugin,
			  const struct la_setting_values *setting,
			  struct la_error *err)
{
	const struct la_options *options = &plugin->options;
	const struct la_allocator_config config = {
		.policy = options->policy,
		.setting = setting,
		.device = plugin->devices.device,
		.total = plugin->devices.total,
		.device_count = plugin->devices.count,
		.history = options->history,
		.empty_above = options->smart_cache,
		.split = options->log_split ? log_split : NULL,
	};
	double fraction = setting->per_process_memory_fraction;
	unsigned int i;
	int status = la_allocator_new(&plugin->allocator, &config, err);

	for (i = 0; status == 0 && i < plugin->devices.count; i++)
		status = la_plugin_fraction(plugin, i, fraction);
	return status;
}

static int fill(struct la_plugin *plugin, struct la_error *err)
{
	struct la_setting *setting;
	int status = 0;

	plugin->options = wanted;
	plugin->release = wanted_release ? wanted_release : RELEASE;
	if (!wanted_release)
		status = read_environment(&plugin->options, err);
	if (status == 0)
		status = read_setting(&setting, plugin->release, err);
	if (status < 0)
		return status;
	status = la_devices_open(&plugin->devices, err);
	if (status < 0)
		goto out_free_setting;
	status = make_allocator(plugin, la_setting_values(setting), err);
	if (status == 0 && *plugin->options.report)
		status = la_report_start(plugin, err);
	if (status < 0) {
		la_allocator_free(plugin->allocator);
		la_devices_close(&plugin->devices);
	}
out_free_setting:
	la_setting_free(setting);
	return status;
}

static int make(struct la_error *err)
{
	struct la_plugin *plugin = calloc(1, sizeof(*plugin));
	int status;

	if (!plugin)
		return -ENOMEM;
	status = fill(plugin, err);
	if (status < 0)
		free(plugin);
	else
		atomic_store_explicit(&the_plugin, plugin,
				      memory_order_release);
	return status;
}

static _Noreturn void fail_to_make(int status, const struct la_error *err)
{
	char text[512];
	int length = snprintf(text, sizeof(text), "liballoc: %s",
			      err->code ? err->text : strerror(-status));

	if (err->code && err->offset != LA_NO_OFFSET)
		snprintf(text + length, sizeof(text) - (size_t)length,
			 " (at byte %llu)", (unsigned long long)err->offset);
	la_throw(LA_THROWN_ERROR, text);
}

struct la_plugin *la_plugin(void)
{
	struct la_plugin *plugin = la_plugin_if_used();
	struct la_error err = { .code = 0, .offset = LA_NO_OFFSET };
	int status = 0;

	if (plugin)
		return plugin;
	pthread_mutex_lock(&lock);
	if (!la_plugin_if_used())
		status = make(&err);
	pthread_mutex_unlock(&lock);
	if (status < 0)
		fail_to_make(status, &err);
	return la_plugin_if_used();
}

static _Noreturn void fail_for_memory(struct la_plugin *plugin,
				      const struct la_allocator_oom *oom)
{
	const struct la_oom_place place = {
		.policy = la_plugin_policy(plugin),
		.free = la_devices_free_bytes(&plugin->devices, oom->device),
	};
	la_plugin_observer *observer = atomic_load(&the_observer);
	char text[LA_OOM_TEXT];

	la_oom_text(text, oom, &place);
	if (observer)
		observer((int)oom->device, oom->size, oom->total, place.free);
	la_throw(LA_THROWN_OOM, text);
}

/* Of other failures than of memory, with what the driver says. */
static _Noreturn void fail_otherwise(struct la_plugin *plugin, int status,
				     unsigned int device)
{
	char text[512], driver[256];

	la_devices_message(&plugin->devices, device, driver, sizeof(driver));
	snprintf(text, sizeof(text), "liballoc: GPU %u: %s%s%s", device,
		 status == -ENOMEM ? "out of host memory" : strerror(-status),
		 *driver && status != -ENOMEM ? ": " : "",
		 status != -ENOMEM ? driver : "");
	la_throw(LA_THROWN_ERROR, text);
}

_Noreturn void la_plugin_fail(struct la_plugin *plugin, int status,
			      unsigned int device)
{
	struct la_allocator_oom oom;

	if (status == -ENOSPC &&
	    la_allocator_oom_of(plugin->allocator, &oom) == 0)
		fail_for_memory(plugin, &oom);
	if (status == -ECHILD)
		la_throw(LA_THROWN_ERROR,
			 "liballoc: the GPU cannot be used in a forked "
			 "process; start it by 'spawn' or 'forkserver'");
	fail_otherwise(plugin, status, device);
}
