/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beginning of a recording: header, devices and OOMs.  Cheap to read, and
 * of a process that runs as often as one likes; la_probe_open() reads it all.
 */
#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include <stdint.h>
#include <sys/stat.h>

#include <liballoc/probe.h>

/*
 * Open a recording, a file and no link, with O_RDONLY or O_RDWR.  A descriptor,
 * or -errno with a reason in err.
 */
int head_open(int folder, const char *name, int mode, struct stat *st,
	      struct la_error *err);

/*
 * Read what is there now: 0, or -errno with a reason in err.  The probe has
 * neither records nor holdings.
 */
int head_read(struct la_probe **out, int fd, struct la_error *err);

/* Of a time in the recording: CLOCK_REALTIME in seconds, and ns since the
 * beginning, 0 for what was before. */
int64_t head_seconds(const struct la_probe_header *header, uint64_t time);
uint64_t head_since(const struct la_probe_header *header, uint64_t time);

#endif /* REPORT_HEAD_H */
