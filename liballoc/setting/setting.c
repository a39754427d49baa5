// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "setting/correct.h"
#include "setting/parser.h"
#include "setting/release.h"
#include "setting/remark.h"
#include "setting/table.h"
#include "util/error.h"
#include "util/utf8.h"
#include "util/util.h"

/* One piece of memory: this, the tokens while it is parsed, the string. */
struct la_setting {
	struct la_setting_values values;
	struct la_tokens tokens;
	const char *text; /* terminated */
};

struct la_setting_check {
	struct la_setting *setting; /* accepted or not */
	bool accepted;
	struct la_refusal refused; /* owns the text of refusal */
	struct la_setting_refusal refusal; /* set if it was not accepted */
	struct la_remarks remarks;
	char *correction; /* owned; NULL: none */
	uint64_t named; /* bit i: option i of the table is named */
};

/* In the order of enum la_generation. */
static const struct generation {
	enum la_lexer lexer;
	int (*parse)(struct la_parser *p);
} generations[] = {
	{ LA_LEXER_PIECES, la_parse_generation_a },
	{ LA_LEXER_SPACES, la_parse_generation_b },
	{ LA_LEXER_BLANKS, la_parse_generation_c },
};

static const struct generation *
generation_of(const struct la_setting_context *context)
{
	return &generations[la_generation_of(context->release)];
}

static struct la_setting *new_setting(const char *text, size_t length,
				      const struct la_setting_context *context)
{
	size_t storage = la_tokens_storage(text, length), size;
	struct la_setting *setting;
	char *copy;

	if (__builtin_add_overflow(sizeof(*setting) + 1, length, &size) ||
	    __builtin_add_overflow(size, storage, &size))
		return NULL;
	setting = malloc(size);
	if (!setting)
		return NULL;
	copy = (char *)(setting + 1) + storage;
	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	setting->text = copy;
	setting->values =
		context->previous ? *context->previous : la_setting_defaults;
	la_tokens_init(&setting->tokens, setting + 1,
		       generation_of(context)->lexer, copy, length);
	return setting;
}

/* Before 2.10 nobody reads the string in a build without a device. */
static bool is_read(const struct la_setting_context *context)
{
	return context->build != LA_BUILD_CPU ||
	       la_generation_of(context->release) == LA_GENERATION_C;
}

/* The refusal's text is the caller's to release in any case. */
static int parse(struct la_setting *setting,
		 const struct la_setting_context *context,
		 struct la_refusal *refusal)
{
	struct la_parser p = {
		.context = context,
		.tokens = &setting->tokens,
		.values = &setting->values,
		.refusal = refusal,
		.backend = "native",
	};
	int err;

	if (!is_read(context))
		return 0;
	if (setting->values.cuda_malloc_async)
		p.backend = la_parser_async_name(&p);
	err = generation_of(context)->parse(&p);
	if (err == -EINVAL)
		la_refusal_set_exception(refusal, context);
	return err;
}

/* What fits, cut between two characters. */
static int report(const struct la_refusal *refusal, struct la_error *err)
{
	const char *text = la_strbuf_text(&refusal->text);
	size_t fits = la_utf8_prefix(text, refusal->text.length,
				     sizeof(err->text) - 1);

	return la_error_set(err, -EINVAL, refusal->offset, "%.*s", (int)fits,
			    text);
}

LA_EXPORT int la_setting_parse_for(struct la_setting **out, const char *text,
				   size_t length,
				   const struct la_setting_context *context,
				   struct la_error *err)
{
	struct la_refusal refusal = { 0 };
	struct la_setting *setting;
	int ret;

	if (!la_release_name(context->release))
		return la_error_set(err, -ENOTSUP, LA_NO_OFFSET,
				    "unknown release of torch");
	setting = new_setting(text, length, context);
	ret = setting ? parse(setting, context, &refusal) : -ENOMEM;
	if (!ret)
		*out = setting;
	else
		free(setting);
	if (ret == -EINVAL)
		report(&refusal, err);
	else if (ret < 0)
		la_error_set(err, ret, LA_NO_OFFSET, "out of memory");
	la_strbuf_release(&refusal.text);
	return ret;
}

LA_EXPORT int la_setting_parse(struct la_setting **out, const char *text,
			       size_t length, enum la_set_at set_at,
			       struct la_error *err)
{
	const struct la_setting_context context = {
		.release = LA_RELEASE(2, 11),
		.set_at = set_at,
	};

	return la_setting_parse_for(out, text, length, &context, err);
}

LA_EXPORT void la_setting_free(struct la_setting *setting)
{
	free(setting);
}

LA_EXPORT const struct la_setting_values *
la_setting_values(const struct la_setting *setting)
{
	return &setting->values;
}

/* 0 and 1 are both off. */
static bool round_alike(const struct la_setting_values *a,
			const struct la_setting_values *b)
{
	uint64_t x, y;
	int i;

	for (i = 0; i < LA_ROUNDUP_SLOTS; i++) {
		x = a->roundup_power2_divisions[i];
		y = b->roundup_power2_divisions[i];
		if (x != y && (x > 1 || y > 1))
			return false;
	}
	return a->roundup_bypass_threshold == b->roundup_bypass_threshold;
}

static bool same_number(double a, double b)
{
	return a <= b && a >= b;
}

