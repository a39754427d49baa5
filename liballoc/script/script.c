// SPDX-License-Identifier: Apache-2.0
/* What was found in a text: places, in order, and what is said of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/internal.h"
#include "script/overall.h"
#include "script/written.h"
#include "util/array.h"
#include "util/error.h"
#include "util/strbuf.h"
#include "util/utf8.h"
#include "util/util.h"

/* An assignment as it is built; its public face is made at the end. */
struct place {
	struct la_script_assignment face; /* strings owned */
	struct la_script_diagnostic *said; /* owned, with their texts */
	size_t said_room;
	bool over; /* it ended: programs started later do not find it */
};

struct la_script {
	char *text; /* owned copy, terminated */
	size_t length;
	const struct la_script_options *options; /* while it is read */
	enum la_script_kind kind; /* who reads now */
	unsigned int depth; /* texts within texts */
	struct la_script_files files;
	bool failed; /* no memory */
	bool full; /* more than LA_SCRIPT_PLACES or LA_SCRIPT_VALUES */
	size_t bytes; /* of all values */
	struct place *place;
	size_t place_count, place_room;
	struct la_script_assignment *assignment; /* owned: the faces */
	struct la_script_diagnostic *said; /* of the whole; owned */
	size_t said_count, said_room;
	/* The last place that was located; the next is mostly behind it. */
	struct {
		uint64_t offset;
		size_t line, column;
	} located;
};

static const char *const torch_reads[] = { "PYTORCH_CUDA_ALLOC_CONF",
					   "PYTORCH_HIP_ALLOC_CONF",
					   "PYTORCH_ALLOC_CONF", NULL };

enum la_script_kind la_script_kind_now(const struct la_script *script)
{
	return script->kind;
}

struct la_script_files *la_script_files(struct la_script *script)
{
	return &script->files;
}

enum la_platform la_script_platform(const struct la_script *script)
{
	return script->options->platform;
}

bool la_script_watches(const struct la_script *script, const char *name,
		       size_t length, bool fold)
{
	const char *const *w = script->options->watched;

	for (w = w ? w : torch_reads; *w; w++)
		if (strlen(*w) == length &&
		    !(fold ? strncasecmp : strncmp)(*w, name, length))
			return true;
	return false;
}

const char *la_script_watched(const struct la_script *script, size_t index)
{
	const char *const *w = script->options->watched;

	return (w ? w : torch_reads)[index];
}

size_t la_script_container_prefix(const struct la_script *script,
				  const char *name, size_t length)
{
	static const char *const prefixes[] = { "APPTAINERENV_",
						"SINGULARITYENV_" };
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		n = strlen(prefixes[i]);
		if (length > n && !memcmp(name, prefixes[i], n) &&
		    la_script_watches(script, name + n, length - n, false))
			return n;
	}
	return 0;
}

const char *la_script_outer(const struct la_script *script, const char *name,
			    size_t length)
{
	const char *const *e = script->options->environment;

	for (; e && *e; e++)
		if (!strncmp(*e, name, length) && (*e)[length] == '=')
			return *e + length + 1;
	return NULL;
}

/* Line and column of a byte of the text. */
static void locate(struct la_script *script, uint64_t offset, size_t *line,
		   size_t *column)
{
	const char *at, *end = script->text + offset;
	size_t n;

	if (offset < script->located.offset || !script->located.line) {
		script->located.offset = 0;
		script->located.line = script->located.column = 1;
	}
	*line = script->located.line;
	*column = script->located.column;
	for (at = script->text + script->located.offset; at < end;) {
		*column = *at == '\n' ? 1 : *column + 1;
		*line += *at == '\n';
		n = la_utf8_char(at, end - at);
		at += n ? n : 1;
	}
	script->located.offset = offset;
	script->located.line = *line;
	script->located.column = *column;
}

/* Where bytes of a part stand in the text. */
static void place_in_text(const struct la_script *script,
			  const struct la_script_part *part, size_t start,
			  size_t end, uint64_t *offset, uint64_t *length)
{
	*offset = part->offset + (part->exact ? start : 0);
	*length = part->exact ? end - start : 0;
	if (*offset > script->length)
		*offset = script->length;
	if (*length > script->length - *offset)
		*length = script->length - *offset;
}

size_t la_script_add(struct la_script *script,
		     const struct la_script_part *part, const char *variable,
		     size_t variable_length, const char *value,
		     enum la_script_fate fate, size_t start, size_t end)
{
	struct la_script_assignment *face;

