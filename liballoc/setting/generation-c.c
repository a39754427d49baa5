// SPDX-License-Identifier: Apache-2.0
/*
 * torch 2.11 goes through the tokens up to four times: for the backend while
 * it is loaded, for large_segment_size_mb, for the options common to all
 * accelerators, and for those of CUDA.  The order of the last two decides
 * which of two errors is seen.  A separator is never compared with what it
 * should be: it only has to be there.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "setting/generation-c.h"
#include "setting/number.h"
#include "setting/table.h"
#include "util/util.h"

#define HEADER "/pytorch/c10/core/AllocatorConfig.h"
#define COMMON_SOURCE "/pytorch/c10/core/AllocatorConfig.cpp"
#define CUDA_SOURCE "/pytorch/c10/cuda/CUDAAllocatorConfig.cpp"
#define ASSERT(condition, place) \
	condition " INTERNAL ASSERT FAILED at " place \
		  ", please report a bug to PyTorch. "

enum { LARGE_MIN_MB = 10, THREADS_MAX = 128 };

struct parser {
	const struct la_tokens *tokens;
	struct la_setting_values *values;
	struct la_refusal *refusal;
	const char *backend; /* chosen while torch was loaded */
	uint64_t large_mb; /* large_segment_size_mb */
};

/* i: index of a key; on success, of the last token of its value. */
typedef int parse_value(struct parser *p, const struct la_option *option,
			size_t *i);

size_t la_skip_key_generation_c(const struct la_tokens *tokens, size_t i)
{
	if (i + 2 >= tokens->nr)
		return SIZE_MAX;
	i += 2;
	if (!la_token_is(tokens, i, "["))
		return i;
	while (++i < tokens->nr)
		if (la_token_is(tokens, i, "]"))
			return i;
	return SIZE_MAX;
}

/* torch's three bounds checks, told apart by the line that its text names. */
static int past_the_end(struct parser *p, size_t i)
{
	return la_refuse(p->refusal, p->tokens, i, LA_REFUSAL_END,
			 ASSERT("i < config_.size()", "\"" HEADER "\":124")
			 "Index out of bounds in ConfigTokenizer");
}

static int past_the_end_indexed(struct parser *p, size_t i)
{
	return la_refuse(p->refusal, p->tokens, i, LA_REFUSAL_END,
			 ASSERT("i < config_.size()", "\"" HEADER "\":55")
			 "Index out of bounds in ConfigTokenizer");
}

static int no_bracket(struct parser *p)
{
	return la_refuse(p->refusal, p->tokens, p->tokens->nr, LA_REFUSAL_END,
			 ASSERT("i < config_.size()", "\"" HEADER "\":115")
			 "Expected closing bracket ']' in ConfigTokenizer "
			 "but reached end of config");
}

/* The C++ library's text is the name of its function. */
static int bad_number(struct parser *p, size_t i, int err, const char *function)
{
	if (err == -ENOMEM)
		return err;
	return la_refuse(p->refusal, p->tokens, i,
			 err == -ERANGE ? LA_REFUSAL_OVERFLOW :
					  LA_REFUSAL_NUMBER,
			 "%s", function);
}

static int read_integer(struct parser *p, size_t i, uint64_t *out)
{
	size_t used;
	int err;

	if (i >= p->tokens->nr)
		return past_the_end(p, i);
	err = la_stoull(p->tokens->token[i].text, out, &used);
	return err < 0 ? bad_number(p, i, err, "stoull") : 0;
}

static int read_double(struct parser *p, size_t i, double *out)
{
	size_t used;
	int err;

	if (i >= p->tokens->nr)
		return past_the_end(p, i);
	err = la_stod(p->tokens->token[i].text, out, &used);
	return err < 0 ? bad_number(p, i, err, "stod") : 0;
}

/* Step from a key over what stands for its colon. */
static int step_to_value(struct parser *p, size_t *i)
{
	if (*i + 1 >= p->tokens->nr)
		return past_the_end(p, *i + 1);
	*i += 2;
	return 0;
}

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static uint64_t bytes_of_mb(uint64_t mb)
{
	return (mb < SIZE_MAX / MIB ? mb : SIZE_MAX / MIB) * MIB;
}

