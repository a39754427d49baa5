/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plugin.h
 * @brief What liballoc-torch.so leaves behind of a process: a file that is
 *        written while it runs, so that a killed one has one too.
 *
 * LIBALLOC_CONF=report:FOLDER asks for it.  Each process that uses a GPU makes
 * one file of struct la_report; `allocctl run` reads them.
 */
#ifndef LIBALLOC_PLUGIN_H
#define LIBALLOC_PLUGIN_H

#include <stdint.h>

#include <liballoc/allocator.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief First bytes of a report, with the version of its layout. */
#define LA_REPORT_MAGIC "LAREPO1"

/** @brief Most devices that a report tells of. */
#define LA_REPORT_DEVICES 16

/** @brief Last bytes of the names of reports. */
#define LA_REPORT_SUFFIX ".report"

/** @brief How often a running process writes its figures, in milliseconds. */
#define LA_REPORT_PERIOD_MS 100

/** @brief What a process did with a device. */
struct la_report_device {
	uint64_t total; /**< bytes of the card; 0: unknown */
	uint64_t cap; /**< bytes allowed; UINT64_MAX: no bound */
	struct la_allocator_stats stats; /**< figures */
};

/** @brief What a process did. */
struct la_report {
	char magic[8]; /**< LA_REPORT_MAGIC */
	uint64_t size; /**< bytes of this struct */
	uint64_t pid; /**< of the process */
	uint64_t start_ns; /**< CLOCK_BOOTTIME when it was made */
	uint64_t last_ns; /**< the same when figures were last written */
	uint32_t ended; /**< 1: figures are those of a clean exit */
	uint32_t policy; /**< enum la_heap_policy */
	uint32_t device_count; /**< devices below */
	uint32_t reserved; /**< 0 */
	struct la_report_device device[LA_REPORT_DEVICES]; /**< by number */
};

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_PLUGIN_H */
