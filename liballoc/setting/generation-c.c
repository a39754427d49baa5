// SPDX-License-Identifier: Apache-2.0
/*
 * Releases 2.10 and later go through the tokens up to four times: for the
 * backend while torch is loaded, for large_segment_size_mb, for the options
 * common to all accelerators, and for those of CUDA.  The order of the last
 * two decides which of two errors is seen.  A separator is never compared with
 * what it should be: it only has to be there.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "setting/number.h"
#include "setting/parser.h"
#include "util/util.h"

enum { LARGE_MIN_MB = 10 };

/* i: index of a key; on success, of the last token of its value. */
typedef int parse_value(struct la_parser *p, const struct la_option *option,
			size_t *i);

size_t la_skip_key(const struct la_tokens *tokens, size_t i)
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

static int past_the_end(struct la_parser *p, size_t i,
			enum la_assumption assumption)
{
	return la_parser_broken(p, i, LA_REFUSAL_END, assumption,
				"Index out of bounds in ConfigTokenizer");
}

static int no_bracket(struct la_parser *p, enum la_assumption assumption)
{
	return la_parser_broken(p, p->tokens->nr, LA_REFUSAL_END, assumption,
				"Expected closing bracket ']' in "
				"ConfigTokenizer but reached end of config");
}

static int read_integer(struct la_parser *p, size_t i, uint64_t *out)
{
	return la_parser_ends_at(p, i) ? past_the_end(p, i, LA_ASSUMED_TOKEN) :
					 la_parser_stoull(p, i, out);
}

static int read_double(struct la_parser *p, size_t i, double *out)
{
	return la_parser_ends_at(p, i) ? past_the_end(p, i, LA_ASSUMED_TOKEN) :
					 la_parser_stod(p, i, out);
}

/* Step from a key over what stands for its colon. */
static int step_to_value(struct la_parser *p, size_t *i)
{
	if (la_parser_ends_at(p, *i + 1))
		return past_the_end(p, *i + 1, LA_ASSUMED_TOKEN);
	*i += 2;
	return 0;
}

static int parse_mb_from_large(struct la_parser *p,
			       const struct la_option *option, size_t *i)
{
	uint64_t mb;
	int err;

	err = read_integer(p, *i, &mb);
	if (err < 0)
		return err;
	if (mb < p->large_mb)
		return la_parser_refuse(p, *i, LA_REFUSAL_RANGE,
					"CachingAllocator option %s too small, "
					"must be >= %" PRIu64,
					option->about.name, p->large_mb);
	*(uint64_t *)la_parser_field(p, option) = la_bytes_of_mb(mb);
	return 0;
}

static int parse_large(struct la_parser *p, const struct la_option *option,
		       size_t *i)
{
	uint64_t mb;
	int err;

	err = read_integer(p, *i, &mb);
	if (err < 0)
		return err;
	if (mb <= LARGE_MIN_MB)
		return la_parser_refuse(p, *i, LA_REFUSAL_RANGE,
					"CachingAllocator option %s must be "
					"> %d MB",
					option->about.name, LARGE_MIN_MB);
	*(uint64_t *)la_parser_field(p, option) = la_bytes_of_mb(mb);
	p->large_mb = la_bytes_of_mb(mb) / MIB;
	return 0;
}

static int parse_threshold(struct la_parser *p, const struct la_option *option,
			   size_t *i)
{
	double value;
	int err;

	err = read_double(p, *i, &value);
	if (err < 0)
		return err;
	if (!(value > 0 && value < 1))
		return la_parser_refuse(p, *i, LA_REFUSAL_RANGE,
					"garbage_collect_threshold is invalid, "
					"set it in (0.0, 1.0)");
	*(double *)la_parser_field(p, option) = value;
	return 0;
}

