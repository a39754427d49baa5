// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "setting/number.h"
#include "setting/parser.h"
#include "util/util.h"

enum { LARGE_MB = 20 };

const struct la_option *la_parser_option(const struct la_parser *p, size_t i)
{
	return la_option_find(p->context->release, p->tokens->token[i].text,
			      p->tokens->token[i].length);
}

void *la_parser_field(struct la_parser *p, const struct la_option *option)
{
	return (char *)p->values + option->field;
}

/* The C++ library's text is the name of its function; Microsoft's says more. */
static int bad_number(struct la_parser *p, size_t i, int err,
		      const char *function)
{
	bool windows = p->context->platform == LA_PLATFORM_WINDOWS;

	if (err == -ERANGE)
		return la_parser_refuse(p, i, LA_REFUSAL_OVERFLOW, "%s%s",
					function,
					windows ? " argument out of range" :
						  "");
	if (err == -EINVAL)
		return la_parser_refuse(p, i, LA_REFUSAL_NUMBER, "%s%s%s",
					windows ? "invalid " : "", function,
					windows ? " argument" : "");
	return err;
}

int la_parser_stoi(struct la_parser *p, size_t i, uint64_t *out)
{
	size_t used;
	int err = la_stoi(p->tokens->token[i].text, out, &used);

	return err < 0 ? bad_number(p, i, err, "stoi") : 0;
}

int la_parser_stoul(struct la_parser *p, size_t i, uint64_t *out)
{
	const char *text = p->tokens->token[i].text;
	size_t used;
	int err = p->context->platform == LA_PLATFORM_WINDOWS ?
			  la_stoul32(text, out, &used) :
			  la_stoull(text, out, &used);

	return err < 0 ? bad_number(p, i, err, "stoul") : 0;
}

int la_parser_stoull(struct la_parser *p, size_t i, uint64_t *out)
{
	size_t used;
	int err = la_stoull(p->tokens->token[i].text, out, &used);

	return err < 0 ? bad_number(p, i, err, "stoull") : 0;
}

int la_parser_stod(struct la_parser *p, size_t i, double *out)
{
	size_t used;
	int err = la_stod(p->tokens->token[i].text, out, &used);

	return err < 0 ? bad_number(p, i, err, "stod") : 0;
}

bool la_is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

uint64_t la_bytes_of_mb(uint64_t mb)
{
	return (mb < SIZE_MAX / MIB ? mb : SIZE_MAX / MIB) * MIB;
}

/* From 2.7 on ROCm's builds take both names of the driver's backend. */
static bool has_hip_twin(const struct la_parser *p)
{
	return p->context->build == LA_BUILD_ROCM &&
	       p->context->release >= LA_RELEASE(2, 7);
}

const char *la_parser_async_name(const struct la_parser *p)
{
	return has_hip_twin(p) ? "hipMallocAsync" : "cudaMallocAsync";
}

static bool is_word(const char *word, size_t length, const char *text)
{
	return length == strlen(text) && !memcmp(word, text, length);
}

bool la_parser_is_async(const struct la_parser *p, const char *word,
			size_t length)
{
	return is_word(word, length, "cudaMallocAsync") ||
	       is_word(word, length, la_parser_async_name(p));
}

static int refuse_mismatch(struct la_parser *p, size_t i)
{
	struct la_refusal *refusal = p->refusal;
	int err;

	err = la_parser_broken(p, i, LA_REFUSAL_BACKEND, LA_ASSUMED_BACKEND,
			       "Allocator backend parsed at runtime != "
			       "allocator backend parsed at load time");
	if (p->context->release >= LA_RELEASE(2, 10))
		la_strbuf_addf(&refusal->text, ", %s != %s",
			       p->tokens->token[i].text, p->backend);
	return refusal->text.failed ? -ENOMEM : err;
}

int la_parser_backend(struct la_parser *p, const struct la_option *option,
		      size_t i)
{
	bool async = la_parser_is_async(p, p->tokens->token[i].text,
					p->tokens->token[i].length);

	if (!async && !la_token_is(p->tokens, i, "native"))
		return la_parser_refuse(
			p, i, LA_REFUSAL_RANGE,
			"Unknown allocator backend, options "
			"are native%s%s",
			has_hip_twin(p) ? ", cudaMallocAsync," : "",
			has_hip_twin(p) ? " and hipMallocAsync" :
					  " and cudaMallocAsync");
	if (async == !strcmp(p->backend, "native"))
		return refuse_mismatch(p, i);
	*(bool *)la_parser_field(p, option) = async;
	return 0;
}

void la_roundup_fill(struct la_roundup *roundup, size_t from, uint64_t value)
{
	for (; from < LA_ROUNDUP_SLOTS; from++)
		roundup->slots[from] = value;
}

void la_roundup_set(struct la_roundup *roundup, uint64_t bound, uint64_t value)
{
	size_t slot = __builtin_ctzll(bound), i;

	if (slot >= LA_ROUNDUP_SLOTS)
		slot = LA_ROUNDUP_SLOTS - 1;
	for (i = 0; i < slot && !roundup->started; i++)
		roundup->slots[i] = value;
	roundup->slots[slot] = value;
	roundup->last = slot;
	roundup->started = true;
}

int la_parser_mb_above_large(struct la_parser *p,
			     const struct la_option *option, size_t i)
{
	uint64_t mb;
	int err;

	err = la_parser_stoi(p, i, &mb);
	if (err < 0)
		return err;
	if (mb <= LARGE_MB)
		return la_parser_refuse(p, i, LA_REFUSAL_RANGE,
					"CachingAllocator option %s too small, "
					"must be > %d",
					option->about.name, LARGE_MB);
	*(uint64_t *)la_parser_field(p, option) = la_bytes_of_mb(mb);
	return 0;
}

int la_parser_open_share(struct la_parser *p, const struct la_option *option,
			 size_t i)
{
	double value;
	int err;

	err = la_parser_stod(p, i, &value);
	if (err < 0)
		return err;
	if (!(value > 0))
		return la_parser_refuse(p, i, LA_REFUSAL_RANGE,
					"garbage_collect_threshold too small, "
					"set it 0.0~1.0");
	if (!(value < 1))
		return la_parser_refuse(p, i, LA_REFUSAL_RANGE,
					"garbage_collect_threshold too big, "
					"set it 0.0~1.0");
	*(double *)la_parser_field(p, option) = value;
	return 0;
}

int la_parser_refuse_divisions(struct la_parser *p, size_t i, const char *rest)
{
	const char *word = p->context->release < LA_RELEASE(2, 8) ? "divisons" :
								    "divisions";

	return la_parser_refuse(p, i, LA_REFUSAL_RANGE,
				"For roundups, the %s has to be power of 2 %s",
				word, rest);
}

int la_parser_refuse_bound(struct la_parser *p, size_t i)
{
	return la_parser_refuse(p, i, LA_REFUSAL_RANGE,
				"For roundups, the intervals have to be power "
				"of 2 ");
}

int la_parser_divisions(struct la_parser *p, const struct la_option *option,
			size_t i)
{
	struct la_roundup roundup = { .slots = la_parser_field(p, option) };
	uint64_t value;
	int err;

	err = p->context->release < LA_RELEASE(2, 10) ?
		      la_parser_stoi(p, i, &value) :
		      la_parser_stoull(p, i, &value);
	if (err < 0)
		return err;
	if (!la_is_power_of_two(value))
		return la_parser_refuse_divisions(p, i, "");
	la_roundup_fill(&roundup, 0, value);
	return 0;
}
