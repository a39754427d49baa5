// SPDX-License-Identifier: Apache-2.0
/*
 * A string that torch accepts is KEY SEPARATOR VALUE, again and again with
 * one token between, where a value is one token or a bracketed list.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "setting/parser.h"
#include "setting/remark.h"
#include "setting/scan.h"
#include "setting/table.h"
#include "util/segment.h"
#include "util/util.h"

/* No card is larger: a fraction of this below a segment is never enough. */
#define CARD_MAX (1024 * GIB)

static const struct la_token *token_at(const struct la_scan *s, size_t i)
{
	return &s->tokens->token[i];
}

static void remark_token(struct la_scan *s, enum la_setting_code code, size_t i,
			 const char *text)
{
	const struct la_token *token = token_at(s, i);

	la_remark(s->remarks, code, token->offset, token->end, "%s", text);
}

static void remark_separator(struct la_scan *s, size_t i, const char *meant,
			     enum la_setting_code code)
{
	const struct la_token *token = token_at(s, i);

	if (la_token_is(s->tokens, i, meant))
		return;
	la_remark(s->remarks, code, token->offset, token->end,
		  "'%s' stands where '%s' should; torch does not look",
		  token->text, meant);
}

/* The token after a value. */
static void remark_end(struct la_scan *s, size_t i)
{
	const struct la_token *token = token_at(s, i);

	if (i >= s->tokens->nr || la_token_is(s->tokens, i, ","))
		return;
	if (i + 1 == s->tokens->nr)
		la_remark(s->remarks, LA_REMARK_TRAILING, token->offset,
			  token->end, "'%s' is ignored", token->text);
	else
		remark_separator(s, i, ",", LA_REMARK_COMMA);
}

static void remark_joined(struct la_scan *s, size_t i)
{
	const struct la_token *token = token_at(s, i);

	if (token->joined)
		la_remark(s->remarks, LA_REMARK_BLANK_DELETED, token->offset,
			  token->end,
			  "blanks are deleted: this is read as '%s'",
			  token->text);
}

static uint64_t remark_integer(struct la_scan *s, size_t i)
{
	return la_remark_integer(s->remarks, token_at(s, i));
}

static void remark_mb(struct la_scan *s, const struct la_pair *pair)
{
	const struct la_token *token = token_at(s, pair->value);
	uint64_t mb = remark_integer(s, pair->value);

	if (mb >= SIZE_MAX / MIB && token->text[0] != '-')
		la_remark(s->remarks, LA_REMARK_CLAMPED, token->offset,
			  token->end, "read as %" PRIu64 " MiB: no bound",
			  (uint64_t)SIZE_MAX / MIB);
}

static void remark_divisions(struct la_scan *s, size_t i)
{
	const char *text = "1 is off: sizes are rounded to 512 bytes only";

	if (s->context->release < LA_RELEASE(2, 0))
		text = "1 is off: sizes are not even rounded to 512 bytes";
	if (remark_integer(s, i) == 1)
		remark_token(s, LA_REMARK_ROUNDUP_OFF, i, text);
}

/* Slots that a list has named so far, bit i for slot i, and where it is. */
struct named {
	uint32_t slots;
	unsigned int last; /* slot of the last key that is a number */
};

static uint32_t slots_from(unsigned int first)
{
	return ((uint32_t)1 << LA_ROUNDUP_SLOTS) - ((uint32_t)1 << first);
}

/* Of "[...,1024:4,>:8]" the 4 is lost up to 2.9. */
static void remark_rest(struct la_scan *s, const struct named *named,
			size_t key)
{
	if (named->slots && s->context->release < LA_RELEASE(2, 10) &&
	    strcmp(token_at(s, key - 2)->text, token_at(s, key + 2)->text))
		remark_token(s, LA_REMARK_LIST_ORDER, key,
			     "up to torch 2.9 '>' replaces the entry before it "
			     "too");
}

