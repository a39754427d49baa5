/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file setting.h
 * @brief PYTORCH_CUDA_ALLOC_CONF strings, as torch 2.11 reads them.
 */
#ifndef LIBALLOC_SETTING_H
#define LIBALLOC_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A parsed setting; immutable. */
struct la_setting;

/** @brief When torch sees the string: it decides what an error does. */
enum la_set_at {
	LA_SET_AT_IMPORT, /**< present before `import torch` */
	LA_SET_AT_INIT, /**< set after import, before CUDA is initialised */
	LA_SET_AT_RUNTIME /**< given to the setter */
};

/** @brief Number of slots of roundup_power2_divisions. */
#define LA_ROUNDUP_SLOTS 16

/** @brief Values as torch understands them. */
struct la_setting_values {
	uint64_t max_split_size; /**< bytes; UINT64_MAX: no bound */
	uint64_t max_non_split_rounding; /**< bytes */
	uint64_t large_segment_size; /**< bytes */
	double garbage_collection_threshold; /**< share of the cap; 0: off */
	double per_process_memory_fraction; /**< 0 to 1; 1: no cap */
	/** Slot i serves requests from 2^(20+i) bytes, slot 0 also smaller
	 *  ones, slot 15 also larger ones; 0 and 1: off. */
	uint64_t roundup_power2_divisions[LA_ROUNDUP_SLOTS];
	uint64_t pinned_num_register_threads; /**< threads */
	uint64_t pinned_reserve_segment_size; /**< bytes; 0: off */
	bool expandable_segments; /**< segments that grow */
	bool release_lock_on_cudamalloc; /**< lock dropped in cudaMalloc */
	bool pinned_use_cuda_host_register; /**< host side only */
	bool pinned_use_background_threads; /**< host side only */
	bool graph_capture_record_stream_reuse; /**< graph capture only */
	bool cuda_malloc_async; /**< backend:cudaMallocAsync */
};

/**
 * @brief Parse a setting as torch 2.11 would.
 * @param[out] out the setting; untouched on failure
 * @param text     the string, not necessarily terminated
 * @param length   bytes of text
 * @param set_at   when torch sees it
 * @param err      on -EINVAL: torch's own error text and the byte of the
 *                 token that it objects to; may be NULL
 * @retval 0       torch accepts it; release with la_setting_free()
 * @retval -EINVAL torch refuses it
 * @retval -ENOMEM out of memory
 *
 * Source: torch 2.11.0, compared with what that release did with 1,722
 * strings.
 */
int la_setting_parse(struct la_setting **out, const char *text, size_t length,
		     enum la_set_at set_at, struct la_error *err);

/**
 * @brief Release a setting.
 * @param setting setting, or NULL for no action
 */
void la_setting_free(struct la_setting *setting);

/**
 * @brief The values of a setting.
 * @param setting setting
 * @return the values, owned by the setting
 */
const struct la_setting_values *
la_setting_values(const struct la_setting *setting);

/**
 * @brief The string that a setting was parsed from.
 * @param setting setting
 * @return the string, terminated, owned by the setting
 */
const char *la_setting_text(const struct la_setting *setting);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_SETTING_H */
