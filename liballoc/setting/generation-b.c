// SPDX-License-Identifier: Apache-2.0
/*
 * Releases 2.0 to 2.9 read tokens in one pass and insist on every separator.
 * While torch is loaded the older way of cutting finds the backend; the two
 * may disagree, which the pass then takes for a bug of torch.
 */
#include <string.h>

#include "setting/parser.h"

static int want(struct la_parser *p, size_t i, const char *separator)
{
	if (la_token_is(p->tokens, i, separator))
		return 0;
	return la_parser_refuse(p, i,
				la_parser_ends_at(p, i) ? LA_REFUSAL_END :
							  LA_REFUSAL_SEPARATOR,
				"Error parsing CachingAllocator settings, "
				"expected %s",
				separator);
}

/* Step from a key over its colon, to a value that must be there. */
static int step_to_value(struct la_parser *p, const struct la_option *option,
			 size_t *i)
{
	int err;

	err = want(p, *i + 1, ":");
	if (err < 0)
		return err;
	*i += 2;
	if (!la_parser_ends_at(p, *i))
		return 0;
	return la_parser_refuse(p, *i, LA_REFUSAL_END,
				"Error, expecting %s value",
				la_option_main_name(option));
}

/* Up to 2.3 a list could not switch rounding off. */
static int parse_entry_value(struct la_parser *p, size_t i, uint64_t *value)
{
	bool may_be_off = p->context->release >= LA_RELEASE(2, 4);
	int err;

	err = la_parser_stoi(p, i, value);
	if (err < 0 || la_is_power_of_two(*value) || (!*value && may_be_off))
		return err;
	return la_parser_refuse_divisions(
		p, i, may_be_off ? "or 0 to disable roundup " : "");
}

/* One KEY:VALUE; i is the key's index, then the value's. */
static int parse_entry(struct la_parser *p, struct la_roundup *roundup,
		       size_t *i)
{
	size_t key = *i;
	uint64_t value, bound;
	int err;

	err = want(p, key + 1, ":");
	if (err < 0)
		return err;
	*i += 2;
	if (la_parser_ends_at(p, *i))
		return la_parser_refuse(
			p, *i, LA_REFUSAL_END,
			"Error parsing roundup_power2_divisions "
			"value");
	err = parse_entry_value(p, *i, &value);
	if (err < 0)
		return err;
	if (la_token_is(p->tokens, key, ">")) {
		la_roundup_fill(roundup, roundup->last, value);
		return 0;
	}
	err = la_parser_stoul(p, key, &bound);
	if (err < 0)
		return err;
	if (!la_is_power_of_two(bound))
		return la_parser_refuse_bound(p, key);
	la_roundup_set(roundup, bound, value);
	return 0;
}

/*
 * Without a bracket at its end torch reads past its tokens; what it finds
 * there is no comma.
 */
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
		if (la_token_is(p->tokens, *i + 1, "]"))
			continue;
		err = want(p, ++*i, ",");
		if (err < 0)
			return err;
	}
	return 0;
}

static int parse_roundup(struct la_parser *p, const struct la_option *option,
			 size_t *i)
{
	if (la_token_is(p->tokens, *i, "["))
		return parse_list(p, option, i);
	return la_parser_divisions(p, option, *i);
}

static int parse_backend(struct la_parser *p, const struct la_option *option,
			 size_t *i)
{
	int err;

	err = want(p, *i + 1, ":");
	if (err < 0)
		return err;
	*i += 2;
	if (la_parser_ends_at(p, *i))
		return la_parser_refuse(p, *i, LA_REFUSAL_END,
					"Error parsing backend value");
	return la_parser_backend(p, option, *i);
}

static int parse_threads(struct la_parser *p, const struct la_option *option,
			 size_t i)
{
	uint64_t threads;
	int err;

	err = la_parser_stoi(p, i, &threads);
	if (err < 0)
		return err;
	if (!la_is_power_of_two(threads))
		return la_parser_refuse(p, i, LA_REFUSAL_RANGE,
					"Number of register threads has to be "
					"power of 2 ");
	if (threads > LA_THREADS_MAX)
		return la_parser_refuse(p, i, LA_REFUSAL_RANGE,
					"Number of register threads should be "
					"less than or equal to %d",
					LA_THREADS_MAX);
	*(uint64_t *)la_parser_field(p, option) = threads;
	return 0;
}

/* Older options say the same of a missing value as of a wrong one. */
static int parse_bool(struct la_parser *p, const struct la_option *option,
		      size_t *i)
{
	int err;

	if (option->one_error) {
		err = want(p, *i + 1, ":");
		*i += 2;
	} else {
		err = step_to_value(p, option, i);
	}
	if (err < 0)
		return err;
	if (!la_token_is(p->tokens, *i, "True") &&
	    !la_token_is(p->tokens, *i, "False"))
		return la_parser_refuse(p, *i,
					la_parser_ends_at(p, *i) ?
						LA_REFUSAL_END :
						LA_REFUSAL_BOOL,
					"Expected a single True/False argument "
					"for %s",
					la_option_main_name(option));
	*(bool *)la_parser_field(p, option) =
		la_token_is(p->tokens, *i, "True");
	return 0;
}

/* i: index of a key; on success, of the last token of its value. */
static int parse_option(struct la_parser *p, const struct la_option *option,
			size_t *i)
{
	int err;

	if (option->kind == LA_OPTION_BACKEND)
		return parse_backend(p, option, i);
	if (option->kind == LA_OPTION_BOOL)
		return parse_bool(p, option, i);
	err = step_to_value(p, option, i);
	if (err < 0)
		return err;
	switch (option->kind) {
	case LA_OPTION_THRESHOLD:
		return la_parser_open_share(p, option, *i);
	case LA_OPTION_ROUNDUP:
		return parse_roundup(p, option, i);
	case LA_OPTION_THREADS:
		return parse_threads(p, option, *i);
	default:
		return la_parser_mb_above_large(p, option, *i);
	}
}

/* The backend of the first piece that names one. */
static void find_backend(struct la_parser *p)
{
	const struct la_tokens *tokens = p->tokens;
	struct la_piece piece = { 0 };

	while (la_next_piece(&piece, tokens->source, tokens->source_length)) {
		const char *value = tokens->source + piece.value;
		size_t length = piece.value_end - piece.value;

		if (!la_piece_is(&piece, tokens->source, "backend"))
			continue;
		if (la_parser_is_async(p, value, length)) {
			p->backend = la_parser_async_name(p);
			return;
		}
		if (length == strlen("native") &&
		    !memcmp(value, "native", length))
			return;
	}
}

int la_parse_generation_b(struct la_parser *p)
{
	const struct la_option *option;
	size_t i;
	int err;

	if (p->context->set_at == LA_SET_AT_IMPORT)
		find_backend(p);
	la_options_start_anew(p->context->release, p->values);
	for (i = 0; !la_parser_ends_at(p, i); i++) {
		option = la_parser_option(p, i);
		if (!option)
			return la_parser_refuse(p, i, LA_REFUSAL_KEY,
						"Unrecognized CachingAllocator "
						"option: %s",
						p->tokens->token[i].text);
		err = parse_option(p, option, &i);
		if (!err && !la_parser_ends_at(p, i + 1))
			err = want(p, ++i, ",");
		if (err < 0)
			return err;
	}
	return 0;
}
