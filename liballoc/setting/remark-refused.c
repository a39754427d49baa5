// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "setting/remark.h"
#include "setting/table.h"
#include "util/util.h"

struct hints {
	struct la_remarks *remarks;
	const struct la_tokens *tokens;
	unsigned int release;
	const struct la_token *token; /* that torch objects to */
};

static void hint_unknown(struct hints *h)
{
	const struct la_token *token = h->token;
	const struct la_option *other =
		la_option_find_any(token->text, token->length);
	const struct la_option *near =
		la_option_nearest(h->release, token->text, token->length);

	if (other && other->about.until)
		la_remark(h->remarks, LA_REMARK_OTHER_RELEASE, token->offset,
			  token->end, "'%s' existed in torch %s only",
			  token->text, other->about.since);
	else if (other)
		la_remark(h->remarks, LA_REMARK_OTHER_RELEASE, token->offset,
			  token->end, "'%s' exists from torch %s on",
			  token->text, other->about.since);
	else if (near)
		la_remark(h->remarks, LA_REMARK_UNKNOWN, token->offset,
			  token->end, "did you mean '%s'?", near->about.name);
}

/* An = in a word that starts with an option's name. */
static bool hint_equals(struct hints *h)
{
	const struct la_token *token = h->token;
	const char *sign = memchr(token->text, '=', token->length);
	int length;

	if (!sign ||
	    !la_option_find(h->release, token->text, sign - token->text))
		return false;
	length = sign - token->text;
	la_remark(h->remarks, LA_REMARK_EQUALS, token->offset, token->end,
		  "write '%.*s:', not '%.*s='", length, token->text, length,
		  token->text);
	return true;
}

static bool hint_quotes(struct hints *h)
{
	const struct la_token *token = h->token;

	if (token->text[0] != '"' && token->text[0] != '\'')
		return false;
	la_remark(h->remarks, LA_REMARK_QUOTES, token->offset, token->end,
		  "the value that torch sees contains the quote itself; in "
		  "cmd.exe write set \"NAME=value\"");
	return true;
}

static void hint_key(struct hints *h)
{
	if (hint_quotes(h) || hint_equals(h))
		return;
	if (!strcmp(h->token->text, "debug"))
		la_remark(h->remarks, LA_REMARK_DEBUG, h->token->offset,
			  h->token->end,
			  "torch has never accepted debug; 'allocctl replay "
			  "--log-splits' prints the split log that guides "
			  "promise for it");
	else
		hint_unknown(h);
}

/* The spelling that was meant by what was written, or NULL. */
static const char *meant_bool(const char *text)
{
	static const char *const names[][2] = {
		{ "true", "True" }, { "1", "True" },	  { "on", "True" },
		{ "yes", "True" },  { "false", "False" }, { "0", "False" },
		{ "off", "False" }, { "no", "False" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(text, names[i][0]))
			return names[i][1];
	return NULL;
}

static void hint_bool(struct hints *h)
{
	const char *meant = meant_bool(h->token->text);

	if (meant)
		la_remark(h->remarks, LA_REMARK_SPELLING, h->token->offset,
			  h->token->end, "write '%s'", meant);
	else
		la_remark(h->remarks, LA_REMARK_SPELLING, h->token->offset,
			  h->token->end, "write 'True' or 'False'");
}

/* A key with = runs off the end: torch sees one word where it wants three. */
static void hint_end(struct hints *h, const struct la_refusal *refusal)
{
	size_t i;

	for (i = 0; i < h->tokens->nr; i++) {
		h->token = &h->tokens->token[i];
		if (hint_equals(h))
			return;
	}
	la_remark(h->remarks, LA_REMARK_ENDS_EARLY, refusal->offset,
		  refusal->end,
		  "the string ends here: each option wants ':' and a value, "
		  "each '[' a ']'");
}

/* token i is a number that the option does not take. */
static void hint_range(struct hints *h, size_t i)
{
	const struct la_option *option = NULL;

	if (i >= 2)
		option =
			la_option_find(h->release, h->tokens->token[i - 2].text,
				       h->tokens->token[i - 2].length);
	if (option && (option->kind == LA_OPTION_THRESHOLD ||
		       option->kind == LA_OPTION_FRACTION))
		la_remark_double(h->remarks, h->token);
	else
		(void)la_remark_integer(h->remarks, h->token);
}

static void hint_backend(struct hints *h, const struct la_refusal *refusal,
			 enum la_set_at set_at)
{
	const char *text = "set the variable before torch is imported";

	if (set_at == LA_SET_AT_IMPORT)
		text = "the first backend that is found while torch is loaded "
		       "counts; up to 2.9 that is one without blanks around "
		       "its colon";
	la_remark(h->remarks, LA_REMARK_BACKEND_LATE, refusal->offset,
		  refusal->end, "%s", text);
}

int la_remark_refused(struct la_remarks *remarks,
		      const struct la_tokens *tokens,
		      const struct la_refusal *refusal,
		      const struct la_setting_context *context)
{
	struct hints h = {
		.remarks = remarks,
		.tokens = tokens,
		.release = context->release,
	};
	size_t i = 0;

	while (i < tokens->nr && tokens->token[i].offset != refusal->offset)
		i++;
	if (i < tokens->nr)
		h.token = &tokens->token[i];
	switch (refusal->kind) {
	case LA_REFUSAL_KEY:
		hint_key(&h);
		break;
	case LA_REFUSAL_BOOL:
		hint_bool(&h);
		break;
	case LA_REFUSAL_RANGE:
		hint_range(&h, i);
		break;
	case LA_REFUSAL_BACKEND:
		hint_backend(&h, refusal, context->set_at);
		break;
	case LA_REFUSAL_END:
		hint_end(&h, refusal);
		break;
	case LA_REFUSAL_NUMBER:
	case LA_REFUSAL_OVERFLOW:
	case LA_REFUSAL_SEPARATOR:
	case LA_REFUSAL_NONE:
		break;
	}
	return remarks->failed ? -ENOMEM : 0;
}
