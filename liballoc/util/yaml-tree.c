// SPDX-License-Identifier: Apache-2.0
/* libyaml's events as a tree. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "util/yaml.h"

struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* the current one; owned */
	struct la_error *err;
	size_t nodes; /* made so far */
	const char *text; /* what is read, length bytes */
	size_t length;
	size_t index, byte; /* a character of the text and where it starts */
};

/* Marks count characters; those that are asked for hardly ever go back. */
static size_t byte_of(struct reader *reader, const yaml_mark_t *mark)
{
	if (mark->index < reader->index)
		reader->index = reader->byte = 0;
	while (reader->index < mark->index && reader->byte < reader->length) {
		do {
			reader->byte++;
		} while (reader->byte < reader->length &&
			 (reader->text[reader->byte] & 0xc0) == 0x80);
		reader->index++;
	}
	return reader->byte;
}

static int bad_at(struct reader *reader, const yaml_mark_t *mark,
		  const char *what)
{
	return la_error_set(reader->err, -EBADMSG, byte_of(reader, mark),
			    "line %zu, column %zu: %s", mark->line + 1,
			    mark->column + 1, what);
}

static int bad(struct reader *reader, const char *what)
{
	return bad_at(reader, &reader->event.start_mark, what);
}

static int no_memory(struct reader *reader)
{
	return la_error_set(reader->err, -ENOMEM, LA_NO_OFFSET,
			    "out of memory");
}

/* Go to the next event.  Returns 0 or a negative errno value. */
static int advance(struct reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;

	yaml_event_delete(&reader->event);
	if (yaml_parser_parse(&reader->parser, &reader->event))
		return 0;
	if (parser->error == YAML_MEMORY_ERROR)
		return no_memory(reader);
	if (parser->error == YAML_READER_ERROR)
		return la_error_set(reader->err, -EBADMSG,
				    parser->problem_offset, "%s",
				    parser->problem);
	return bad_at(reader, &parser->problem_mark, parser->problem);
}

/* Name and type of the current event's node; either is refused. */
static int refuse_extras(struct reader *reader)
{
	const yaml_event_t *event = &reader->event;
	const yaml_char_t *anchor = NULL, *tag = NULL;

	if (event->type == YAML_SCALAR_EVENT) {
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
	} else if (event->type == YAML_MAPPING_START_EVENT) {
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
	} else {
		return bad(reader, "aliases are not taken here");
	}
	if (anchor)
		return bad(reader, "anchors are not taken here");
	return tag ? bad(reader, "tags are not taken here") : 0;
}

static int copy_scalar(struct reader *reader, struct la_yaml *node)
{
	const char *value = (const char *)reader->event.data.scalar.value;
	size_t length = reader->event.data.scalar.length;

	if (memchr(value, '\0', length))
		return bad(reader, "a NUL byte");
	node->text = strndup(value, length);
	return node->text ? 0 : no_memory(reader);
}

/* A node for the current event, without what it holds. */
static int make_node(struct reader *reader, struct la_yaml **out)
{
	const yaml_mark_t *mark = &reader->event.start_mark;
	struct la_yaml *node;
	int code = refuse_extras(reader);

	if (code < 0)
		return code;
	if (++reader->nodes > LA_YAML_NODES)
		return la_error_set(reader->err, -EFBIG, byte_of(reader, mark),
				    "more than %d values", LA_YAML_NODES);
	node = calloc(1, sizeof(*node));
	if (!node)
		return no_memory(reader);
	*out = node;
	node->offset = byte_of(reader, mark);
	node->line = mark->line + 1;
	node->column = mark->column + 1;
	if (reader->event.type == YAML_SCALAR_EVENT)
		return copy_scalar(reader, node);
	node->kind = reader->event.type == YAML_MAPPING_START_EVENT ?
			     LA_YAML_MAP :
			     LA_YAML_LIST;
	return 0;
}

static int read_key(struct reader *reader, const struct la_yaml *map,
		    struct la_yaml **key)
{
	const struct la_yaml *other;
	int code;

	if (reader->event.type != YAML_SCALAR_EVENT)
		return bad(reader, "a key has to be a word");
	code = make_node(reader, key);
	for (other = map->first; !code && other; other = other->next)
		if (!strcmp(other->key->text, (*key)->text))
			code = bad(reader, "the same key again");
	return code;
}

static int read_node(struct reader *reader, int depth, struct la_yaml **out);

/* What a list or map holds, up to its end. */
static int read_members(struct reader *reader, int depth, struct la_yaml *node)
{
	bool is_map = node->kind == LA_YAML_MAP;
	struct la_yaml **place = &node->first, *key;
	int code;

	for (;;) {
		key = NULL;
		code = advance(reader);
		if (code < 0 || reader->event.type == YAML_SEQUENCE_END_EVENT ||
		    reader->event.type == YAML_MAPPING_END_EVENT)
			return code;
		if (is_map)
			code = read_key(reader, node, &key);
		if (!code && is_map)
			code = advance(reader);
		if (!code)
			code = read_node(reader, depth + 1, place);
		if (*place)
			(*place)->key = key;
		else
			la_yaml_free(key);
		if (code < 0)
			return code;
		place = &(*place)->next;
	}
}

/* The value that starts at the current event; *out also on failure. */
static int read_node(struct reader *reader, int depth, struct la_yaml **out)
{
	int code;

	if (depth > LA_YAML_DEPTH)
		return bad(reader, "nested too deeply");
	code = make_node(reader, out);
	if (!code && (*out)->kind != LA_YAML_SCALAR)
		code = read_members(reader, depth, *out);
	return code;
}

static int expect(struct reader *reader, yaml_event_type_t type,
		  const char *what)
{
	int code = advance(reader);

	if (!code && reader->event.type != type)
		code = bad(reader, what);
	return code;
}

static int read_document(struct reader *reader, struct la_yaml **out)
{
	int code = expect(reader, YAML_STREAM_START_EVENT, "no YAML");

	if (!code)
		code = expect(reader, YAML_DOCUMENT_START_EVENT, "empty");
	if (!code)
		code = advance(reader);
	if (!code)
		code = read_node(reader, 1, out);
	if (!code)
		code = expect(reader, YAML_DOCUMENT_END_EVENT, "no end");
	if (!code)
		code = expect(reader, YAML_STREAM_END_EVENT,
			      "one document is taken, not several");
	return code;
}

int la_yaml_parse(struct la_yaml **out, const char *text, size_t length,
		  struct la_error *err)
{
	struct reader reader = { .err = err, .text = text, .length = length };
	struct la_yaml *tree = NULL;
	int code;

	if (length > LA_YAML_BYTES)
		return la_error_set(err, -EFBIG, LA_YAML_BYTES,
				    "larger than %d bytes", LA_YAML_BYTES);
	if (!yaml_parser_initialize(&reader.parser))
		return no_memory(&reader);
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.parser,
				     (const unsigned char *)text, length);
	code = read_document(&reader, &tree);
	yaml_event_delete(&reader.event);
	yaml_parser_delete(&reader.parser);
	if (code < 0)
		la_yaml_free(tree);
	else
		*out = tree;
	return code;
}
