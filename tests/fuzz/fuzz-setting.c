// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a setting, for any release and build at each time, fresh and
 * on top of what went before: the same answer twice, places inside the string,
 * and values that the options allow.
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

/* Negative numbers of 32 bits become divisions of 64. */
static void check_values(const struct la_setting_values *v)
{
	int i;

	assert(v->large_segment_size >= 11 * MIB);
	assert(v->max_split_size >= 11 * MIB);
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

static void check_refusal(const struct la_setting_refusal *refusal, size_t size,
			  const struct la_error *err)
{
	assert(refusal->offset == err->offset);
	assert(refusal->offset <= size);
	assert(refusal->length <= size - refusal->offset);
	assert(!strncmp(refusal->text, err->text, strlen(err->text)));
	assert(*refusal->exception);
}

/* after: what holds after the parse. */
static void check_once(const char *text, size_t size,
		       const struct la_setting_context *context,
		       struct la_setting_values *after)
{
	const struct la_setting_values *v;
	struct la_setting_check *check;
	struct la_setting *again = NULL;
	struct la_error err;
	int ret;

	assert(!la_setting_check_new(&check, text, size, context));
	ret = la_setting_parse_for(&again, text, size, context, &err);
	v = la_setting_check_values(check);
	check_values(v);
	if (la_setting_check_setting(check)) {
		assert(!ret && !la_setting_check_refusal(check));
		assert(!memcmp(v, la_setting_values(again), sizeof(*v)));
	} else {
		assert(ret == -EINVAL && !again);
		check_refusal(la_setting_check_refusal(check), size, &err);
	}
	check_remarks(check, size);
	memcpy(after, v, sizeof(*v));
	la_setting_check_free(check);
	la_setting_free(again);
}

/* Random bytes rarely make a word: one byte in three stands for one. */
static size_t spell(const uint8_t *data, size_t size, char *text, size_t max)
{
	static const char *const words[] = {
		"True",
		"False",
		"native",
		"cudaMallocAsync",
		"hipMallocAsync",
		"[",
		"]",
		",",
		":",
		">",
		"64",
		"0.5",
		"256:2",
		"-1",
		"1e3",
		" ",
		"18446744073709551615",
		"0x1p-1",
		"40G",
		"1",
		"0",
		"\t",
	};
	const struct la_setting_option *option;
	size_t i, n, nr_options = 0, length = 0;

	while (la_setting_option_at(nr_options))
		nr_options++;
	for (i = 0; i < size; i++) {
		size_t index = data[i] % (ARRAY_SIZE(words) + nr_options);
		const char *word = (const char *)data + i;

		option = la_setting_option_at(index);
		n = 1;
		if (data[i] % 3 == 0 || data[i] >= 0x80) {
			word = option ? option->name :
					words[index - nr_options];
			n = strlen(word);
		}
		if (length + n > max)
			break;
		memcpy(text + length, word, n);
		length += n;
	}
	return length;
}

static void check_text(const char *text, size_t length, unsigned int release,
		       enum la_build build)
{
	struct la_setting_context context = {
		.release = release,
		.build = build,
	};
	struct la_setting_values after;
	int set_at;

	for (set_at = LA_SET_AT_IMPORT; set_at <= LA_SET_AT_RUNTIME; set_at++) {
		context.set_at = set_at;
		context.previous = NULL;
		check_once(text, length, &context, &after);
		context.previous = &after;
		check_once(text, length, &context, &after);
	}
}

/* The first two bytes choose who reads the others. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int nr_releases = 0, release;
	enum la_build build;
	char text[4096];

	if (size < 2)
		return 0;
	while (la_release_at(nr_releases))
		nr_releases++;
	release = la_release_at(data[0] % nr_releases)->number;
	build = data[1] % 3;
	data += 2;
	size -= 2;
	check_text((const char *)data, size, release, build);
	check_text(text, spell(data, size, text, sizeof(text)), release, build);
	return 0;
}
