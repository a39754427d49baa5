/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PyTorch's allocator tells its profiler: two functions of libc10.so,
 * reached by patched slots or as exported symbols.
 */
#ifndef PROBE_PRELOAD_TORCH_H
#define PROBE_PRELOAD_TORCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TORCH_REPORT "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"
#define TORCH_REPORT_OOM "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE"

/* Exported.  device: c10::Device, the low byte its type, the high byte its
 * index. */
void torch_report(void *block, int64_t size, size_t allocated, size_t reserved,
		  uint16_t device) __asm__(TORCH_REPORT);
void torch_report_oom(int64_t size, size_t allocated, size_t reserved,
		      uint16_t device) __asm__(TORCH_REPORT_OOM);

/* From now on reports go to the core as well; before, only to libc10. */
void torch_watch(void);

/* From probe_tick: tell the core, once, which PyTorch it is. */
void torch_tick(void);

#endif /* PROBE_PRELOAD_TORCH_H */