static int parse_fraction(struct la_parser *p, const struct la_option *option,
			  size_t *i)
{
	double value;
	int err;

	err = read_double(p, *i, &value);
	if (err < 0)
		return err;
	if (!(value >= 0 && value <= 1))
		return la_parser_refuse(p, *i, LA_REFUSAL_RANGE,
					"%s is invalid, set it in [0.0, 1.0]",
					option->about.name);
	*(double *)la_parser_field(p, option) = value;
	return 0;
}

/* One KEY:VALUE; i is the key's index, then the value's. */
static int parse_entry(struct la_parser *p, struct la_roundup *roundup,
		       size_t *i)
{
	size_t key = *i;
	uint64_t value, bound;
	int err;

	err = step_to_value(p, i);
	if (!err)
		err = read_integer(p, *i, &value);
	if (err < 0)
		return err;
	if (value && !la_is_power_of_two(value))
		return la_parser_refuse_divisions(p, *i,
						  "or 0 to disable roundup ");
	if (la_token_is(p->tokens, key, ">")) {
		la_roundup_fill(roundup, roundup->last + 1, value);
		return 0;
	}
	err = la_parser_stoull(p, key, &bound);
	if (err < 0)
		return err;
	if (!la_is_power_of_two(bound))
		return la_parser_refuse_bound(p, key);
	la_roundup_set(roundup, bound, value);
	return 0;
}

static int parse_list(struct la_parser *p, const struct la_option *option,
		      size_t *i)
{
	struct la_roundup roundup = { .slots = la_parser_field(p, option) };
	int err;

	for (++*i;
	     !la_parser_ends_at(p, *i) && !la_token_is(p->tokens, *i, "]");
	     ++*i) {
		err = parse_entry(p, &roundup, i);
		if (err < 0)
			return err;
		if (la_parser_ends_at(p, *i + 1))
			return past_the_end(p, *i + 1, LA_ASSUMED_INDEX);
		if (!la_token_is(p->tokens, *i + 1, "]"))
			++*i;
	}
	return la_parser_ends_at(p, *i) ? no_bracket(p, LA_ASSUMED_LIST_END) :
					  0;
}

static int parse_roundup(struct la_parser *p, const struct la_option *option,
			 size_t *i)
{
	if (la_parser_ends_at(p, *i))
		return past_the_end(p, *i, LA_ASSUMED_INDEX);
	if (la_token_is(p->tokens, *i, "["))
		return parse_list(p, option, i);
	return la_parser_divisions(p, option, *i);
}

static int parse_bool(struct la_parser *p, const struct la_option *option,
		      size_t *i)
{
	bool *field = la_parser_field(p, option);

	if (la_parser_ends_at(p, *i))
		return past_the_end(p, *i, LA_ASSUMED_TOKEN);
	if (!la_token_is(p->tokens, *i, "True") &&
	    !la_token_is(p->tokens, *i, "False"))
		return la_parser_refuse(p, *i, LA_REFUSAL_BOOL,
					"Expected 'True' or 'False' at index "
					"%zu in ConfigTokenizer but got '%s'",
					*i, p->tokens->token[*i].text);
	*field = la_token_is(p->tokens, *i, "True");
	return 0;
}

static int parse_backend(struct la_parser *p, const struct la_option *option,
			 size_t *i)
{
	return la_parser_ends_at(p, *i) ?
		       past_the_end(p, *i, LA_ASSUMED_INDEX) :
		       la_parser_backend(p, option, *i);
}

static int parse_threads(struct la_parser *p, const struct la_option *option,
			 size_t *i)
{
	uint64_t threads;
	int err;

	err = read_integer(p, *i, &threads);
	if (err < 0)
		return err;
	if (!la_is_power_of_two(threads))
		return la_parser_refuse(p, *i, LA_REFUSAL_RANGE,
					"Number of register threads has to be "
					"power of 2, got %" PRIu64,
					threads);
	if (threads > LA_THREADS_MAX)
		return la_parser_refuse(
			p, *i, LA_REFUSAL_RANGE,
			"Number of register threads should be "
			"less than or equal to %d, got %" PRIu64,
			LA_THREADS_MAX, threads);
	*(uint64_t *)la_parser_field(p, option) = threads;
	return 0;
}

