// SPDX-License-Identifier: Apache-2.0
/* What Python changes in the environment, and what is to be said of it. */
#include <errno.h>
#include <string.h>

#include "script/python.h"
#include "util/array.h"

static bool watched(const struct py *py, const char *name, size_t length)
{
	return la_script_watches(py->script, name, length, false);
}

static void say(struct py *py, size_t assignment, enum la_script_code code)
{
	la_script_say(py->script, py->part, assignment, code, py->start,
		      py->end, NULL);
}

size_t py_note(struct py *py, const char *name, size_t length,
	       const char *value, enum la_script_fate fate)
{
	if (py->dead) {
		value = NULL;
		fate = LA_SCRIPT_LOST;
	}
	py->last = la_script_add(py->script, py->part, name, length, value,
				 fate, py->start, py->end);
	if (py->dead)
		say(py, py->last, LA_SCRIPT_NOT_REACHED);
	else if (py->maybe && fate != LA_SCRIPT_LOST)
		say(py, py->last, LA_SCRIPT_CONDITIONAL);
	return py->last;
}

/* Another backend than torch's own? */
static bool names_backend(const char *value)
{
	const char *at = strstr(value, "backend");

	if (!at)
		return false;
	at += strlen("backend");
	at += strspn(at, " :");
	return *at && strncmp(at, "native", 6);
}

/* torch reads once, at CUDA's start; the backend when it is imported. */
static void say_too_late(struct py *py, size_t assignment, const char *value)
{
	if (py->cuda_line) {
		la_script_say(py->script, py->part, assignment,
			      LA_SCRIPT_TOO_LATE, py->start, py->end,
			      "torch %s the variable when CUDA was initialised "
			      "(line %zu) and reads it once; only programs "
			      "started later see this",
			      py->cuda_maybe ? "may have read" : "read",
			      py->cuda_line);
		return;
	}
	if (!value || !names_backend(value))
		return;
	if (py->torch_line)
		la_script_say(py->script, py->part, assignment,
			      LA_SCRIPT_TOO_LATE, py->start, py->end,
			      "torch chose the backend when it was imported "
			      "(line %zu); another one from here on makes the "
			      "start of CUDA fail",
			      py->torch_line);
	else if (!py->imports_torch)
		la_script_say(py->script, py->part, assignment,
			      LA_SCRIPT_TOO_LATE, py->start, py->end,
			      "torch chooses the backend when it is imported: "
			      "after import torch this is too late");
}

/* A value that a program gets, or that is not known. */
static size_t note_value(struct py *py, const char *name, size_t length,
			 const struct py_value *value)
{
	const char *text = value->kind == PY_TEXT ? value->text : NULL;
	bool cut = py->source.open && py->source.at + 2 >= py->source.count;
	size_t at;

	if (text && strlen(text) != value->length) {
		at = py_note(py, name, length, NULL, LA_SCRIPT_LOST);
		say(py, at, LA_SCRIPT_NOT_TEXT);
		return at;
	}
	at = py_note(py, name, length, text,
		     text ? LA_SCRIPT_ARRIVES : LA_SCRIPT_UNKNOWN);
	if (!text && !py->dead)
		say(py, at,
		    cut ? LA_SCRIPT_INCOMPLETE : LA_SCRIPT_NEEDS_RUNNING);
	return at;
}

static void change(struct py *py, struct py_map *map, const char *name,
		   size_t length, const struct py_value *value)
{
	struct py_entry *entry = py_map_set(py, map, name, length, value);

	if (entry && py->maybe)
		py_touch(py, entry);
}

/* Values for which os.environ raises TypeError. */
static bool is_refused(const struct py_value *value)
{
	switch (value->kind) {
	case PY_UNKNOWN:
	case PY_TEXT:
	case PY_PATH:
	case PY_MEMBER:
		return false;
	default:
		return true;
	}
}

static void refuse(struct py *py, const struct py_value *name)
{
	size_t at = LA_SCRIPT_WHOLE;

	if (py->dead)
		return;
	if (watched(py, name->text, name->length))
		at = py_note(py, name->text, name->length, NULL,
			     LA_SCRIPT_LOST);
	say(py, at, LA_SCRIPT_NOT_TEXT);
	py->dead = !py->maybe;
}

void py_environ_set(struct py *py, const struct py_value *name,
		    const struct py_value *value)
{
	size_t at;

	if (name->kind != PY_TEXT)
		return;
	if (is_refused(value)) {
		refuse(py, name);
		return;
	}
	if (watched(py, name->text, name->length)) {
		at = note_value(py, name->text, name->length, value);
		if (!py->dead)
			say_too_late(py, at,
				     value->kind == PY_TEXT ? value->text :
							      NULL);
	}
	if (py->dead)
		return;
	change(py, py->os_environ, name->text, name->length, value);
	change(py, py->c_environ, name->text, name->length, value);
}