static void *field_of(struct parser *p, const struct la_option *option)
{
	return (char *)p->values + option->field;
}

static int parse_mb_from_large(struct parser *p, const struct la_option *option,
			       size_t *i)
{
	uint64_t mb;
	int err;

	err = step_to_value(p, i);
	if (!err)
		err = read_integer(p, *i, &mb);
	if (err < 0)
		return err;
	if (mb < p->large_mb)
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "CachingAllocator option %s too small, "
				 "must be >= %" PRIu64,
				 option->about.name, p->large_mb);
	*(uint64_t *)field_of(p, option) = bytes_of_mb(mb);
	return 0;
}

static int parse_large(struct parser *p, const struct la_option *option,
		       size_t *i)
{
	uint64_t mb;
	int err;

	err = step_to_value(p, i);
	if (!err)
		err = read_integer(p, *i, &mb);
	if (err < 0)
		return err;
	if (mb <= LARGE_MIN_MB)
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "CachingAllocator option %s must be > %d MB",
				 option->about.name, LARGE_MIN_MB);
	*(uint64_t *)field_of(p, option) = bytes_of_mb(mb);
	p->large_mb = bytes_of_mb(mb) / MIB;
	return 0;
}

static int parse_threshold(struct parser *p, const struct la_option *option,
			   size_t *i)
{
	double value;
	int err;

	err = step_to_value(p, i);
	if (!err)
		err = read_double(p, *i, &value);
	if (err < 0)
		return err;
	if (!(value > 0 && value < 1))
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "garbage_collect_threshold is invalid, "
				 "set it in (0.0, 1.0)");
	*(double *)field_of(p, option) = value;
	return 0;
}

static int parse_fraction(struct parser *p, const struct la_option *option,
			  size_t *i)
{
	double value;
	int err;

	err = step_to_value(p, i);
	if (!err)
		err = read_double(p, *i, &value);
	if (err < 0)
		return err;
	if (!(value >= 0 && value <= 1))
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "%s is invalid, set it in [0.0, 1.0]",
				 option->about.name);
	*(double *)field_of(p, option) = value;
	return 0;
}

static void fill_slots(uint64_t *slots, size_t from, size_t to, uint64_t value)
{
	for (; from < to; from++)
		slots[from] = value;
}

/* Entries of a list that were read so far. */
struct list {
	uint64_t *slots; /* LA_ROUNDUP_SLOTS of them */
	size_t last; /* slot of the last entry with a number for key */
	bool started; /* such an entry was read */
};

/* One KEY:VALUE; i is the key's index, then the value's. */
static int parse_entry(struct parser *p, struct list *list, size_t *i)
{
	size_t key = *i, slot;
	uint64_t value, bound;
	int err;

	err = step_to_value(p, i);
	if (!err)
		err = read_integer(p, *i, &value);
	if (err < 0)
		return err;
	if (value && !is_power_of_two(value))
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "For roundups, the divisions has to be power "
				 "of 2 or 0 to disable roundup ");
	if (la_token_is(p->tokens, key, ">")) {
		fill_slots(list->slots, list->last + 1, LA_ROUNDUP_SLOTS,
			   value);
		return 0;
	}
	err = read_integer(p, key, &bound);
	if (err < 0)
		return err;
	if (!is_power_of_two(bound))
		return la_refuse(p->refusal, p->tokens, key, LA_REFUSAL_RANGE,
				 "For roundups, the intervals have to be power "
				 "of 2 ");
	slot = __builtin_ctzll(bound);
	if (slot >= LA_ROUNDUP_SLOTS)
		slot = LA_ROUNDUP_SLOTS - 1;
	if (!list->started)
		fill_slots(list->slots, 0, slot, value);
	list->slots[slot] = value;
	list->last = slot;
	list->started = true;
	return 0;
}

static int parse_list(struct parser *p, uint64_t *slots, size_t *i)
{
	struct list list = { .slots = slots };
	int err;

	for (++*i; *i < p->tokens->nr && !la_token_is(p->tokens, *i, "]");
	     ++*i) {
		err = parse_entry(p, &list, i);
		if (err < 0)
			return err;
		if (*i + 1 >= p->tokens->nr)
			return past_the_end_indexed(p, *i + 1);
		if (!la_token_is(p->tokens, *i + 1, "]"))
			++*i;
	}
	if (*i < p->tokens->nr)
		return 0;
	return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_END,
			 ASSERT("i < tokenizer.size()",
				"\"" COMMON_SOURCE "\":185")
			 "Expected closing bracket ']' in ConfigTokenizer "
			 "but reached end of config");
}