	script->bytes += value ? strlen(value) : 0;
	script->full |= script->place_count == LA_SCRIPT_PLACES ||
			script->bytes > LA_SCRIPT_VALUES;
	if (script->full)
		return LA_SCRIPT_WHOLE;
	if (grow_array(&script->place, &script->place_room, script->place_count,
		       sizeof(*script->place))) {
		script->failed = true;
		return LA_SCRIPT_WHOLE;
	}
	script->place[script->place_count] = (struct place){ 0 };
	face = &script->place[script->place_count].face;
	face->variable = strndup(variable, variable_length);
	face->value = value ? strdup(value) : NULL;
	face->fate = fate;
	place_in_text(script, part, start, end, &face->offset, &face->length);
	locate(script, face->offset, &face->line, &face->column);
	if (face->variable && (!value || face->value))
		return script->place_count++;
	free((char *)face->variable);
	free((char *)face->value);
	script->failed = true;
	return LA_SCRIPT_WHOLE;
}

void la_script_change(struct la_script *script, size_t assignment,
		      const char *value, enum la_script_fate fate)
{
	struct la_script_assignment *face;
	char *copy = value ? strdup(value) : NULL;

	if (value && !copy)
		script->failed = true;
	if (assignment >= script->place_count) {
		free(copy);
		return;
	}
	face = &script->place[assignment].face;
	free((char *)face->value);
	face->value = copy;
	face->fate = fate;
}

void la_script_over(struct la_script *script, size_t assignment)
{
	if (assignment < script->place_count)
		script->place[assignment].over = true;
}

const struct la_script_assignment *
la_script_peek(const struct la_script *script, size_t assignment)
{
	return assignment < script->place_count ?
		       &script->place[assignment].face :
		       NULL;
}

size_t la_script_count(const struct la_script *script)
{
	return script->place_count;
}

static const char *say_text(enum la_script_code code, const char *format,
			    va_list args) __attribute__((format(printf, 2, 0)));

static const char *say_text(enum la_script_code code, const char *format,
			    va_list args)
{
	struct la_strbuf text = { 0 };

	if (!format)
		return strdup(la_script_code_of(code)->meaning);
	la_strbuf_vaddf(&text, format, args);
	if (text.failed)
		la_strbuf_release(&text);
	return text.data;
}

/* From one on: most places have none or one. */
static int grow_said(struct place *place)
{
	size_t room = place->said_room ? 2 * place->said_room : 1;
	void *said;

	if (place->face.diagnostic_count < place->said_room)
		return 0;
	said = realloc(place->said, room * sizeof(*place->said));
	if (!said)
		return -ENOMEM;
	place->said = said;
	place->said_room = room;
	return 0;
}

/* Room for one more diagnostic of an assignment or the whole, or NULL. */
static struct la_script_diagnostic *say_room(struct la_script *script,
					     size_t assignment)
{
	struct place *place;

	if (assignment >= script->place_count) {
		if (grow_array(&script->said, &script->said_room,
			       script->said_count, sizeof(*script->said)))
			return NULL;
		return &script->said[script->said_count++];
	}
	place = &script->place[assignment];
	if (grow_said(place))
		return NULL;
	place->face.diagnostics = place->said;
	return &place->said[place->face.diagnostic_count++];
}

void la_script_say(struct la_script *script, const struct la_script_part *part,
		   size_t assignment, enum la_script_code code, size_t start,
		   size_t end, const char *format, ...)
{
	struct la_script_diagnostic *said;
	va_list args;

	script->full |= assignment >= script->place_count &&
			script->said_count == LA_SCRIPT_PLACES;
	if (script->full)
		return;
	said = say_room(script, assignment);
	if (!said) {
		script->failed = true;
		return;
	}
	*said = (struct la_script_diagnostic){
		.code = code, .kind = la_script_code_of(code)->kind
	};
	va_start(args, format);
	said->text = say_text(code, format, args);
	va_end(args);
	if (!said->text)
		script->failed = true;
	place_in_text(script, part, start, end, &said->offset, &said->length);
	locate(script, said->offset, &said->line, &said->column);
}

int la_script_nested(struct la_script *script, enum la_script_kind kind,
		     const struct la_script_part *part, struct la_error *err)
{
	enum la_script_kind outer = script->kind;
	int ret;

	if (script->depth == LA_SCRIPT_DEPTH)
		return la_error_set(err, -EFBIG, part->offset,
				    "nested too deep");
	script->depth++;
	script->kind = kind;
	ret = la_script_reading(kind)->read(script, part, err);
	script->kind = outer;
	script->depth--;
	return ret;
}

