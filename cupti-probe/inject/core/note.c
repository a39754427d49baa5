// SPDX-License-Identifier: Apache-2.0
/* What the front ends say of themselves: notes, views, versions. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/spin.h"
#include "core/store.h"

static spinlock note_lock; /* for an append to the header's note */

/* A line that there is no room for is left out whole. */
static void append(const char *line)
{
	char *note = store.header->note;
	size_t used, size = strlen(line);

	spin_lock(&note_lock);
	used = strnlen(note, sizeof(store.header->note));
	if (used + size + 2 <= sizeof(store.header->note)) {
		memcpy(note + used + 1, line + 1, size);
		note[used + size] = '\n';
		note[used + size + 1] = '\0';
		__atomic_store_n(&note[used], line[0], __ATOMIC_RELEASE);
	}
	spin_unlock(&note_lock);
}

void probe_note(const char *format, ...)
{
	int saved = errno;
	char line[256];
	va_list args;
	char *c;

	if (!store.header)
		return;
	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	if (*line)
		append(line);
	errno = saved;
}

void probe_view_begin(enum la_probe_level level)
{
	struct la_probe_view *view;

	if (!store.header)
		return;
	view = &store.header->view[level];
	if (view->from && !view->until)
		return;
	__atomic_store_n(&view->from, store_now(), __ATOMIC_RELAXED);
	__atomic_store_n(&view->until, 0, __ATOMIC_RELAXED);
}

void probe_view_end(enum la_probe_level level, const char *why)
{
	struct la_probe_view *view;

	if (!store.header)
		return;
	view = &store.header->view[level];
	if (view->from && !view->until)
		__atomic_store_n(&view->until, store_now(), __ATOMIC_RELAXED);
	if (why)
		probe_note("%s", why);
}

void probe_torch(const char *release)
{
	struct la_probe_header *header = store.header;

	if (header)
		strncpy(header->torch, release, sizeof(header->torch) - 1);
}

void probe_cupti_version(uint32_t version)
{
	if (store.header)
		store.header->cupti_version = version;
}
