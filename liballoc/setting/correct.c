// SPDX-License-Identifier: Apache-2.0
/*
 * Three steps: the text in plain characters, with one kind of separator each;
 * a reader that takes almost anything for options and values; and values that
 * the options take.  What comes out counts only if torch accepts it.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "setting/correct.h"
#include "setting/meant.h"
#include "setting/release.h"
#include "setting/tokenizer.h"
#include "util/strbuf.h"
#include "util/util.h"

/* Nobody writes longer ones; what is sought grows faster than the text. */
enum { TEXT_MAX = 1024, PAIRS_MAX = 32, THREADS_MAX = 128 };

struct pair {
	const struct la_option *option;
	struct la_strbuf value; /* owned; empty: the option is left out */
};

struct reader {
	const struct la_setting_context *context;
	const char *at; /* in plain text, which is terminated */
	struct pair pair[PAIRS_MAX];
	size_t nr;
	bool failed; /* there was no memory for a value */
};

/* A comment starts after a blank and ends with its line. */
static size_t comment_length(const char *text, size_t length, size_t i)
{
	size_t n = 0;

	if (text[i] != '#' || (i && !la_is_blank(text[i - 1])))
		return 0;
	while (i + n < length && text[i + n] != '\n')
		n++;
	return n;
}

static void add_plain(struct la_strbuf *plain, char c)
{
	if (strchr("\"'`\\<(){}$", c))
		return;
	if (c == '=')
		c = ':';
	else if (c == ';' || c == '|' || c == '&')
		c = ',';
	else if (la_is_blank(c))
		c = ' ';
	la_strbuf_add(plain, &c, 1);
}

static void make_plain(struct la_strbuf *plain, const char *text, size_t length)
{
	size_t i, size, comment;
	char c;

	la_strbuf_addstr(plain, "");
	for (i = 0; i < length; i += size) {
		comment = comment_length(text, length, i);
		c = la_meant_char(text + i, length - i, &size);
		if (comment)
			size = comment;
		else if (c)
			add_plain(plain, c);
		else if (text[i])
			add_plain(plain, text[i]);
	}
}

static size_t skip(struct reader *r, const char *chars)
{
	size_t n = strspn(r->at, chars);

	r->at += n;
	return n;
}

/* Bytes of the word at the reader's place. */
static size_t word_length(const struct reader *r)
{
	return strcspn(r->at, " ,:[]");
}

/* The option that starts here, if a word does that is followed by a value. */
static const struct la_option *option_here(const struct reader *r)
{
	size_t n = word_length(r);
	const char *after = r->at + n + strspn(r->at + n, " ");

	if (!n || *r->at == '>' || (*r->at >= '0' && *r->at <= '9'))
		return NULL;
	if (*after == ':' || la_option_find_any(r->at, n))
		return la_meant_option(r->context->release, r->at, n);
	return NULL;
}

/* Words up to the next separator, without the blanks between them. */
static void read_words(struct reader *r, struct la_strbuf *value)
{
	size_t n;

	for (;;) {
		n = word_length(r);
		la_strbuf_add(value, r->at, n);
		r->at += n;
		skip(r, " ");
		if (!word_length(r) || option_here(r))
			return;
	}
}

static void read_list(struct reader *r, struct la_strbuf *value)
{
	size_t n;

	la_strbuf_addstr(value, "[");
	while (skip(r, " ,:["), *r->at && *r->at != ']' && !option_here(r)) {
		n = word_length(r);
		la_strbuf_add(value, r->at, n);
		la_strbuf_addstr(value, " ");
		r->at += n;
	}
	skip(r, "]");
}

/* A number at the start of a word, or behind other characters; NAN: none. */
static double number_of(const char *word, const char **rest)
{
	double value = NAN;
	char *end = NULL;

	if (*word != '-' && *word != '+') {
		word += strcspn(word, "0123456789.");
		value = strtod(word, &end);
	}
	*rest = end && end > word ? end : "";
	return end && end > word && isfinite(value) && value >= 0 ? value : NAN;
}

static double mb_of(const char *word)
{
	const char *unit;
	double value = number_of(word, &unit);

	if (*unit == 'g' || *unit == 'G')
		return value * 1024;
	if (*unit == 't' || *unit == 'T')
		return value * 1024 * 1024;
	if (*unit == 'k' || *unit == 'K')
		return value / 1024;
	return value;
}

static uint64_t power_of_two(double value, uint64_t max)
{
	uint64_t power = 1;

	while (power < max && (double)power * 2 <= value)
		power *= 2;
	return power;
}

