// SPDX-License-Identifier: Apache-2.0
/* launch.json, kernel.json and conda-meta/state. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "script/place.h"
#include "util/error.h"

enum {
	DEPTH = 32, /* deepest nesting */
	MOST_LOOKED = 1 << 28 /* bytes that are searched for names */
};

struct reader {
	struct la_script *script;
	const struct la_script_part *part;
	const char *text; /* without comments, of the part's length */
	size_t looked; /* bytes searched so far */
	size_t at; /* names were found up to here */
	enum la_script_kind kind;
};

/* Overwrite what stands in a range, but not its line ends. */
static void blank_out(char *text, size_t start, size_t end)
{
	for (; start < end; start++)
		if (text[start] != '\n')
			text[start] = ' ';
}

static size_t string_end(const char *text, size_t at, size_t length)
{
	for (at++; at < length && text[at] != '"'; at++)
		if (text[at] == '\\')
			at++;
	return at < length ? at : length;
}

/* Where a comment that starts at a place ends; 0: none does. */
static size_t comment_end(const char *text, size_t at, size_t length)
{
	const char *end;

	if (length - at < 2 || text[at] != '/')
		return 0;
	if (text[at + 1] == '/') {
		end = memchr(text + at, '\n', length - at);
		return end ? (size_t)(end - text) : length;
	}
	if (text[at + 1] != '*')
		return 0;
	end = memmem(text + at + 2, length - at - 2, "*/", 2);
	return end ? (size_t)(end - text) + 2 : length;
}

/* Make JSON of what editors write: comments, and commas before ] or }. */
static void plain_json(char *text, size_t length)
{
	size_t at, end, comma = SIZE_MAX;

	for (at = 0; at < length; at++) {
		end = comment_end(text, at, length);
		if (end) {
			blank_out(text, at, end);
			at = end - 1;
			continue;
		}
		if (strchr(" \t\r\n", text[at]) && text[at])
			continue;
		if (comma != SIZE_MAX && (text[at] == ']' || text[at] == '}'))
			text[comma] = ' ';
		comma = text[at] == ',' ? at : SIZE_MAX;
		if (text[at] == '"')
			at = string_end(text, at, length);
	}
}

/* The next place of a name in quotes. */
static struct la_script_span find(struct reader *r, const char *name)
{
	size_t length = strlen(name), at;
	struct la_script_span span = { 0, 0 };

	for (at = r->at; at < r->part->length && r->looked < MOST_LOOKED;
	     at++, r->looked++) {
		if (r->text[at] != '"')
			continue;
		span.start = at;
		at = string_end(r->text, at, r->part->length);
		r->looked += at - span.start;
		if (at - span.start == length + 1 &&
		    !memcmp(r->text + span.start + 1, name, length)) {
			span.end = at + 1;
			r->at = at + 1;
			return span;
		}
	}
	return (struct la_script_span){ r->at, r->at };
}

/* What the reader of this file puts in a value. */
static void expand(struct reader *r, const char *text,
		   struct la_script_value *value)
{
	struct la_script_vars none = { 0 };
	struct la_script_scope scope = { r->script, &none,
					 LA_SCRIPT_BARE | LA_SCRIPT_DOLLARS |
						 LA_SCRIPT_PLAIN |
						 LA_SCRIPT_OPEN,
					 0 };

	if (r->kind == LA_SCRIPT_KERNEL) {
		la_script_expand_all(&scope, text, strlen(text), value);
		return;
	}
	if (r->kind == LA_SCRIPT_LAUNCH && strstr(text, "${"))
		la_script_value_unknown(value, "", 0);
	la_strbuf_addstr(&value->text, text);
}

static size_t give_text(struct reader *r, const char *name, const char *text,
			struct la_script_span at)
{
	struct la_script_value value = { 0 };
	size_t index;

	expand(r, text, &value);
	index = la_script_give(r->script, r->part, name, strlen(name), &value,
			       at);
	la_script_value_release(&value);
	return index;
}

static size_t give(struct reader *r, const char *name, const json_t *value)
{
	struct la_script_span at;

	if (!la_script_watches(r->script, name, strlen(name), false))
		return LA_SCRIPT_WHOLE;
	at = find(r, name);
	if (!json_is_string(value))
		return la_script_lose(r->script, r->part, name, strlen(name),
				      LA_SCRIPT_NOT_A_STRING, at, NULL);
	if (r->kind == LA_SCRIPT_CONDA &&
	    !strcmp(json_string_value(value), "***unset***"))
		return la_script_add(r->script, r->part, name, strlen(name),
				     NULL, LA_SCRIPT_REMOVED, at.start,
				     at.end);
	return give_text(r, name, json_string_value(value), at);
}