static int compare_said(const void *a, const void *b)
{
	const struct la_script_diagnostic *l = a, *r = b;

	if (l->offset != r->offset)
		return l->offset < r->offset ? -1 : 1;
	return l->code < r->code ? -1 : l->code > r->code;
}

/*
 * Of a variable, the place that holds goes behind those that give nothing or
 * ended: they do not replace it.
 */
static void put_holder_last(struct la_script *script, const char *name)
{
	size_t i, last = 0, holder = SIZE_MAX;
	struct place keep;

	for (i = 0; i < script->place_count; i++) {
		if (strcasecmp(script->place[i].face.variable, name) != 0)
			continue;
		last = i;
		if (script->place[i].face.fate != LA_SCRIPT_LOST &&
		    !script->place[i].over)
			holder = i;
	}
	if (holder >= last)
		return;
	keep = script->place[holder];
	memmove(&script->place[holder], &script->place[holder + 1],
		(last - holder) * sizeof(keep));
	script->place[last] = keep;
}

/* Make the faces; 0 or -ENOMEM. */
static int finish(struct la_script *script)
{
	const char *const *name = script->options->watched;
	struct place *place;
	size_t i;

	script->assignment =
		calloc(script->place_count + 1, sizeof(*script->assignment));
	if (!script->assignment || script->failed)
		return -ENOMEM;
	for (name = name ? name : torch_reads; *name; name++)
		put_holder_last(script, *name);
	for (i = 0; i < script->place_count; i++) {
		place = &script->place[i];
		if (place->said)
			qsort(place->said, place->face.diagnostic_count,
			      sizeof(*place->said), compare_said);
		place->face.diagnostics = place->said;
		script->assignment[i] = place->face;
	}
	if (script->said)
		qsort(script->said, script->said_count, sizeof(*script->said),
		      compare_said);
	script->options = NULL;
	return 0;
}

static int read_all(struct la_script *script, const char *text, size_t length,
		    struct la_error *err)
{
	struct la_script_part part = { .length = length, .exact = true };
	size_t prompt;
	int ret;

	script->text = malloc(length + 1);
	if (!script->text)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	memcpy(script->text, text, length);
	script->text[length] = '\0';
	script->length = length;
	part.text = script->text;
	prompt = la_script_blank_prompts(script->options->kind, script->text,
					 length);
	ret = la_script_nested(script, script->options->kind, &part, err);
	if (script->full)
		return la_error_set(err, -EFBIG, LA_NO_OFFSET,
				    "far too many assignments");
	if (ret)
		return ret;
	la_script_say_overall(script, &part, prompt,
			      !script->options->watched);
	if (finish(script))
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	return 0;
}

LA_EXPORT int la_script_read(struct la_script **out, const char *text,
			     size_t length,
			     const struct la_script_options *options,
			     struct la_error *err)
{
	struct la_script *script;
	int ret;

	if ((size_t)options->kind >= LA_SCRIPT_KINDS)
		return la_error_set(err, -EINVAL, LA_NO_OFFSET, "no such kind");
	if (length > LA_SCRIPT_BYTES)
		return la_error_set(err, -EFBIG, LA_SCRIPT_BYTES,
				    "longer than 16 MiB");
	script = calloc(1, sizeof(*script));
	if (!script)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	script->options = options;
	ret = read_all(script, text, length, err);
	if (ret)
		la_script_free(script);
	else
		*out = script;
	return ret;
}

LA_EXPORT const struct la_script_assignment *
la_script_assignments(const struct la_script *script, size_t *count)
{
	*count = script->place_count;
	return script->assignment;
}

LA_EXPORT const struct la_script_diagnostic *
la_script_diagnostics(const struct la_script *script, size_t *count)
{
	*count = script->said_count;
	return script->said;
}

static void free_said(struct la_script_diagnostic *said, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free((char *)said[i].text);
	free(said);
}

LA_EXPORT void la_script_free(struct la_script *script)
{
	struct place *place;
	size_t i;

	if (!script)
		return;
	for (i = 0; i < script->place_count; i++) {
		place = &script->place[i];
		free((char *)place->face.variable);
		free((char *)place->face.value);
		free_said(place->said, place->face.diagnostic_count);
	}
	free_said(script->said, script->said_count);
	la_script_files_release(&script->files);
	free(script->place);
	free(script->assignment);
	free(script->text);
	free(script);
}
