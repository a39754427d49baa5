/* SPDX-License-Identifier: Apache-2.0 */
/* A file of the probe, as its reader's parts see it. */
#ifndef LA_TRACE_PROBE_H
#define LA_TRACE_PROBE_H

#include <liballoc/probe.h>

#include "trace/input.h"

struct la_probe {
	struct la_probe_header header; /* checked; counts are what is there */
	struct la_probe_device device[LA_PROBE_DEVICES];
	struct la_probe_oom oom[LA_PROBE_OOMS]; /* by time */
	size_t oom_count;
	struct la_probe_holding *holding; /* owned, by kind and address */
	size_t holding_count;
	struct la_probe_record *record; /* owned, by time */
	size_t record_count;
	struct la_probe_losses losses;
};

/* The bytes of a file, at their place in it. */
struct la_probe_bytes {
	const uint8_t *data;
	size_t size;
	/* Of each chunk of both levels, driver first: its serial once more,
	 * read after everything else.  NULL: nobody writes. */
	const uint64_t *serial;
};

/* Read what comes of the input: as la_probe_open(), at most `most` bytes. */
int la_probe_read_input(struct la_probe **out, struct la_input *in,
			uint64_t most, struct la_error *err);

/* Fill probe->header of the bytes, or say why they are no such file. */
int la_probe_check_header(struct la_probe *probe,
			  const struct la_probe_bytes *bytes,
			  struct la_error *err);

/* These fill the rest; 0 or -ENOMEM. */
void la_probe_take_devices(struct la_probe *probe,
			   const struct la_probe_bytes *bytes);
void la_probe_take_ooms(struct la_probe *probe,
			const struct la_probe_bytes *bytes);
int la_probe_take_holdings(struct la_probe *probe,
			   const struct la_probe_bytes *bytes);
int la_probe_take_records(struct la_probe *probe,
			  const struct la_probe_bytes *bytes);

/* What PyTorch held when it made a report, as a recording without events; the
 * number of a record.  *pool: that of a request there, as pools of segments
 * are numbered.  0 or -ENOMEM. */
int la_probe_moment(struct la_recording **out, const struct la_probe *probe,
		    size_t report, uint64_t *pool);

/* Make a text of `size` bytes end, and free of what is no text; lines: it may
 * have several. */
void la_probe_clean(char *text, size_t size, bool lines);

/* Is it of the allocator's level? */
static inline bool la_probe_is_report(const struct la_probe_record *record)
{
	return record->op >= LA_PROBE_OP_BLOCK_ALLOC &&
	       record->op <= LA_PROBE_OP_BLOCK_OOM;
}

#endif /* LA_TRACE_PROBE_H */
