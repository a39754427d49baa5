// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/c-locale.h"
#include "util/json.h"
#include "util/utf8.h"

static void put(struct la_json *json, const char *data, size_t length)
{
	if (!json->err)
		json->err = json->sink(json->arg, data, length);
}

static void puts_json(struct la_json *json, const char *text)
{
	put(json, text, strlen(text));
}

/* The comma, unless this is a container's first member or a key's value. */
static void begin_value(struct la_json *json)
{
	uint64_t bit = (uint64_t)1 << (json->depth % LA_JSON_DEPTH);

	if (json->after_key) {
		json->after_key = false;
		return;
	}
	if (json->depth && (json->started & bit))
		put(json, ",", 1);
	json->started |= bit;
}

static void open_container(struct la_json *json, const char *bracket)
{
	begin_value(json);
	put(json, bracket, 1);
	if (json->depth + 1 >= LA_JSON_DEPTH) {
		json->err = json->err ? json->err : -EOVERFLOW;
		return;
	}
	json->depth++;
	json->started &= ~((uint64_t)1 << json->depth);
}

static void close_container(struct la_json *json, const char *bracket)
{
	if (json->depth)
		json->depth--;
	put(json, bracket, 1);
}

/* One byte that JSON does not take as it is. */
static void put_escaped(struct la_json *json, unsigned char byte)
{
	static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	char text[8];
	size_t i;

	for (i = 0; named[i]; i += 2) {
		if ((unsigned char)named[i] != byte)
			continue;
		text[0] = '\\';
		text[1] = named[i + 1];
		put(json, text, 2);
		return;
	}
	snprintf(text, sizeof(text), "\\u%04x", byte);
	puts_json(json, text);
}

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte != 0x7f && byte != '"' && byte != '\\';
}

static void put_quoted(struct la_json *json, const char *text, size_t length)
{
	size_t i = 0, run = 0, n;

	put(json, "\"", 1);
	while (i < length) {
		n = la_utf8_char(text + i, length - i);
		if (n && is_plain(text[i])) {
			i += n;
			continue;
		}
		put(json, text + run, i - run);
		if (n)
			put_escaped(json, text[i]);
		else
			puts_json(json, "\\ufffd");
		run = ++i;
	}
	put(json, text + run, i - run);
	put(json, "\"", 1);
}

void la_json_init(struct la_json *json, la_json_sink *sink, void *arg)
{
	*json = (struct la_json){ .sink = sink, .arg = arg };
}

int la_json_to_strbuf(void *arg, const char *data, size_t length)
{
	struct la_strbuf *buf = arg;

	la_strbuf_add(buf, data, length);
	return buf->failed ? -ENOMEM : 0;
}

void la_json_object_begin(struct la_json *json)
{
	open_container(json, "{");
}

void la_json_object_end(struct la_json *json)
{
	close_container(json, "}");
}

void la_json_array_begin(struct la_json *json)
{
	open_container(json, "[");
}

void la_json_array_end(struct la_json *json)
{
	close_container(json, "]");
}

void la_json_key(struct la_json *json, const char *name)
{
	begin_value(json);
	put_quoted(json, name, strlen(name));
	put(json, ":", 1);
	json->after_key = true;
}

void la_json_string(struct la_json *json, const char *text, size_t length)
{
	begin_value(json);
	put_quoted(json, text, length);
}

void la_json_text(struct la_json *json, const char *text)
{
	if (text)
		la_json_string(json, text, strlen(text));
	else
		la_json_null(json);
}

void la_json_int(struct la_json *json, int64_t value)
{
	char text[24];

	begin_value(json);
	snprintf(text, sizeof(text), "%" PRId64, value);
	puts_json(json, text);
}

void la_json_uint(struct la_json *json, uint64_t value)
{
	char text[24];

	begin_value(json);
	snprintf(text, sizeof(text), "%" PRIu64, value);
	puts_json(json, text);
}

/* 17 digits always suffice. */
static void format_double(char text[40], double value)
{
	int digits;

	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, 40, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	if (!strpbrk(text, ".e"))
		memcpy(text + strlen(text), ".0", 3);
}

void la_json_double(struct la_json *json, double value)
{
	struct la_c_locale c;
	char text[40];

	if (!isfinite(value)) {
		la_json_null(json);
		return;
	}
	if (!la_c_locale_enter(&c)) {
		json->err = json->err ? json->err : -ENOMEM;
		return;
	}
	format_double(text, value);
	la_c_locale_leave(&c);
	begin_value(json);
	puts_json(json, text);
}

void la_json_bool(struct la_json *json, bool value)
{
	begin_value(json);
	puts_json(json, value ? "true" : "false");
}

void la_json_null(struct la_json *json)
{
	begin_value(json);
	puts_json(json, "null");
}

void la_json_member_text(struct la_json *json, const char *name,
			 const char *text)
{
	la_json_key(json, name);
	la_json_text(json, text);
}

void la_json_member_uint(struct la_json *json, const char *name,
			 uint64_t value)
{
	la_json_key(json, name);
	la_json_uint(json, value);
}

void la_json_member_double(struct la_json *json, const char *name,
			   double value)
{
	la_json_key(json, name);
	la_json_double(json, value);
}

void la_json_member_bool(struct la_json *json, const char *name, bool value)
{
	la_json_key(json, name);
	la_json_bool(json, value);
}

void la_json_member_null(struct la_json *json, const char *name)
{
	la_json_key(json, name);
	la_json_null(json);
}

void la_json_member_known_uint(struct la_json *json, const char *name,
			       bool known, uint64_t value)
{
	if (known)
		la_json_member_uint(json, name, value);
	else
		la_json_member_null(json, name);
}

void la_json_member_known_double(struct la_json *json, const char *name,
				 bool known, double value)
{
	if (known)
		la_json_member_double(json, name, value);
	else
		la_json_member_null(json, name);
}
