/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file probe.h
 * @brief Reads what cupti-probe recorded of a process, dead or running.
 *
 * The allocator's level reads as a recording, like a snapshot: la_probe_open()
 * finds what torch asked and which segments it got, la_probe_recording() gives
 * it, and la_recording_open() takes such a file too.  The driver's level gives
 * facts of its own, la_facts_of_probe() of triage.h.
 *
 * A file is untrusted: every offset, count and text is checked.
 */
#ifndef LIBALLOC_PROBE_H
#define LIBALLOC_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>
#include <liballoc/probe-format.h>
#include <liballoc/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A file of the probe, read at one moment; immutable. */
struct la_probe;

/**
 * @brief Read a file of the probe.
 * @param[out] out the probe; untouched on failure
 * @param path     file; plain, or compressed
 * @param err      what is wrong and where, may be NULL
 * @retval 0        success; release with la_probe_free()
 * @retval -EBADMSG not such a file, or damaged beyond use; err has the offset
 * @retval -ENOTSUP of a later version, or of another byte order
 * @retval -E2BIG   larger than any probe writes
 * @retval -ENOMEM  out of memory
 * @retval -errno   the file cannot be read
 *
 * What a damaged part says is left out and counted, see la_probe_losses.
 */
int la_probe_open(struct la_probe **out, const char *path,
		  struct la_error *err);

/**
 * @brief Read a file of the probe from memory.
 * @param[out] out the probe; untouched on failure
 * @param data     its bytes, not compressed; not needed afterwards
 * @param size     number of bytes
 * @param err      what is wrong and where, may be NULL
 * @return as la_probe_open()
 */
int la_probe_read(struct la_probe **out, const void *data, size_t size,
		  struct la_error *err);

/**
 * @brief Release a probe.
 * @param probe probe, or NULL for no action
 */
void la_probe_free(struct la_probe *probe);

/**
 * @brief Are these the first bytes of a file of the probe?
 * @param data bytes
 * @param size number of bytes
 * @return true if they are, of any version
 */
bool la_probe_is(const void *data, size_t size);

/**
 * @brief The header: all texts end in a zero byte and have no control
 *        characters, all offsets and counts are within the file.
 * @param probe probe
 * @return the header, owned by the probe
 */
const struct la_probe_header *la_probe_header(const struct la_probe *probe);

/**
 * @brief A device.
 * @param probe  probe
 * @param device ordinal, below la_probe_header.device_count
 * @return the device, owned by the probe; its name ends in a zero byte
 */
const struct la_probe_device *la_probe_device(const struct la_probe *probe,
					      unsigned int device);

/**
 * @brief All records that are whole, by time.
 * @param probe      probe
 * @param[out] count number of records
 * @return the records, owned by the probe
 */
const struct la_probe_record *la_probe_records(const struct la_probe *probe,
					       size_t *count);

/**
 * @brief What was live at the end, by kind, then address; each once.
 * @param probe      probe
 * @param[out] count number of holdings
 * @return the holdings, owned by the probe
 */
const struct la_probe_holding *la_probe_holdings(const struct la_probe *probe,
						 size_t *count);

/**
 * @brief The episodes that are kept, by time.
 * @param probe      probe
 * @param[out] count number of episodes
 * @return the episodes, owned by the probe
 */
const struct la_probe_oom *la_probe_ooms(const struct la_probe *probe,
					 size_t *count);

/**
 * @brief Is an episode an out-of-memory, not a try that went well later?
 * @param oom episode
 * @return true if it is
 */
bool la_probe_oom_failed(const struct la_probe_oom *oom);

/** @brief What is not there, by why. */
struct la_probe_losses {
	uint64_t overwritten; /**< records that later ones took the place of */
	uint64_t torn; /**< records and holdings that were not finished */
	uint64_t unwritten; /**< records for which no chunk was to be had */
	uint64_t unkept; /**< holdings for which the table had no room */
	uint64_t damaged; /**< parts that contradict themselves */
};

/**
 * @brief What a file lacks.
 * @param probe probe
 * @return the numbers, owned by the probe
 */
const struct la_probe_losses *la_probe_losses(const struct la_probe *probe);

/**
 * @brief Is the process that a file speaks of still running on this host?
 * @param probe probe
 * @return true if its pid, start time and boot are those of a process
 */
bool la_probe_is_running(const struct la_probe *probe);

/**
 * @brief The allocator's level as a recording.
 * @param[out] out the recording, for la_recording_free(); untouched on failure
 * @param probe    probe
 * @param err      what is wrong, may be NULL
 * @retval 0        success
 * @retval -ENODATA the allocator's level was not seen
 * @retval -ENOMEM  out of memory
 *
 * Requests are blocks as handed out, thus rounded; all are of one stream.
 * Blocks that were handed out while the thread captured a graph are in a pool
 * of their own, (0, n) for the n-th capture.  Segments are what the driver
 * gave between two reports of the allocator and what it holds blocks in.
 */
int la_probe_recording(struct la_recording **out, const struct la_probe *probe,
		       struct la_error *err);

/**
 * @brief Was a recording read of a probe's file?  It is no proof then.
 * @param recording recording
 * @return true if it was
 */
bool la_recording_is_probe(const struct la_recording *recording);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_PROBE_H */
