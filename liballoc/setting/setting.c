// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "setting/generation-c.h"
#include "setting/remark.h"
#include "setting/table.h"
#include "util/error.h"
#include "util/utf8.h"
#include "util/util.h"

struct la_setting {
	struct la_setting_values values;
	char text[]; /* the string, terminated */
};

struct la_setting_check {
	struct la_setting *setting; /* NULL: refused */
	struct la_refusal refused; /* owns the text of refusal */
	struct la_setting_refusal refusal; /* set if setting is NULL */
	struct la_remarks remarks;
	uint64_t named; /* bit i: option i of the table is named */
};

static const struct la_setting_values defaults = {
	.max_split_size = UINT64_MAX,
	.max_non_split_rounding = 20 * MIB,
	.large_segment_size = 20 * MIB,
	.per_process_memory_fraction = 1.0,
	.pinned_num_register_threads = 1,
};

static struct la_setting *new_setting(const char *text, size_t length)
{
	struct la_setting *setting;
	size_t size;

	if (__builtin_add_overflow(sizeof(*setting), length, &size) ||
	    __builtin_add_overflow(size, 1, &size))
		return NULL;
	setting = malloc(size);
	if (!setting)
		return NULL;
	setting->values = defaults;
	if (length)
		memcpy(setting->text, text, length);
	setting->text[length] = '\0';
	return setting;
}

/* The refusal's text is the caller's to release in any case. */
static int parse_tokens(struct la_setting **out, const struct la_tokens *tokens,
			const char *text, enum la_set_at set_at,
			struct la_refusal *refusal)
{
	struct la_setting *setting;
	int err;

	setting = new_setting(text, tokens->source_length);
	if (!setting)
		return -ENOMEM;
	err = la_parse_generation_c(tokens, set_at, &setting->values, refusal);
	if (err < 0) {
		free(setting);
		return err;
	}
	*out = setting;
	return 0;
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

LA_EXPORT int la_setting_parse(struct la_setting **out, const char *text,
			       size_t length, enum la_set_at set_at,
			       struct la_error *err)
{
	struct la_refusal refusal = { 0 };
	struct la_tokens tokens;
	int ret;

	ret = la_tokens_init(&tokens, text, length);
	if (!ret) {
		ret = parse_tokens(out, &tokens, text, set_at, &refusal);
		la_tokens_release(&tokens);
	}
	if (ret == -EINVAL)
		report(&refusal, err);
	else if (ret < 0)
		la_error_set(err, ret, LA_NO_OFFSET, "out of memory");
	la_strbuf_release(&refusal.text);
	return ret;
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

static uint64_t named_options(const struct la_tokens *tokens)
{
	const struct la_option *option;
	uint64_t named = 0;
	size_t i;

	for (i = 0; i < tokens->nr; i++) {
		option = la_option_find(tokens->token[i].text,
					tokens->token[i].length);
		if (option)
			named |= (uint64_t)1 << la_option_index(option);
	}
	return named;
}

static int fill_check(struct la_setting_check *check, const char *text,
		      size_t length, enum la_set_at set_at)
{
	struct la_tokens tokens;
	int err;

	err = la_tokens_init(&tokens, text, length);
	if (err < 0)
		return err;
	check->named = named_options(&tokens);
	err = parse_tokens(&check->setting, &tokens, text, set_at,
			   &check->refused);
	if (!err) {
		err = la_remark_accepted(&check->remarks, &tokens,
					 &check->setting->values, set_at);
	} else if (err == -EINVAL) {
		describe_refusal(check);
		err = la_remark_refused(&check->remarks, &tokens,
					&check->refused);
	}
	la_tokens_release(&tokens);
	return err;
}

LA_EXPORT int la_setting_check_new(struct la_setting_check **out,
				   const char *text, size_t length,
				   enum la_set_at set_at)
{
	struct la_setting_check *check;
	int err;

	check = calloc(1, sizeof(*check));
	if (!check)
		return -ENOMEM;
	err = fill_check(check, text, length, set_at);
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
	free(check);
}

LA_EXPORT const struct la_setting *
la_setting_check_setting(const struct la_setting_check *check)
{
	return check->setting;
}

LA_EXPORT const struct la_setting_refusal *
la_setting_check_refusal(const struct la_setting_check *check)
{
	return check->setting ? NULL : &check->refusal;
}

LA_EXPORT const struct la_setting_remark *
la_setting_check_remarks(const struct la_setting_check *check, size_t *count)
{
	*count = check->remarks.nr;
	return check->remarks.remark;
}

LA_EXPORT const struct la_setting_option *
la_setting_check_option(const struct la_setting_check *check, size_t index)
{
	uint64_t named = check->named;

	while (named && index--)
		named &= named - 1;
	return named ? la_setting_option_at(__builtin_ctzll(named)) : NULL;
}
