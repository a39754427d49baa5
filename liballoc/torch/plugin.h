/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one allocator of a process, which hooks share as torch gives them no
 * argument of ours.
 *
 * One path to read first: la_torch_alloc() in hooks.c, then la_plugin() for
 * the first request, and la_plugin_fail() for one that is not served.
 *
 * Locking: plugin.c has the lock of what may be set before the first use; the
 * allocator has its own.
 */
#ifndef LA_TORCH_PLUGIN_H
#define LA_TORCH_PLUGIN_H

#include <stdint.h>

#include <liballoc/allocator.h>

#include "torch/devices.h"
#include "torch/options.h"

/* Immutable once it is there, but for what the allocator guards. */
struct la_plugin {
	struct la_allocator *allocator;
	struct la_devices devices;
	struct la_options options;
	unsigned int release; /* of torch */
	uint64_t cap[LA_DEVICES_MAX]; /* bytes; of statistics alone */
};

/* It, made at the first call; throws where that is not possible. */
struct la_plugin *la_plugin(void);

/* It, or NULL before the first use. */
struct la_plugin *la_plugin_if_used(void);

/*
 * Before the first use: the release of torch ("2.11.0+cu130"; NULL: 2.11) and
 * options on top of those of LIBALLOC_CONF.  -EBUSY afterwards.
 */
int la_plugin_configure(const char *release, const char *options,
			struct la_error *err);

/* Name of the policy of a plug-in. */
const char *la_plugin_policy(const struct la_plugin *plugin);

/* Let a fraction of a card be the most that is held of it; a limit of the
 * options holds all the same. */
int la_plugin_fraction(struct la_plugin *plugin, unsigned int device,
		       double fraction);

/* Hears of each request that fails for want of memory, before it throws;
 * sizes in bytes, free is UINT64_MAX where unknown. */
typedef void la_plugin_observer(int device, uint64_t size, uint64_t total,
				uint64_t free);

/* NULL: nobody. */
void la_plugin_observe(la_plugin_observer *observer);

/* Throw what a negative errno value of the allocator means. */
_Noreturn void la_plugin_fail(struct la_plugin *plugin, int status,
			      unsigned int device);

/* report.c: write figures while the process runs and when it ends. */
int la_report_start(const struct la_plugin *plugin, struct la_error *err);

#endif /* LA_TORCH_PLUGIN_H */
