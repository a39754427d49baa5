/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapped file: where it lies, its chunks of records, its table of what is
 * live.  Safe from any thread, without malloc and without system calls once it
 * is open.  A forked child has no store.
 */
#ifndef PROBE_STORE_H
#define PROBE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/probe-format.h>

#include "core/config.h"

/*
 * The open file; header NULL: none.  Owner: the process.  Set once by
 * store_open() before any other function is called; a forked child sets header
 * to NULL and never touches the mapping.
 */
struct store {
	struct la_probe_header *header;
	struct la_probe_device *device; /* [LA_PROBE_DEVICES] */
	struct la_probe_oom *oom; /* [LA_PROBE_OOMS] */
	char path[512]; /* of the file */
};

extern struct store store;

/*
 * Choose the directory, make the file with all its room, write the header.
 * 0, or -errno after a line in message: then nothing is left behind.
 */
int store_open(const struct config *config, char message[256]);

/* Mark a clean exit.  The mapping stays. */
void store_end(void);

/*
 * Append a record; time, thread and sequence are filled in here, time only
 * where it is 0.  The record is in the file when this returns, or its sequence
 * is 0 and it is counted as lost.
 */
void store_record(enum la_probe_level level, struct la_probe_record *record);

/*
 * The table.  Keys are addr and kind.  Adding what is there replaces it and
 * says so in *old (size 0: it was not there); old may be NULL.  False: there
 * is no room for it.  Removing and finding say whether it was there, and what
 * it was.
 */
bool store_add(const struct la_probe_holding *holding,
	       struct la_probe_holding *old);
bool store_remove(uint64_t addr, enum la_probe_kind kind,
		  struct la_probe_holding *old);
bool store_find(uint64_t addr, enum la_probe_kind kind,
		struct la_probe_holding *found);
/* Add to the references of a holding: what is left, or 0 if it was not there;
 * at 0 it is removed, and *old is what it was. */
unsigned int store_refer(uint64_t addr, enum la_probe_kind kind, int change,
			 struct la_probe_holding *old);
/* Remove all of which goes() says so, calling each() with what it was: a walk
 * through the whole table.  goes() is called under a lock. */
typedef bool store_goes(const struct la_probe_holding *holding,
			const void *data);
void store_remove_all(store_goes *goes, const void *data,
		      void (*each)(const struct la_probe_holding *old));
/* Remove all of one kind whose address lies in [addr, addr + size), calling
 * each() with what it was.  For unmaps of ranges: walks the whole table only
 * if there is no entry at addr itself that spans the range. */
void store_remove_range(uint64_t addr, uint64_t size, enum la_probe_kind kind,
			void (*each)(const struct la_probe_holding *old));

/* Live bytes of a device by kind, with their peak and count. */
void store_count(unsigned int device, enum la_probe_kind kind, int64_t size);

/* A free slot of the OOMs: one whose episode a retry ended, else the first
 * 16 are kept and later ones take turns in the rest.  Its serial is 0 until
 * the caller has filled it. */
struct la_probe_oom *store_oom(uint64_t *serial);

/* Make the pages of the records that come next ready to be written, so that no
 * hook waits for the file system.  From one thread, now and then. */
void store_prepare(void);

uint64_t store_now(void); /* CLOCK_MONOTONIC in ns */
uint32_t store_thread(void); /* kernel's id, cached */

#endif /* PROBE_STORE_H */