static void remark_entry(struct la_scan *s, struct named *named, size_t key)
{
	uint64_t bound;
	unsigned int slot;

	remark_separator(s, key + 1, ":", LA_REMARK_COLON);
	remark_divisions(s, key + 2);
	if (la_token_is(s->tokens, key, ">")) {
		remark_rest(s, named, key);
		named->slots |= slots_from(named->last + 1);
		return;
	}
	bound = remark_integer(s, key);
	slot = __builtin_ctzll(bound);
	if (slot >= LA_ROUNDUP_SLOTS) {
		slot = LA_ROUNDUP_SLOTS - 1;
		remark_token(s, LA_REMARK_LIST_SLOT, key,
			     "the last slot starts at 32768 MiB and serves "
			     "everything above; this sets that slot");
	}
	if (!named->slots)
		named->slots = slots_from(0) & ~slots_from(slot);
	else if (named->slots >> slot & 1)
		remark_token(s, LA_REMARK_LIST_ORDER, key,
			     "an earlier entry set these sizes too; this one "
			     "counts");
	named->slots |= (uint32_t)1 << slot;
	named->last = slot;
}

static void remark_gaps(struct la_scan *s, const struct la_pair *pair,
			uint32_t slots)
{
	unsigned int slot, from;

	for (slot = 0; slots >> slot; slot++) {
		if (slots >> slot & 1)
			continue;
		for (from = slot; !(slots >> slot & 1);)
			slot++;
		la_remark(s->remarks, LA_REMARK_LIST_GAP,
			  token_at(s, pair->value)->offset,
			  token_at(s, pair->last)->end,
			  "no entry names %u to %u MiB: not rounded",
			  1u << from, 1u << slot);
	}
}

static void remark_roundup(struct la_scan *s, const struct la_pair *pair)
{
	struct named named = { 0 };
	size_t i;

	if (pair->last == pair->value) {
		remark_divisions(s, pair->value);
		return;
	}
	if (pair->last == pair->value + 1)
		remark_token(s, LA_REMARK_EMPTY_LIST, pair->value,
			     "the list is empty: nothing is set");
	for (i = pair->value + 1; i < pair->last; i += 4) {
		remark_entry(s, &named, i);
		if (i + 3 < pair->last)
			remark_separator(s, i + 3, ",", LA_REMARK_COMMA);
	}
	remark_gaps(s, pair, named.slots);
}

static void remark_value(struct la_scan *s, const struct la_pair *pair)
{
	switch (pair->option->kind) {
	case LA_OPTION_MB_FROM_LARGE:
	case LA_OPTION_LARGE:
	case LA_OPTION_MB_ABOVE_ZERO:
	case LA_OPTION_MB_ANY:
		remark_mb(s, pair);
		break;
	case LA_OPTION_THREADS:
		remark_integer(s, pair->value);
		break;
	case LA_OPTION_THRESHOLD:
	case LA_OPTION_FRACTION:
		la_remark_double(s->remarks, token_at(s, pair->value));
		break;
	case LA_OPTION_ROUNDUP:
		remark_roundup(s, pair);
		break;
	case LA_OPTION_BOOL:
	case LA_OPTION_BACKEND:
	case LA_OPTION_RESERVE:
	case LA_OPTION_RESERVE_LIST:
		break;
	}
}

/* earlier and later set the same field. */
static void remark_duplicate(struct la_scan *s, const struct la_pair *earlier,
			     const struct la_pair *later)
{
	const struct la_token *key = token_at(s, earlier->key);
	const char *what = "the last one counts";

	if (later->last > later->value)
		what = "the later list changes only what it names";
	la_remark(s->remarks, LA_REMARK_DUPLICATE, key->offset, key->end,
		  "set again at byte %zu: %s", token_at(s, later->key)->offset,
		  what);
}

static void scan_pair(struct la_scan *s, const struct la_pair *pair)
{
	struct la_pair *seen = &s->seen[pair->option->field];
	size_t i;

	if (seen->option)
		remark_duplicate(s, seen, pair);
	*seen = *pair;
	remark_separator(s, pair->key + 1, ":", LA_REMARK_COLON);
	for (i = pair->key; i <= pair->last; i++)
		remark_joined(s, i);
	remark_value(s, pair);
	remark_end(s, pair->last + 1);
	if (pair->option->about.side == LA_SIDE_HOST)
		remark_token(s, LA_REMARK_HOST_ONLY, pair->key,
			     "pinned host memory only: GPU memory is not "
			     "affected");
}

void la_remark_field(struct la_scan *s, size_t field, enum la_setting_code code,
		     const char *text)
{
	const struct la_pair *pair = &s->seen[field];

	if (pair->option)
		la_remark(s->remarks, code, token_at(s, pair->key)->offset,
			  token_at(s, pair->last)->end, "%s", text);
}