static int parse_roundup(struct parser *p, const struct la_option *option,
			 size_t *i)
{
	uint64_t *slots = field_of(p, option);
	uint64_t value;
	int err;

	err = step_to_value(p, i);
	if (err < 0)
		return err;
	if (*i >= p->tokens->nr)
		return past_the_end_indexed(p, *i);
	if (la_token_is(p->tokens, *i, "["))
		return parse_list(p, slots, i);
	err = read_integer(p, *i, &value);
	if (err < 0)
		return err;
	if (!is_power_of_two(value))
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "For roundups, the divisions has to be power "
				 "of 2 ");
	fill_slots(slots, 0, LA_ROUNDUP_SLOTS, value);
	return 0;
}

static int parse_bool(struct parser *p, const struct la_option *option,
		      size_t *i)
{
	bool *field = field_of(p, option);
	int err;

	err = step_to_value(p, i);
	if (err < 0)
		return err;
	if (*i >= p->tokens->nr)
		return past_the_end(p, *i);
	if (!la_token_is(p->tokens, *i, "True") &&
	    !la_token_is(p->tokens, *i, "False"))
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_BOOL,
				 "Expected 'True' or 'False' at index %zu in "
				 "ConfigTokenizer but got '%s'",
				 *i, p->tokens->token[*i].text);
	*field = la_token_is(p->tokens, *i, "True");
	return 0;
}

static int parse_backend(struct parser *p, const struct la_option *option,
			 size_t *i)
{
	bool *async = field_of(p, option);
	const char *name;
	int err;

	err = step_to_value(p, i);
	if (err < 0)
		return err;
	if (*i >= p->tokens->nr)
		return past_the_end_indexed(p, *i);
	name = p->tokens->token[*i].text;
	if (!la_token_is(p->tokens, *i, "native") &&
	    !la_token_is(p->tokens, *i, "cudaMallocAsync"))
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "Unknown allocator backend, options are "
				 "native and cudaMallocAsync");
	if (strcmp(name, p->backend))
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_BACKEND,
				 ASSERT("tokenizer[i] == get()->name()",
					"\"" CUDA_SOURCE "\":44")
				 "Allocator backend parsed at runtime != "
				 "allocator backend parsed at load time, "
				 "%s != %s",
				 name, p->backend);
	*async = la_token_is(p->tokens, *i, "cudaMallocAsync");
	return 0;
}

static int parse_threads(struct parser *p, const struct la_option *option,
			 size_t *i)
{
	uint64_t threads;
	int err;

	err = step_to_value(p, i);
	if (!err)
		err = read_integer(p, *i, &threads);
	if (err < 0)
		return err;
	if (!is_power_of_two(threads))
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "Number of register threads has to be power "
				 "of 2, got %" PRIu64,
				 threads);
	if (threads > THREADS_MAX)
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "Number of register threads should be less "
				 "than or equal to %d, got %" PRIu64,
				 THREADS_MAX, threads);
	*(uint64_t *)field_of(p, option) = threads;
	return 0;
}

static int parse_mb_above_zero(struct parser *p, const struct la_option *option,
			       size_t *i)
{
	uint64_t mb;
	int err;

	err = step_to_value(p, i);
	if (!err)
		err = read_integer(p, *i, &mb);
	if (err < 0)
		return err;
	if (!mb)
		return la_refuse(p->refusal, p->tokens, *i, LA_REFUSAL_RANGE,
				 "Pinned reserve segment size has to be "
				 "greater than 0");
	*(uint64_t *)field_of(p, option) = bytes_of_mb(mb);
	return 0;
}

/* Step over an option that another pass reads. */
static int skip_value(struct parser *p, const struct la_option *option,
		      size_t *i)
{
	size_t last = la_skip_key_generation_c(p->tokens, *i);

	(void)option;
	if (last == SIZE_MAX)
		return *i + 2 < p->tokens->nr ? no_bracket(p) :
						past_the_end(p, *i + 2);
	*i = last;
	return 0;
}