/* Two ways in one configuration, of which debuggers take one or the other. */
static void note_file(struct reader *r, size_t index)
{
	struct la_script_span at;
	size_t before = r->at;

	r->at = 0;
	at = find(r, "envFile");
	r->at = before;
	la_script_say(r->script, r->part, index,
		      index == LA_SCRIPT_WHOLE ? LA_SCRIPT_ELSEWHERE :
						 LA_SCRIPT_OVERRIDDEN,
		      at.start, at.end,
		      "debuggers differ in whether env or envFile wins; see "
		      "that envFile does not set it");
}

/* A map of names, or a list of {name, value}; the last place. */
static size_t read_env(struct reader *r, const json_t *env)
{
	size_t last = LA_SCRIPT_WHOLE, i, index;
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)env, name, value) {
		index = give(r, name, value);
		last = index == LA_SCRIPT_WHOLE ? last : index;
	}
	json_array_foreach(env, i, value) {
		name = json_string_value(json_object_get(value, "name"));
		if (!name)
			continue;
		index = give(r, name, json_object_get(value, "value"));
		last = index == LA_SCRIPT_WHOLE ? last : index;
	}
	return last;
}

static bool holds_env(const struct reader *r, const char *key)
{
	if (r->kind == LA_SCRIPT_CONDA)
		return !strcmp(key, "env_vars");
	if (r->kind == LA_SCRIPT_KERNEL)
		return !strcmp(key, "env");
	return !strcmp(key, "env") || !strcmp(key, "environment") ||
	       !strcmp(key, "containerEnv") || !strcmp(key, "remoteEnv") ||
	       !strncmp(key, "terminal.integrated.env.", 24);
}

static void walk(struct reader *r, const json_t *node, unsigned int depth)
{
	size_t last = LA_SCRIPT_WHOLE, i;
	const char *key;
	json_t *value;

	if (depth == DEPTH)
		return;
	json_object_foreach((json_t *)node, key, value) {
		if (holds_env(r, key))
			last = read_env(r, value);
		else
			walk(r, value, depth + 1);
	}
	if (r->kind == LA_SCRIPT_LAUNCH && json_object_get(node, "envFile"))
		note_file(r, last);
	json_array_foreach(node, i, value) {
		walk(r, value, depth + 1);
	}
}

/* "env": {...} without the braces around it, as people cut it out. */
static json_t *parse_piece(const char *text, size_t length, json_error_t *error)
{
	struct la_strbuf whole = { 0 };
	json_t *root;

	while (length && strchr(" \t\r\n,", text[length - 1]))
		length--;
	la_strbuf_add(&whole, "{", 1);
	la_strbuf_add(&whole, text, length);
	la_strbuf_add(&whole, "}", 1);
	root = whole.failed ? NULL :
			      json_loadb(whole.data, whole.length,
					 JSON_ALLOW_NUL, error);
	la_strbuf_release(&whole);
	return root;
}

static int read_text(struct reader *r, char *text, struct la_error *err)
{
	size_t mark = la_script_mark(text, r->part->length);
	size_t length = r->part->length - mark;
	json_error_t first, error;
	json_t *root;

	blank_out(text, 0, mark);
	plain_json(text, r->part->length);
	r->text = text;
	root = json_loadb(text + mark, length, JSON_ALLOW_NUL, &first);
	if (!root)
		root = parse_piece(text + mark, length, &error);
	if (!root)
		return la_error_set(err, -EBADMSG,
				    r->part->offset + mark + first.position,
				    "line %d, column %d: %s", first.line,
				    first.column, first.text);
	walk(r, root, 0);
	/* A piece that is the map of names itself. */
	if (!json_object_get(root, "env") && !json_object_get(root, "env_vars"))
		read_env(r, root);
	json_decref(root);
	return 0;
}

int la_script_read_json(struct la_script *script,
			const struct la_script_part *part,
			struct la_error *err)
{
	struct reader r = { .script = script, .part = part,
			    .kind = la_script_kind_now(script) };
	char *text = malloc(part->length + 1);
	int ret;

	if (!text)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	memcpy(text, part->text, part->length);
	text[part->length] = '\0';
	ret = read_text(&r, text, err);
	free(text);
	return ret;
}