static int parse_mb_above_zero(struct la_parser *p,
			       const struct la_option *option, size_t *i)
{
	uint64_t mb;
	int err;

	err = read_integer(p, *i, &mb);
	if (err < 0)
		return err;
	if (!mb)
		return la_parser_refuse(p, *i, LA_REFUSAL_RANGE,
					"Pinned reserve segment size has to be "
					"greater than 0");
	*(uint64_t *)la_parser_field(p, option) = la_bytes_of_mb(mb);
	return 0;
}

static int parse_mb_any(struct la_parser *p, const struct la_option *option,
			size_t *i)
{
	uint64_t mb;
	int err;

	err = read_integer(p, *i, &mb);
	if (!err)
		*(uint64_t *)la_parser_field(p, option) = la_bytes_of_mb(mb);
	return err;
}

/* A decimal number above 0, in GiB if a G is all that follows it. */
static bool is_reserve(const struct la_token *token, double *out)
{
	double value;
	size_t used;
	int err;

	err = la_stod(token->text, &value, &used);
	if ((err < 0 && err != -ERANGE) || !(value > 0) || !isfinite(value) ||
	    strpbrk(token->text, "xX"))
		return false;
	*out = value;
	if (used == token->length)
		return true;
	*out = -value;
	return used + 1 == token->length && strchr("gG", token->text[used]);
}

/* What is no reserve is ignored with a warning. */
static int parse_reserve(struct la_parser *p, const struct la_option *option,
			 size_t *i)
{
	double value;

	if (la_parser_ends_at(p, *i))
		return past_the_end(p, *i, LA_ASSUMED_INDEX);
	if (is_reserve(&p->tokens->token[*i], &value))
		*(double *)la_parser_field(p, option) = value;
	return 0;
}

/*
 * NAME SEPARATOR RESERVE, again and again, with a comma between or nothing,
 * until a bracket closes the list; any token may open it.
 */
static int parse_reserve_list(struct la_parser *p,
			      const struct la_option *option, size_t *i)
{
	if (la_parser_ends_at(p, *i))
		return past_the_end(p, *i, LA_ASSUMED_TOKEN);
	for (++*i;
	     !la_parser_ends_at(p, *i) && !la_token_is(p->tokens, *i, "]");
	     ++*i) {
		if (la_parser_ends_at(p, *i + 1))
			return past_the_end(p, *i + 1, LA_ASSUMED_TOKEN);
		*i += 2;
		if (la_parser_ends_at(p, *i))
			return past_the_end(p, *i, LA_ASSUMED_INDEX);
		if (la_token_is(p->tokens, *i + 1, ","))
			++*i;
	}
	if (la_parser_ends_at(p, *i))
		return past_the_end(p, *i, LA_ASSUMED_TOKEN);
	*(bool *)la_parser_field(p, option) = true;
	return 0;
}

static parse_value *const by_kind[] = {
	[LA_OPTION_MB_FROM_LARGE] = parse_mb_from_large,
	[LA_OPTION_THRESHOLD] = parse_threshold,
	[LA_OPTION_ROUNDUP] = parse_roundup,
	[LA_OPTION_BOOL] = parse_bool,
	[LA_OPTION_BACKEND] = parse_backend,
	[LA_OPTION_THREADS] = parse_threads,
	[LA_OPTION_MB_ABOVE_ZERO] = parse_mb_above_zero,
	[LA_OPTION_MB_ANY] = parse_mb_any,
	[LA_OPTION_FRACTION] = parse_fraction,
	[LA_OPTION_RESERVE] = parse_reserve,
	[LA_OPTION_RESERVE_LIST] = parse_reserve_list,
};

/* i: index of a key; on success, of the last token of its value. */
static int parse_option(struct la_parser *p, const struct la_option *option,
			size_t *i)
{
	int err;

	err = step_to_value(p, i);
	return err < 0 ? err : by_kind[option->kind](p, option, i);
}