static void remark_split(struct la_scan *s)
{
	const struct la_setting_values *v = s->values;

	if (v->max_split_size == UINT64_MAX)
		la_remark_field(s, LA_FIELD(max_non_split_rounding),
				LA_REMARK_NEEDS_MAX_SPLIT,
				"does nothing without max_split_size_mb");
	else if (v->expandable_segments)
		la_remark_field(s, LA_FIELD(max_split_size),
				LA_REMARK_SPLIT_IGNORED,
				"expandable segments are split all the same; it "
				"only limits which cached block serves a request");
	else if (v->max_split_size <= v->large_segment_size)
		la_remark_field(s, LA_FIELD(max_split_size),
				LA_REMARK_SPLIT_IS_SEGMENT,
				"no larger than a segment for requests of 1 to "
				"10 MiB: once wholly free it serves none of them");
}

static void remark_cap(struct la_scan *s)
{
	double fraction = s->values->per_process_memory_fraction;
	const size_t field = LA_FIELD(per_process_memory_fraction);

	/* Up to 2.9 a fraction of 1 is a cap too, and no option sets one. */
	if (s->context->release < LA_RELEASE(2, 10))
		la_remark_field(s, LA_FIELD(garbage_collection_threshold),
				LA_REMARK_NEEDS_CAP,
				"does nothing unless the program sets a memory "
				"fraction");
	else if (!(fraction < 1))
		la_remark_field(s, LA_FIELD(garbage_collection_threshold),
				LA_REMARK_NEEDS_CAP,
				"does nothing unless a memory fraction below 1 "
				"is set, here or by the program");
	if (!(fraction < 1))
		la_remark_field(s, field, LA_REMARK_NO_CAP, "1 is no cap");
	if (fraction * CARD_MAX < SMALL_SEGMENT)
		la_remark_field(s, field, LA_REMARK_CAP_TOO_SMALL,
				"leaves no room for one segment: every "
				"allocation fails");
	if (s->context->set_at == LA_SET_AT_RUNTIME)
		la_remark_field(s, field, LA_REMARK_CAP_READ_ONCE,
				"devices that are in use already keep their cap");
}

static void remark_backend(struct la_scan *s)
{
	static const size_t native[] = {
		LA_FIELD(max_split_size),
		LA_FIELD(max_non_split_rounding),
		LA_FIELD(large_segment_size),
		LA_FIELD(garbage_collection_threshold),
		LA_FIELD(roundup_power2_divisions),
		LA_FIELD(expandable_segments),
		LA_FIELD(release_lock_on_cudamalloc),
		LA_FIELD(graph_capture_record_stream_reuse),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(native); i++)
		la_remark_field(s, native[i], LA_REMARK_NATIVE_ONLY,
				"ignored: the backend is cudaMallocAsync");
}

/* False at the end of the string. */
static bool next_pair(const struct la_scan *s, struct la_pair *pair)
{
	size_t last;

	if (pair->key >= s->tokens->nr)
		return false;
	pair->option = la_option_find(s->context->release,
				      token_at(s, pair->key)->text,
				      token_at(s, pair->key)->length);
	pair->value = pair->key + 2;
	last = la_skip_key(s->tokens, pair->key);
	pair->last = last == SIZE_MAX ? s->tokens->nr - 1 : last;
	return true;
}

/* Builds without a device step over what is not common to all. */
static bool is_read(const struct la_scan *s, const struct la_option *option)
{
	return option && (s->context->build != LA_BUILD_CPU ||
			  option->owner == LA_OWNER_COMMON);
}

static void scan_pairs(struct la_scan *s)
{
	struct la_pair pair = { 0 };

	for (; next_pair(s, &pair); pair.key = pair.last + 2)
		if (is_read(s, pair.option))
			scan_pair(s, &pair);
}

int la_remark_accepted(struct la_remarks *remarks,
		       const struct la_tokens *tokens,
		       const struct la_setting_values *values,
		       const struct la_setting_context *context)
{
	struct la_scan s = {
		.remarks = remarks,
		.tokens = tokens,
		.values = values,
		.context = context,
	};

	scan_pairs(&s);
	if (values->cuda_malloc_async) {
		remark_backend(&s);
	} else {
		remark_split(&s);
		remark_cap(&s);
	}
	la_remark_situation(&s);
	return remarks->failed ? -ENOMEM : 0;
}
