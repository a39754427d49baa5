/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plug-in on simulated devices, and its exceptions as texts: stands in for
 * torch/devices.c and torch/throw.c.  Programs called test-torch-* have it.
 */
#ifndef TESTS_PLUGIN_H
#define TESTS_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "torch/throw.h"

enum { PLUGIN_DEVICES = 2 };

/* What the last exception was; text is "" if nothing was thrown. */
extern _Thread_local enum la_thrown plugin_thrown;
extern _Thread_local char plugin_text[4096];

/* Do what may throw; did it? */
bool plugin_throws(void (*act)(void *data), void *data);

/* Bytes of each simulated card. */
extern uint64_t plugin_card;

/* The hooks, as torch calls them. */
struct plugin_pool {
	unsigned long long part[2];
};
struct la_filter;
void *la_torch_alloc(ssize_t size, int device, void *stream);
void *la_torch_segment_alloc(ssize_t size, int device, void *stream);
void la_torch_free(void *at, ssize_t size, int device, void *stream);
void la_torch_init(int device_count);
void la_torch_reset(void);
void la_torch_memory_fraction(double fraction, int device);
void *la_torch_base_alloc(void *at, size_t *size);
void la_torch_record_stream(void *at, void *stream);
void la_torch_begin_allocate_to_pool(int device, struct plugin_pool id,
				     const struct la_filter *filter);
void la_torch_end_allocate_to_pool(int device, struct plugin_pool id);
void la_torch_release_pool(int device, struct plugin_pool id);
void la_torch_trial(void);

#endif /* TESTS_PLUGIN_H */