static void set_number(struct la_strbuf *value, double number)
{
	la_strbuf_release(value);
	if (!isnan(number) && number < 1e9)
		la_strbuf_addf(value, "%.0f", number);
}

/* MiB, not below what the option takes. */
static void correct_mb(const struct reader *r, struct pair *pair)
{
	double mb = round(mb_of(la_strbuf_text(&pair->value)));
	double least = 0;
	size_t i;

	if (pair->option->kind == LA_OPTION_MB_ABOVE_ZERO)
		least = 1;
	if (pair->option->kind == LA_OPTION_LARGE)
		least = 11;
	if (pair->option->kind == LA_OPTION_MB_FROM_LARGE) {
		least = la_generation_of(r->context->release) ==
					LA_GENERATION_C ?
				20 :
				21;
		for (i = 0; i < r->nr; i++)
			if (r->pair[i].option->kind == LA_OPTION_LARGE)
				least = mb_of(
					la_strbuf_text(&r->pair[i].value));
	}
	set_number(&pair->value, mb < least ? least : mb);
}

/* A share as such or in percent; what is not below 1 is the default. */
static void correct_share(struct pair *pair)
{
	const char *rest;
	double share = number_of(la_strbuf_text(&pair->value), &rest);

	if (*rest == '%' || (share > 1 && share <= 100))
		share /= 100;
	la_strbuf_release(&pair->value);
	if (share > 0 && share < 1)
		la_strbuf_addf(&pair->value, "%.12g", share);
}

static void correct_list(struct la_strbuf *value)
{
	struct la_strbuf list = { 0 };
	const char *word = value->data + 1, *rest;
	bool is_key = true;
	double number;
	size_t n;

	for (; *word; word += n + 1, is_key = !is_key) {
		n = strcspn(word, " ");
		number = number_of(word, &rest);
		la_strbuf_addstr(&list, !is_key	    ? ":" :
					list.length ? "," :
						      "[");
		if (is_key && *word == '>')
			la_strbuf_addstr(&list, ">");
		else if (!is_key && number == 0)
			la_strbuf_addstr(&list, "0");
		else
			la_strbuf_addf(&list, "%" PRIu64,
				       power_of_two(number, 1 << 15));
	}
	la_strbuf_release(value);
	if (list.length && is_key)
		la_strbuf_addf(value, "%s]", list.data);
	value->failed |= list.failed;
	la_strbuf_release(&list);
}

/* Names and what is reserved for them, as they are. */
static void correct_pairs(struct la_strbuf *value)
{
	struct la_strbuf list = { 0 };
	const char *word = la_strbuf_text(value);
	bool is_key = true;
	size_t n;

	for (word += *word == '['; *word; word += n + 1, is_key = !is_key) {
		n = strcspn(word, " ");
		la_strbuf_addf(&list, "%s%.*s",
			       !is_key	   ? ":" :
			       list.length ? "," :
					     "[",
			       (int)n, word);
		if (!word[n])
			break;
	}
	la_strbuf_release(value);
	if (list.length && is_key)
		la_strbuf_addf(value, "%s]", list.data);
	value->failed |= list.failed;
	la_strbuf_release(&list);
}

static void correct_power(struct pair *pair, uint64_t max)
{
	const char *rest;
	double number = number_of(la_strbuf_text(&pair->value), &rest);

	la_strbuf_release(&pair->value);
	if (number >= 1)
		la_strbuf_addf(&pair->value, "%" PRIu64,
			       power_of_two(number, max));
}

/* Make the value one that the option takes, or empty. */
static void correct_value(const struct reader *r, struct pair *pair)
{
	const char *text = la_strbuf_text(&pair->value), *word = NULL;

	switch (pair->option->kind) {
	case LA_OPTION_MB_FROM_LARGE:
	case LA_OPTION_LARGE:
	case LA_OPTION_MB_ABOVE_ZERO:
	case LA_OPTION_MB_ANY:
		correct_mb(r, pair);
		return;
	case LA_OPTION_THRESHOLD:
	case LA_OPTION_FRACTION:
		correct_share(pair);
		return;
	case LA_OPTION_THREADS:
		correct_power(pair, THREADS_MAX);
		return;
	case LA_OPTION_ROUNDUP:
		if (*text == '[')
			correct_list(&pair->value);
		else
			correct_power(pair, (uint64_t)1 << 32);
		return;
	case LA_OPTION_RESERVE:
		return;
	case LA_OPTION_RESERVE_LIST:
		correct_pairs(&pair->value);
		return;
	case LA_OPTION_BOOL:
		word = *text ? la_meant_bool(text) : "True";
		break;
	case LA_OPTION_BACKEND:
		word = la_meant_backend(r->context->build, text, strlen(text));
		break;
	}
	la_strbuf_release(&pair->value);
	if (word)
		la_strbuf_addstr(&pair->value, word);
}

