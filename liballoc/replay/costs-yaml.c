// SPDX-License-Identifier: Apache-2.0
/* Costs from a user's file: libyaml's events, and nothing but the keys of
 * conf/device-costs.yaml. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include <liballoc/replay.h>

#include "util/error.h"
#include "util/util.h"

struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* the current one; owned */
	struct la_costs costs;
	struct la_error *err;
};

static int bad(struct reader *reader, const char *what)
{
	return la_error_set(reader->err, -EBADMSG,
			    reader->event.start_mark.index, "line %zu: %s",
			    reader->event.start_mark.line + 1, what);
}

/* Go to the next event.  Returns 0 or a negative errno value. */
static int advance(struct reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;

	yaml_event_delete(&reader->event);
	if (yaml_parser_parse(&reader->parser, &reader->event))
		return 0;
	if (parser->error == YAML_MEMORY_ERROR)
		return la_error_set(reader->err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	return la_error_set(reader->err, -EBADMSG, parser->problem_offset,
			    "line %zu: %s", parser->problem_mark.line + 1,
			    parser->problem ? parser->problem : "unreadable");
}

static int expect(struct reader *reader, yaml_event_type_t type,
		  const char *what)
{
	int code = advance(reader);

	if (!code && reader->event.type != type)
		code = bad(reader, what);
	return code;
}

/* The key of the next member in key, or 0 at the end of the mapping. */
static int next_key(struct reader *reader, char key[16])
{
	int code = advance(reader);

	if (code < 0)
		return code;
	if (reader->event.type == YAML_MAPPING_END_EVENT)
		return 0;
	if (reader->event.type != YAML_SCALAR_EVENT ||
	    reader->event.data.scalar.length >= 16)
		return bad(reader, "unknown key");
	snprintf(key, 16, "%s", (char *)reader->event.data.scalar.value);
	return 1;
}

static int read_number(struct reader *reader, double scale, double *out)
{
	int code = expect(reader, YAML_SCALAR_EVENT, "no number");
	const char *text;
	char *end;

	if (code < 0)
		return code;
	text = (const char *)reader->event.data.scalar.value;
	*out = strtod(text, &end) * scale;
	if (*text < '0' || *text > '9' || *end || !(*out <= 1e15))
		return bad(reader, "no number, or one too large");
	return 0;
}

static int read_bytes(struct reader *reader, uint64_t *out)
{
	double bytes;
	int code = read_number(reader, (double)MIB, &bytes);

	if (!code)
		*out = (uint64_t)bytes;
	return code;
}

static int read_point(struct reader *reader)
{
	struct la_costs *costs = &reader->costs;
	struct la_cost_point point = { 0 };
	char key[16];
	int code;

	while ((code = next_key(reader, key)) > 0) {
		if (!strcmp(key, "size"))
			code = read_bytes(reader, &point.size);
		else if (!strcmp(key, "malloc"))
			code = read_number(reader, 1, &point.malloc);
		else if (!strcmp(key, "free"))
			code = read_number(reader, 1, &point.free);
		else if (!strcmp(key, "map"))
			code = read_number(reader, 1, &point.map);
		else if (!strcmp(key, "unmap"))
			code = read_number(reader, 1, &point.unmap);
		else
			code = bad(reader, "unknown key");
		if (code < 0)
			return code;
	}
	if (code < 0)
		return code;
	if (costs->point_count == LA_COST_POINTS)
		return bad(reader, "too many sizes");
	if (costs->point_count &&
	    point.size <= costs->point[costs->point_count - 1].size)
		return bad(reader, "sizes have to ascend");
	costs->point[costs->point_count++] = point;
	return 0;
}

static int read_points(struct reader *reader)
{
	int code = expect(reader, YAML_SEQUENCE_START_EVENT, "no list");

	if (code < 0)
		return code;
	reader->costs.point_count = 0;
	for (;;) {
		code = advance(reader);
		if (code < 0 || reader->event.type == YAML_SEQUENCE_END_EVENT)
			return code;
		if (reader->event.type != YAML_MAPPING_START_EVENT)
			return bad(reader, "no mapping");
		code = read_point(reader);
		if (code < 0)
			return code;
	}
}

static int read_document(struct reader *reader)
{
	char key[16];
	int code = expect(reader, YAML_STREAM_START_EVENT, "no YAML");

	if (!code)
		code = expect(reader, YAML_DOCUMENT_START_EVENT, "empty");
	if (!code)
		code = expect(reader, YAML_MAPPING_START_EVENT, "no mapping");
	while (!code && (code = next_key(reader, key)) > 0) {
		if (!strcmp(key, "context"))
			code = read_bytes(reader, &reader->costs.context);
		else if (!strcmp(key, "wait"))
			code = read_number(reader, 1, &reader->costs.wait);
		else if (!strcmp(key, "sizes"))
			code = read_points(reader);
		else
			code = bad(reader, "unknown key");
	}
	if (!code && !reader->costs.point_count)
		code = bad(reader, "no sizes");
	return code;
}

LA_EXPORT int la_costs_read(struct la_costs *costs, const char *path,
			    struct la_error *err)
{
	struct reader reader = { .err = err };
	FILE *file = fopen(path, "re");
	int code;

	if (!file)
		return la_error_set(err, -errno, LA_NO_OFFSET, "%s",
				    strerror(errno));
	if (yaml_parser_initialize(&reader.parser)) {
		yaml_parser_set_input_file(&reader.parser, file);
		code = read_document(&reader);
		yaml_event_delete(&reader.event);
		yaml_parser_delete(&reader.parser);
	} else {
		code = la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	}
	fclose(file);
	if (!code)
		*costs = reader.costs;
	return code;
}
