// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdio.h>

#include "support/locked.h"
#include "support/plugin.h"
#include "torch/devices.h"

_Thread_local enum la_thrown plugin_thrown;
_Thread_local char plugin_text[4096];
uint64_t plugin_card = UINT64_C(1) << 30;

/* Where an exception of this thread goes. */
static _Thread_local jmp_buf caught;

_Noreturn void la_throw(enum la_thrown kind, const char *text)
{
	plugin_thrown = kind;
	snprintf(plugin_text, sizeof(plugin_text), "%s", text);
	longjmp(caught, 1);
}

bool plugin_throws(void (*act)(void *data), void *data)
{
	plugin_text[0] = '\0';
	if (setjmp(caught))
		return true;
	act(data);
	return false;
}

static int open_one(struct la_devices *devices)
{
	uint64_t top = UINT64_C(0x7f0000000000);
	struct la_device *sim;
	int status;

	top -= (uint64_t)devices->count << 40;
	status = la_device_sim(&sim, LA_LAYOUT_RULE, plugin_card, top);
	if (status < 0)
		return status;
	devices->device[devices->count] = locked_new(sim, sim);
	devices->total[devices->count++] = plugin_card;
	return 0;
}

int la_devices_open(struct la_devices *devices, struct la_error *err)
{
	int status = 0;

	(void)err;
	*devices = (struct la_devices){ .count = 0 };
	while (status == 0 && devices->count < PLUGIN_DEVICES)
		status = open_one(devices);
	return status;
}

void la_devices_close(struct la_devices *devices)
{
	while (devices->count)
		la_device_destroy(devices->device[--devices->count]);
}

uint64_t la_devices_free_bytes(const struct la_devices *devices,
			       unsigned int number)
{
	(void)devices;
	(void)number;
	return UINT64_MAX;
}

void la_devices_message(const struct la_devices *devices, unsigned int number,
			char *text, size_t size)
{
	(void)devices;
	(void)number;
	(void)size;
	*text = '\0';
}