static parse_value *const by_kind[] = {
	[LA_OPTION_MB_FROM_LARGE] = parse_mb_from_large,
	[LA_OPTION_LARGE] = skip_value, /* the pass before read it */
	[LA_OPTION_THRESHOLD] = parse_threshold,
	[LA_OPTION_ROUNDUP] = parse_roundup,
	[LA_OPTION_BOOL] = parse_bool,
	[LA_OPTION_BACKEND] = parse_backend,
	[LA_OPTION_THREADS] = parse_threads,
	[LA_OPTION_MB_ABOVE_ZERO] = parse_mb_above_zero,
	[LA_OPTION_FRACTION] = parse_fraction,
};

static int pass_options(struct parser *p, enum la_option_owner owner,
			const char *owner_name)
{
	const struct la_tokens *tokens = p->tokens;
	size_t i;
	int err;

	/* The token after a value stands for a comma, whatever it is. */
	for (i = 0; i < tokens->nr; i += 2) {
		const struct la_option *option =
			la_option_find(tokens->token[i].text,
				       tokens->token[i].length);

		if (!option)
			return la_refuse(p->refusal, tokens, i, LA_REFUSAL_KEY,
					 "Unrecognized key '%s' in %s "
					 "allocator config.",
					 tokens->token[i].text, owner_name);
		if (option->owner == owner)
			err = by_kind[option->kind](p, option, &i);
		else
			err = skip_value(p, option, &i);
		if (err < 0)
			return err;
	}
	return 0;
}

/* That token anywhere, even where no key should be. */
static int pass_large(struct parser *p)
{
	static const char name[] = "large_segment_size_mb";
	const struct la_option *option = la_option_find(name, strlen(name));
	size_t i;
	int err;

	for (i = 0; i < p->tokens->nr; i++) {
		if (!la_token_is(p->tokens, i, name))
			continue;
		err = parse_large(p, option, &i);
		if (err < 0)
			return err;
	}
	p->values->max_non_split_rounding = p->values->large_segment_size;
	return 0;
}

static int pass_common(struct parser *p)
{
	int err;

	err = pass_large(p);
	if (err < 0)
		return err;
	return pass_options(p, LA_OWNER_COMMON, "Accelerator");
}

static int pass_cuda(struct parser *p)
{
	return pass_options(p, LA_OWNER_CUDA, "CUDA");
}

/* Runs while torch is loaded: an error here ends the import. */
static int pass_backend(struct parser *p)
{
	size_t i;
	int err;

	for (i = 0; i < p->tokens->nr; i += 2) {
		if (!la_token_is(p->tokens, i, "backend")) {
			err = skip_value(p, NULL, &i);
			if (err < 0)
				return err;
			continue;
		}
		err = step_to_value(p, &i);
		if (err < 0)
			return err;
		if (i >= p->tokens->nr)
			return past_the_end_indexed(p, i);
		if (la_token_is(p->tokens, i, "cudaMallocAsync"))
			p->backend = "cudaMallocAsync";
		return 0;
	}
	return 0;
}

/* The setter translates the C++ library's exceptions, CUDA's start does not. */
static void translate(struct la_refusal *refusal)
{
	if (refusal->kind == LA_REFUSAL_NUMBER)
		refusal->exception = "ValueError";
	else if (refusal->kind == LA_REFUSAL_OVERFLOW)
		refusal->exception = "IndexError";
}

int la_parse_generation_c(const struct la_tokens *tokens,
			  enum la_set_at set_at,
			  struct la_setting_values *values,
			  struct la_refusal *refusal)
{
	struct parser p = {
		.tokens = tokens,
		.values = values,
		.refusal = refusal,
		.backend = "native",
		.large_mb = values->large_segment_size / MIB,
	};
	bool setter = set_at == LA_SET_AT_RUNTIME;
	int err;

	if (set_at == LA_SET_AT_IMPORT) {
		err = pass_backend(&p);
		refusal->at_import = err == -EINVAL;
		if (err < 0)
			return err;
	}
	err = setter ? pass_common(&p) : pass_cuda(&p);
	if (!err)
		err = setter ? pass_cuda(&p) : pass_common(&p);
	if (err == -EINVAL && setter)
		translate(refusal);
	return err;
}
