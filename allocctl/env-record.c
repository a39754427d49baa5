// SPDX-License-Identifier: Apache-2.0
/* The environment of a dead process, from what systemd-coredump wrote into
 * the journal: journalctl -o json.  Formats: systemd.journal-fields(7),
 * systemd's "Journal Export Formats", and, for COREDUMP_ENVIRON, what
 * systemd 252 writes: a line for each entry, in C escapes. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cmd.h"
#include "env.h"
#include "file.h"
#include "print.h"
#include "util/strbuf.h"

static int digit(char c)
{
	return c >= '0' && c <= '7' ? c - '0' : -1;
}

/* One character of text, or an escape; bytes taken. */
static size_t unescape(const char *text, char *c)
{
	static const char names[] = "abfnrtv", codes[] = "\a\b\f\n\r\t\v";
	const char *name;

	*c = text[0];
	if (text[0] != '\\' || !text[1])
		return 1;
	if (digit(text[1]) >= 0 && digit(text[2]) >= 0 && digit(text[3]) >= 0) {
		*c = (char)(digit(text[1]) << 6 | digit(text[2]) << 3 |
			    digit(text[3]));
		return 4;
	}
	name = strchr(names, text[1]);
	*c = name ? codes[name - names] : text[1];
	return 2;
}

/* Lines to entries, each ended by a NUL byte. */
static int take(struct la_env **out, const char *text)
{
	struct la_strbuf block = { 0 };
	int ret = -1;
	char c;

	while (*text) {
		if (*text == '\n') {
			c = '\0';
			text++;
		} else {
			text += unescape(text, &c);
		}
		la_strbuf_add(&block, &c, 1);
	}
	if (block.length && block.data[block.length - 1])
		la_strbuf_add(&block, "", 1);
	if (!block.failed)
		ret = la_env_of_block(out, la_strbuf_text(&block),
				      block.length, LA_PLATFORM_LINUX);
	la_strbuf_release(&block);
	return ret ? print_no_memory() : STATUS_DONE;
}

/* A field that is not UTF-8 is an array of its bytes. */
static bool add_bytes(struct la_strbuf *text, const json_t *bytes)
{
	json_int_t value;
	json_t *byte;
	size_t i;
	char c;

	json_array_foreach(bytes, i, byte) {
		value = json_integer_value(byte);
		if (!json_is_integer(byte) || value < 1 || value > 255)
			return false;
		c = (char)value;
		la_strbuf_add(text, &c, 1);
	}
	return true;
}

static int read_field(struct la_env **out, const json_t *field,
		      const char *path)
{
	struct la_strbuf text = { 0 };
	int status = STATUS_CANNOT_TELL;

	if (json_is_null(field))
		print_error("%s: journalctl left the environment out; add "
			    "--all", path);
	else if (json_is_string(field))
		status = take(out, json_string_value(field));
	else if (!json_is_array(field) || !add_bytes(&text, field))
		print_error("%s: COREDUMP_ENVIRON is not a text", path);
	else if (text.failed)
		status = print_no_memory();
	else
		status = take(out, la_strbuf_text(&text));
	la_strbuf_release(&text);
	return status;
}

/* Of the last record that has it; NULL after a line on stderr. */
static json_t *last_environment(const char *text, size_t length,
				const char *name)
{
	json_t *record, *field = NULL;
	json_error_t err;
	size_t at = 0;

	while (at < length &&
	       (record = json_loadb(text + at, length - at,
				    JSON_DISABLE_EOF_CHECK, &err))) {
		at += err.position;
		at += strspn(text + at, " \t\r\n");
		if (json_object_get(record, "COREDUMP_ENVIRON")) {
			json_decref(field);
			field = json_incref(json_object_get(
				record, "COREDUMP_ENVIRON"));
		}
		json_decref(record);
	}
	if (at == length && field)
		return field;
	json_decref(field);
	if (at == length)
		print_error("%s: no record of systemd-coredump", name);
	else
		print_error("%s: offset %zu: %s", name, at + err.position,
			    err.text);
	return NULL;
}

int env_record(struct la_env **out, const char *path)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	int status = STATUS_CANNOT_TELL;
	struct la_error err;
	json_t *field;
	size_t length;
	char *text;

	if (file_read(&text, &length, path, &err) < 0) {
		print_error("%s: %s", name, err.text);
		return STATUS_CANNOT_TELL;
	}
	field = last_environment(text, length, name);
	if (field)
		status = read_field(out, field, name);
	json_decref(field);
	free(text);
	return status;
}