LA_EXPORT bool la_setting_alike(const struct la_setting_values *a,
				const struct la_setting_values *b)
{
	return a->max_split_size == b->max_split_size &&
	       a->max_non_split_rounding == b->max_non_split_rounding &&
	       a->large_segment_size == b->large_segment_size &&
	       same_number(a->garbage_collection_threshold,
			   b->garbage_collection_threshold) &&
	       same_number(a->per_process_memory_fraction,
			   b->per_process_memory_fraction) &&
	       same_number(a->expandable_segments_reserve,
			   b->expandable_segments_reserve) &&
	       a->expandable_segments_reserve_by_class ==
		       b->expandable_segments_reserve_by_class &&
	       a->expandable_segments == b->expandable_segments &&
	       a->cuda_malloc_async == b->cuda_malloc_async &&
	       a->throw_on_cudamalloc_oom == b->throw_on_cudamalloc_oom &&
	       round_alike(a, b);
}

LA_EXPORT const char *la_setting_text(const struct la_setting *setting)
{
	return setting->text;
}

static void describe_refusal(struct la_setting_check *check)
{
	const struct la_refusal *refused = &check->refused;

	check->refusal = (struct la_setting_refusal){
		.text = la_strbuf_text(&refused->text),
		.exception = refused->exception,
		.offset = refused->offset,
		.length = refused->end - refused->offset,
		.aborts_import = refused->at_import,
	};
}

static uint64_t named_options(const struct la_tokens *tokens,
			      unsigned int release)
{
	const struct la_option *option;
	uint64_t named = 0;
	size_t i;

	for (i = 0; i < tokens->nr; i++) {
		option = la_option_find(release, tokens->token[i].text,
					tokens->token[i].length);
		if (option)
			named |= (uint64_t)1 << la_option_index(option);
	}
	return named;
}

/* Remarks and the refusal, if there is one; 0 or -ENOMEM. */
static int fill_check(struct la_setting_check *check,
		      const struct la_setting_context *context)
{
	const struct la_tokens *tokens = &check->setting->tokens;
	int err;

	err = parse(check->setting, context, &check->refused);
	check->accepted = !err;
	if (err < 0 && err != -EINVAL)
		return err;
	if (!is_read(context))
		return 0;
	check->named = named_options(tokens, context->release);
	la_remark_written(&check->remarks, tokens, check->accepted, context);
	if (err == -EINVAL) {
		describe_refusal(check);
		err = la_remark_refused(&check->remarks, tokens,
					&check->refused, context);
	} else {
		err = la_remark_accepted(&check->remarks, tokens,
					 &check->setting->values, context);
	}
	la_remarks_sort(&check->remarks);
	return err;
}

/* Whether what was written is not what torch reads. */
static bool is_misread(const struct la_setting_check *check)
{
	size_t i;

	for (i = 0; i < check->remarks.nr; i++)
		switch (check->remarks.remark[i].code) {
		case LA_REMARK_PREFIX:
		case LA_REMARK_WRAPPED:
		case LA_REMARK_NOT_INTEGER:
		case LA_REMARK_COLON:
		case LA_REMARK_COMMA:
		case LA_REMARK_DUPLICATE:
		case LA_REMARK_BLANK_DELETED:
		case LA_REMARK_TRAILING:
		case LA_REMARK_SKIPPED:
		case LA_REMARK_LOOKALIKE:
			return true;
		default:
			break;
		}
	return false;
}

static int correct(struct la_setting_check *check, const char *text,
		   size_t length, const struct la_setting_context *context)
{
	int err;

	if (check->accepted && !is_misread(check))
		return 0;
	err = la_correct(&check->correction, text, length, context);
	if (check->correction && strlen(check->correction) == length &&
	    !memcmp(check->correction, text, length)) {
		free(check->correction);
		check->correction = NULL;
	}
	return err;
}

LA_EXPORT int la_setting_check_new(struct la_setting_check **out,
				   const char *text, size_t length,
				   const struct la_setting_context *context)
{
	struct la_setting_check *check;
	int err;

	if (!la_release_name(context->release))
		return -ENOTSUP;
	check = calloc(1, sizeof(*check));
	if (!check)
		return -ENOMEM;
	check->setting = new_setting(text, length, context);
	err = check->setting ? fill_check(check, context) : -ENOMEM;
	if (!err)
		err = correct(check, text, length, context);
	if (err < 0) {
		la_setting_check_free(check);
		return err;
	}
	*out = check;
	return 0;
}

LA_EXPORT void la_setting_check_free(struct la_setting_check *check)
{
	if (!check)
		return;
	la_setting_free(check->setting);
	la_strbuf_release(&check->refused.text);
	la_remarks_release(&check->remarks);
	free(check->correction);
	free(check);
}

LA_EXPORT const struct la_setting *
la_setting_check_setting(const struct la_setting_check *check)
{
	return check->accepted ? check->setting : NULL;
}

LA_EXPORT const struct la_setting_refusal *
la_setting_check_refusal(const struct la_setting_check *check)
{
	return check->accepted ? NULL : &check->refusal;
}

LA_EXPORT const struct la_setting_values *
la_setting_check_values(const struct la_setting_check *check)
{
	return &check->setting->values;
}

LA_EXPORT const struct la_setting_remark *
la_setting_check_remarks(const struct la_setting_check *check, size_t *count)
{
	*count = check->remarks.nr;
	return check->remarks.remark;
}

LA_EXPORT const char *
la_setting_check_correction(const struct la_setting_check *check)
{
	return check->correction;
}

LA_EXPORT const struct la_setting_option *
la_setting_check_option(const struct la_setting_check *check, size_t index)
{
	uint64_t named = check->named;

	while (named && index--)
		named &= named - 1;
	return named ? la_setting_option_at(__builtin_ctzll(named)) : NULL;
}
