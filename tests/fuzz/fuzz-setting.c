// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a setting, at each of the three times: the same answer twice,
 * places inside the string, and values that the options allow.
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "util/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_division(uint64_t value)
{
	return !(value & (value - 1));
}

static void check_values(const struct la_setting_values *v)
{
	int i;

	assert(v->large_segment_size >= 11 * MIB);
	assert(v->max_split_size >= v->large_segment_size);
	assert(v->max_non_split_rounding >= v->large_segment_size);
	assert(v->garbage_collection_threshold >= 0 &&
	       v->garbage_collection_threshold < 1);
	assert(v->per_process_memory_fraction >= 0 &&
	       v->per_process_memory_fraction <= 1);
	assert(v->pinned_num_register_threads &&
	       is_division(v->pinned_num_register_threads) &&
	       v->pinned_num_register_threads <= 128);
	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		assert(is_division(v->roundup_power2_divisions[i]));
}

static void check_remarks(const struct la_setting_check *check, size_t size)
{
	const struct la_setting_remark *remark;
	size_t i, nr;

	remark = la_setting_check_remarks(check, &nr);
	for (i = 0; i < nr; i++) {
		assert(remark[i].offset <= size);
		assert(remark[i].length <= size - remark[i].offset);
		assert(!i || remark[i].offset >= remark[i - 1].offset);
		assert(*remark[i].text);
	}
}

static void check_once(const char *text, size_t size, enum la_set_at set_at)
{
	const struct la_setting_refusal *refusal;
	const struct la_setting *setting;
	struct la_setting_check *check;
	struct la_setting *again = NULL;
	struct la_error err;
	int ret;

	const struct la_setting_context context = { LA_RELEASE(2, 11), set_at,
						    LA_BUILD_CUDA, NULL };
	assert(!la_setting_check_new(&check, text, size, &context));
	ret = la_setting_parse(&again, text, size, set_at, &err);
	setting = la_setting_check_setting(check);
	refusal = la_setting_check_refusal(check);
	assert(!setting == !!refusal);
	if (setting) {
		assert(!ret);
		check_values(la_setting_values(setting));
		assert(!memcmp(la_setting_values(setting),
			       la_setting_values(again),
			       sizeof(struct la_setting_values)));
	} else {
		assert(ret == -EINVAL && !again);
		assert(refusal->offset == err.offset);
		assert(refusal->offset <= size);
		assert(refusal->length <= size - refusal->offset);
		assert(!strncmp(refusal->text, err.text, strlen(err.text)));
	}
	check_remarks(check, size);
	la_setting_check_free(check);
	la_setting_free(again);
}

/* Random bytes rarely make a word: one byte in three stands for one. */
static size_t spell(const uint8_t *data, size_t size, char *text, size_t max)
{
	static const char *const words[] = {
		"max_split_size_mb:", "max_non_split_rounding_mb:",
		"large_segment_size_mb:", "garbage_collection_threshold:",
		"roundup_power2_divisions:", "expandable_segments:",
		"backend:", "pinned_num_register_threads:",
		"per_process_memory_fraction:", "True", "False", "native",
		"cudaMallocAsync", "[", "]", ",", ":", ">", "64", "0.5", "256:2",
		"-1", "1e3", " ", "18446744073709551615", "0x1p-1",
		"pinned_reserve_segment_size_mb:",
		"pinned_use_background_threads:",
	};
	size_t i, n, length = 0;

	for (i = 0; i < size; i++) {
		const char *word = words[data[i] % ARRAY_SIZE(words)];

		if (data[i] % 3 && data[i] < 0x80)
			word = NULL;
		n = word ? strlen(word) : 1;
		if (length + n > max)
			break;
		memcpy(text + length, word ? word : (const char *)data + i, n);
		length += n;
	}
	return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[4096];
	size_t length;
	int set_at;

	length = spell(data, size, text, sizeof(text));
	for (set_at = LA_SET_AT_IMPORT; set_at <= LA_SET_AT_RUNTIME; set_at++) {
		check_once((const char *)data, size, set_at);
		check_once(text, length, set_at);
	}
	return 0;
}