/* Step over an option that another pass reads. */
static int skip_option(struct la_parser *p, size_t *i)
{
	size_t last = la_skip_key(p->tokens, *i);

	if (last == SIZE_MAX)
		return la_parser_ends_at(p, *i + 2) ?
			       past_the_end(p, *i + 2, LA_ASSUMED_TOKEN) :
			       no_bracket(p, LA_ASSUMED_BRACKET);
	*i = last;
	return 0;
}

/* Builds without a device have nobody to say that a key is unknown. */
static bool may_be_unknown(const struct la_parser *p)
{
	return p->context->build == LA_BUILD_CPU;
}

static int pass_options(struct la_parser *p, enum la_option_owner owner,
			const char *owner_name)
{
	const struct la_tokens *tokens = p->tokens;
	size_t i;
	int err;

	/* The token after a value stands for a comma, whatever it is. */
	for (i = 0; !la_parser_ends_at(p, i); i += 2) {
		const struct la_option *option = la_parser_option(p, i);

		if (!option && !may_be_unknown(p))
			return la_parser_refuse(p, i, LA_REFUSAL_KEY,
						"Unrecognized key '%s' in %s "
						"allocator config.",
						tokens->token[i].text,
						owner_name);
		/* The pass before read large_segment_size_mb. */
		if (option && option->owner == owner &&
		    option->kind != LA_OPTION_LARGE)
			err = parse_option(p, option, &i);
		else
			err = skip_option(p, &i);
		if (err < 0)
			return err;
	}
	return 0;
}

/* That token anywhere, even where no key should be. */
static int pass_large(struct la_parser *p)
{
	const struct la_option *option;
	size_t i;
	int err;

	for (i = 0; !la_parser_ends_at(p, i); i++) {
		option = la_parser_option(p, i);
		if (!option || option->kind != LA_OPTION_LARGE)
			continue;
		err = step_to_value(p, &i);
		if (!err)
			err = parse_large(p, option, &i);
		if (err < 0)
			return err;
	}
	return 0;
}

static int pass_common(struct la_parser *p)
{
	const unsigned int release = p->context->release;
	int err;

	la_options_start_anew(release, p->values);
	p->large_mb = p->values->large_segment_size / MIB;
	err = pass_large(p);
	if (err < 0)
		return err;
	/* Not with the others: a refusal so far leaves it as it was. */
	if (release >= LA_RELEASE(2, 11))
		p->values->max_non_split_rounding =
			p->values->large_segment_size;
	return pass_options(p, LA_OWNER_COMMON, "Accelerator");
}

static int pass_cuda(struct la_parser *p)
{
	return pass_options(p, LA_OWNER_CUDA, "CUDA");
}

/* Runs while torch is loaded: an error here ends the import. */
static int pass_backend(struct la_parser *p)
{
	size_t i;
	int err;

	for (i = 0; !la_parser_ends_at(p, i); i += 2) {
		if (!la_token_is(p->tokens, i, "backend")) {
			err = skip_option(p, &i);
			if (err < 0)
				return err;
			continue;
		}
		err = step_to_value(p, &i);
		if (err < 0)
			return err;
		if (la_parser_ends_at(p, i))
			return past_the_end(p, i, LA_ASSUMED_INDEX);
		if (la_parser_is_async(p, p->tokens->token[i].text,
				       p->tokens->token[i].length))
			p->backend = la_parser_async_name(p);
		return 0;
	}
	return 0;
}

int la_parse_generation_c(struct la_parser *p)
{
	int err;

	if (p->context->build == LA_BUILD_CPU)
		return pass_common(p);
	if (p->context->set_at == LA_SET_AT_RUNTIME) {
		err = pass_common(p);
		return err < 0 ? err : pass_cuda(p);
	}
	if (p->context->set_at == LA_SET_AT_IMPORT) {
		err = pass_backend(p);
		p->refusal->at_import = err == -EINVAL;
		if (err < 0)
			return err;
	}
	err = pass_cuda(p);
	return err < 0 ? err : pass_common(p);
}
