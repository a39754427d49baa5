// SPDX-License-Identifier: Apache-2.0
/* Holes of sparse cores, which are as large as the addresses a process held. */
#include <errno.h>
#include <unistd.h>

#include "triage/core.h"

uint64_t la_core_skip_hole(struct la_input *in, uint64_t most)
{
	off_t at, data;
	uint64_t size;

	if (in->fd < 0 || in->codec || in->p != in->end || in->packed_size)
		return 0;
	at = lseek(in->fd, 0, SEEK_CUR);
	if (at < 0)
		return 0;
	data = lseek(in->fd, at, SEEK_DATA);
	if (data < 0 && errno == ENXIO)
		data = lseek(in->fd, 0, SEEK_END);
	size = data > at ? (uint64_t)(data - at) : 0;
	if (size > most)
		size = most;
	if (lseek(in->fd, at + (off_t)size, SEEK_SET) < 0)
		return 0;
	in->base += (uint64_t)(in->end - in->start) + size;
	in->start = in->p = in->end;
	return size;
}