/* The pair for an option; a later value replaces an earlier one. */
static struct pair *pair_for(struct reader *r, const struct la_option *option)
{
	size_t i;

	for (i = 0; i < r->nr; i++)
		if (r->pair[i].option->field == option->field)
			break;
	if (i == PAIRS_MAX)
		return NULL;
	if (i == r->nr)
		r->nr++;
	la_strbuf_release(&r->pair[i].value);
	r->pair[i].option = option;
	return &r->pair[i];
}

/* A backend's name without its key. */
static void read_backend(struct reader *r, const char *word, size_t length)
{
	const struct la_option *option =
		la_option_find(r->context->release, "backend", 7);
	const char *backend = la_meant_backend(r->context->build, word, length);
	struct pair *pair = option && backend ? pair_for(r, option) : NULL;

	if (pair)
		la_strbuf_addstr(&pair->value, backend);
}

static void read_pair(struct reader *r)
{
	const struct la_option *option = option_here(r);
	struct la_strbuf dropped = { 0 };
	size_t length = word_length(r);
	struct pair *pair = option ? pair_for(r, option) : NULL;
	const char *word = r->at;

	r->at += length;
	if (!skip(r, pair ? " :," : " :") && !pair)
		read_backend(r, word, length);
	if (*r->at == '[')
		read_list(r, pair ? &pair->value : &dropped);
	else if (!option_here(r))
		read_words(r, pair ? &pair->value : &dropped);
	r->failed |= pair && pair->value.failed;
	la_strbuf_release(&dropped);
}

static void read_pairs(struct reader *r)
{
	size_t i;

	while (skip(r, " ,:[]"), *r->at)
		read_pair(r);
	/* The segments first: others are bound by them. */
	for (i = 0; i < r->nr; i++)
		if (r->pair[i].option->kind == LA_OPTION_LARGE)
			correct_value(r, &r->pair[i]);
	for (i = 0; i < r->nr; i++)
		if (r->pair[i].option->kind != LA_OPTION_LARGE)
			correct_value(r, &r->pair[i]);
}

/* Write what is left; 0, 1 if torch does not accept it, or -ENOMEM. */
static int write_pairs(const struct reader *r, struct la_strbuf *out)
{
	struct la_setting *setting;
	size_t i;
	int code;

	la_strbuf_release(out);
	la_strbuf_add(out, "", 0);
	for (i = 0; i < r->nr; i++)
		if (r->pair[i].value.length)
			la_strbuf_addf(out, "%s%s:%s", out->length ? "," : "",
				       r->pair[i].option->about.name,
				       r->pair[i].value.data);
	if (out->failed)
		return -ENOMEM;
	code = la_setting_parse_for(&setting, la_strbuf_text(out), out->length,
				    r->context, NULL);
	if (!code)
		la_setting_free(setting);
	return code == -EINVAL ? 1 : code;
}

/* Where the backend cannot be changed any more or lists are not known. */
static int write_less(struct reader *r, struct la_strbuf *out)
{
	int code = write_pairs(r, out);
	size_t i;

	for (i = 0; i < r->nr && code == 1; i++) {
		if (r->pair[i].option->kind != LA_OPTION_BACKEND &&
		    la_strbuf_text(&r->pair[i].value)[0] != '[')
			continue;
		la_strbuf_release(&r->pair[i].value);
		code = write_pairs(r, out);
	}
	return code;
}

int la_correct(char **out, const char *text, size_t length,
	       const struct la_setting_context *context)
{
	struct reader reader = { .context = context };
	struct la_strbuf plain = { 0 }, written = { 0 };
	int code = -ENOMEM;
	size_t i;

	*out = NULL;
	if (length > TEXT_MAX)
		return 0;
	make_plain(&plain, text, length);
	reader.at = la_strbuf_text(&plain);
	if (!plain.failed) {
		read_pairs(&reader);
		code = write_less(&reader, &written);
	}
	if (reader.failed)
		code = -ENOMEM;
	for (i = 0; i < reader.nr; i++) {
		if (reader.pair[i].value.failed)
			code = -ENOMEM;
		la_strbuf_release(&reader.pair[i].value);
	}
	if (code)
		la_strbuf_release(&written);
	*out = written.data;
	la_strbuf_release(&plain);
	return code < 0 ? code : 0;
}
