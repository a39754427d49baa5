// SPDX-License-Identifier: Apache-2.0
/* What was found in a text: places, in order, and what is said of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/internal.h"
#include "script/locate.h"
#include "script/overall.h"
#include "script/written.h"
#include "util/array.h"
#include "util/error.h"
#include "util/strbuf.h"
#include "util/utf8.h"
#include "util/util.h"

enum {
	MOST_NESTED = 4 * LA_SCRIPT_BYTES, /* bytes of texts within texts */
	LONGEST_SAID = 1024, /* bytes of a diagnostic */
	MOST_SAID = 32, /* diagnostics of a place */
	MOST_SAID_OF_WHOLE = 4096
};

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
	uint64_t nested_bytes; /* of texts within texts, as often as read */
	bool failed; /* no memory */
	bool full; /* there are more places than are noted */
	size_t value_bytes; /* of all values of places */
	struct place *place;
	size_t place_count, place_room;
	struct la_script_assignment *assignment; /* owned: the faces */
	struct la_script_diagnostic *said; /* of the whole; owned */
	size_t said_count, said_room;
	struct la_script_spots spots; /* of text */
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
	if (la_script_locate(&script->spots, script->text, script->length,
			     offset, line, column))
		script->failed = true;
}

uint64_t la_script_offset(const struct la_script_part *part, size_t start)
{
	size_t low = 0, high = part->piece_count, middle;

	if (part->exact)
		return part->offset + start;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (part->piece[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? part->piece[low - 1].offset : part->offset;
}

size_t la_script_line(struct la_script *script,
		      const struct la_script_part *part, size_t start)
{
	size_t line, column;

	locate(script, la_script_offset(part, start), &line, &column);
	return line;
}

/* Where bytes of a part stand in the text. */
static void place_in_text(const struct la_script *script,
			  const struct la_script_part *part, size_t start,
			  size_t end, uint64_t *offset, uint64_t *length)
{
	*offset = la_script_offset(part, start);
	*length = part->exact ? end - start : 0;
	if (*offset > script->length)
		*offset = script->length;
	if (*length > script->length - *offset)
		*length = script->length - *offset;
}

/* Can a program be given the value, and is there room to keep it? */
static bool fits(const struct la_script *script, const char *value)
{
	size_t bytes = strlen(value) + 1;

	return bytes <= LA_SCRIPT_VALUE &&
	       bytes <= LA_SCRIPT_VALUES - script->value_bytes;
}

/* No value stands there: a bound is why. */
static void say_bound(struct la_script *script, size_t assignment)
{
	const struct la_script_assignment *face =
		&script->place[assignment].face;
	struct la_script_part all = { .exact = true };

	la_script_say(script, &all, assignment, LA_SCRIPT_NEEDS_RUNNING,
		      face->offset, face->offset + face->length,
		      "the value is longer than the %d bytes that a program "
		      "can be given, or all values are longer than %d bytes",
		      LA_SCRIPT_VALUE, LA_SCRIPT_VALUES);
}

/* Give a place a value, or none, and a fate. */
static void settle(struct la_script *script, size_t assignment,
		   const char *value, enum la_script_fate fate)
{
	struct la_script_assignment *face =
		&script->place[assignment].face;
	char *old = (char *)face->value;
	bool bound;

	script->value_bytes -= old ? strlen(old) + 1 : 0;
	bound = value && !fits(script, value);
	face->value = value && !bound ? strdup(value) : NULL;
	face->fate = bound ? LA_SCRIPT_UNKNOWN : fate;
	if (face->value)
		script->value_bytes += strlen(value) + 1;
	else if (bound)
		say_bound(script, assignment);
	else if (value)
		script->failed = true;
	free(old);
}

void la_script_stop(struct la_script *script)
{
	script->full = true;
}

static size_t add(struct la_script *script, const struct la_script_part *part,
		  const char *variable, size_t variable_length, size_t start,
		  size_t end)
{
	struct la_script_assignment *face;

	if (grow_array(&script->place, &script->place_room, script->place_count,
		       sizeof(*script->place))) {
		script->failed = true;
		return LA_SCRIPT_WHOLE;
	}
	script->place[script->place_count] = (struct place){ 0 };
	face = &script->place[script->place_count].face;
	face->variable = strndup(variable, variable_length);
	if (!face->variable)
		script->failed = true;
	place_in_text(script, part, start, end, &face->offset, &face->length);
	locate(script, face->offset, &face->line, &face->column);
	return script->place_count++;
}

size_t la_script_add(struct la_script *script,
		     const struct la_script_part *part, const char *variable,
		     size_t variable_length, const char *value,
		     enum la_script_fate fate, size_t start, size_t end)
{
	size_t assignment = LA_SCRIPT_WHOLE;

	if (script->place_count == LA_SCRIPT_PLACES)
		la_script_stop(script);
	if (!script->full)
		assignment = add(script, part, variable, variable_length,
				 start, end);
	if (assignment != LA_SCRIPT_WHOLE)
		settle(script, assignment, value, fate);
	return assignment;
}

void la_script_change(struct la_script *script, size_t assignment,
		      const char *value, enum la_script_fate fate)
{
	if (assignment < script->place_count)
		settle(script, assignment, value, fate);
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
	if (text.length > LONGEST_SAID)
		text.data[la_utf8_prefix(text.data, text.length,
					 LONGEST_SAID)] = '\0';
	return text.data;
}

/* Room for one more diagnostic of a place, whose others are few. */
static struct la_script_diagnostic *place_room(struct place *place)
{
	size_t room = place->said_room ? 2 * place->said_room : 1;
	struct la_script_diagnostic *said;

	if (place->face.diagnostic_count == place->said_room) {
		said = reallocarray(place->said, room, sizeof(*said));
		if (!said)
			return NULL;
		place->said = said;
		place->said_room = room;
	}
	place->face.diagnostics = place->said;
	return &place->said[place->face.diagnostic_count++];
}

/* Room for one more diagnostic of an assignment or the whole, or NULL. */
static struct la_script_diagnostic *say_room(struct la_script *script,
					     size_t assignment)
{
	if (assignment < script->place_count)
		return place_room(&script->place[assignment]);
	if (grow_array(&script->said, &script->said_room, script->said_count,
		       sizeof(*script->said)))
		return NULL;
	return &script->said[script->said_count++];
}

/* Is so much said that more would help nobody? */
static bool said_enough(const struct la_script *script, size_t assignment)
{
	return assignment < script->place_count ?
		       script->place[assignment].face.diagnostic_count ==
			       MOST_SAID :
		       script->full || script->said_count == MOST_SAID_OF_WHOLE;
}

void la_script_say(struct la_script *script, const struct la_script_part *part,
		   size_t assignment, enum la_script_code code, size_t start,
		   size_t end, const char *format, ...)
{
	struct la_script_diagnostic *said;
	va_list args;

	if (said_enough(script, assignment))
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

	script->nested_bytes += part->length;
	if (script->nested_bytes > MOST_NESTED)
		return la_error_set(err, -EFBIG, part->offset,
				    "too many commands within others");
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

/* What became of a variable behind the last place is not known. */
static void add_doubt(struct la_script *script, const char *name)
{
	struct la_script_part all = { .exact = true };
	size_t end = script->length;
	size_t i = add(script, &all, name, strlen(name), end, end);

	if (i == LA_SCRIPT_WHOLE)
		return;
	settle(script, i, NULL, LA_SCRIPT_UNKNOWN);
	la_script_say(script, &all, i, LA_SCRIPT_NEEDS_RUNNING, end, end,
		      "the text sets variables at too many places, or has too "
		      "many stages: what is behind them was not read");
}

/* Make the faces; 0 or -ENOMEM. */
static int finish(struct la_script *script)
{
	const char *const *name = script->options->watched;
	struct place *place;
	size_t i;

	for (name = name ? name : torch_reads; *name; name++) {
		put_holder_last(script, *name);
		if (script->full)
			add_doubt(script, *name);
	}
	script->assignment =
		calloc(script->place_count + 1, sizeof(*script->assignment));
	if (!script->assignment || script->failed)
		return -ENOMEM;
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
	la_script_spots_release(&script->spots);
	free(script->text);
	free(script);
}