void py_environ_delete(struct py *py, const char *name, size_t length)
{
	if (watched(py, name, length))
		py_note(py, name, length, NULL, LA_SCRIPT_REMOVED);
	if (py->dead)
		return;
	change(py, py->os_environ, name, length, NULL);
	change(py, py->c_environ, name, length, NULL);
}

void py_putenv(struct py *py, const struct py_value *name,
	       const struct py_value *value)
{
	size_t at;

	if (name->kind != PY_TEXT)
		return;
	if (is_refused(value) && value->kind != PY_BYTES) {
		refuse(py, name);
		return;
	}
	if (watched(py, name->text, name->length)) {
		at = note_value(py, name->text, name->length, value);
		say(py, at, LA_SCRIPT_PUTENV);
		say_too_late(py, at,
			     value->kind == PY_TEXT ? value->text : NULL);
	}
	if (!py->dead)
		change(py, py->c_environ, name->text, name->length, value);
}

void py_unsetenv(struct py *py, const char *name, size_t length)
{
	if (watched(py, name, length))
		say(py, py_note(py, name, length, NULL, LA_SCRIPT_REMOVED),
		    LA_SCRIPT_PUTENV);
	if (!py->dead)
		change(py, py->c_environ, name, length, NULL);
}

void py_environ_update(struct py *py, struct py_map *from)
{
	const struct py_entry *entry;
	struct py_value name = { .kind = PY_TEXT };

	from->used = true;
	for (entry = from->first; entry; entry = entry->later) {
		name.text = entry->name;
		name.length = entry->length;
		if (entry->value)
			py_environ_set(py, &name, entry->value);
	}
}

void py_dict_set(struct py *py, struct py_map *map, const struct py_value *key,
		 const struct py_value *value)
{
	struct py_entry *entry;

	if (key->kind != PY_TEXT) {
		map->environment = map->environment || key->kind == PY_UNKNOWN;
		return;
	}
	entry = py_map_set(py, map, key->text, key->length, value);
	if (!entry)
		return;
	entry->own = true;
	if (py->maybe)
		py_touch(py, entry);
	if (!watched(py, key->text, key->length))
		return;
	map->used = false;
	if (grow_array(&py->pending, &py->pending_room, py->pending_count,
		       sizeof(*py->pending))) {
		py->failed = -ENOMEM;
		return;
	}
	py->pending[py->pending_count++] =
		(struct py_pending){ .map = map, .entry = entry };
}

void py_pending_note(struct py *py)
{
	struct py_pending *pending;

	for (; py->pending_noted < py->pending_count; py->pending_noted++) {
		pending = &py->pending[py->pending_noted];
		if (pending->map->used || !pending->entry->value)
			continue;
		pending->map->assignment = note_value(py, pending->entry->name,
						      pending->entry->length,
						      pending->entry->value);
	}
}

/* What a program that gets a dict has of one variable. */
static void start_with_one(struct py *py, struct py_map *map,
			   const struct py_entry *entry)
{
	const struct py_entry *here;
	size_t at;

	if (!watched(py, entry->name, entry->length))
		return;
	here = py_map_find(py->c_environ, entry->name, entry->length);
	if (entry->own ? entry->value && map->assignment == py->last &&
				 map->assignment != LA_SCRIPT_WHOLE :
			 here && here->value == entry->value)
		return;
	if (!entry->value) {
		py_note(py, entry->name, entry->length, NULL,
			LA_SCRIPT_REMOVED);
		return;
	}
	at = note_value(py, entry->name, entry->length, entry->value);
	map->assignment = at;
}

/* What the process has and the program does not get. */
static void start_without(struct py *py, const struct py_map *map)
{
	const struct py_entry *entry = py->c_environ->first;
	size_t at;

	for (; entry; entry = entry->later) {
		if (!entry->value || !watched(py, entry->name, entry->length) ||
		    py_map_find(map, entry->name, entry->length))
			continue;
		at = py_note(py, entry->name, entry->length, NULL,
			     LA_SCRIPT_REMOVED);
		say(py, at, LA_SCRIPT_NOT_PASSED);
	}
}

void py_start_with(struct py *py, struct py_map *map)
{
	const struct py_entry *entry;

	map->used = true;
	if (map == py->os_environ)
		return;
	for (entry = map->first; entry; entry = entry->later)
		start_with_one(py, map, entry);
	start_without(py, map);
}
