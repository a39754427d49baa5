// SPDX-License-Identifier: Apache-2.0
/* Values of Python and where they are kept; all are released together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/python.h"
#include "util/array.h"
#include "util/error.h"
#include "util/util.h"

enum {
	CHUNK = 1 << 16,
	BUDGET = 64 << 20, /* bytes of values */
	TEXT_BYTES = 128 << 10 /* no variable of the environment is longer */
};

struct py_chunk {
	struct py_chunk *next;
	size_t used, size;
	char data[] __attribute__((aligned(16)));
};

const struct py_value py_unknown = { .kind = PY_UNKNOWN };
const struct py_value py_none = { .kind = PY_NOTHING };
const struct py_value py_bytes = { .kind = PY_BYTES };

static struct py_chunk *more(struct py *py, size_t size)
{
	struct py_chunk *chunk;

	if (py->spent > BUDGET) {
		py->failed = la_error_set(py->err, -EFBIG, py->part->offset,
					  "too much to evaluate");
		return NULL;
	}
	size = size > CHUNK ? size : CHUNK;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk) {
		py->failed = la_error_set(py->err, -ENOMEM, LA_NO_OFFSET,
					  "out of memory");
		return NULL;
	}
	*chunk = (struct py_chunk){ .next = py->chunk, .size = size };
	py->chunk = chunk;
	py->spent += size;
	return chunk;
}

void *py_alloc(struct py *py, size_t size)
{
	struct py_chunk *chunk = py->chunk;
	void *data;

	size = (size + 15) & ~(size_t)15;
	if (py->failed)
		return NULL;
	if (!chunk || chunk->size - chunk->used < size)
		chunk = more(py, size);
	if (!chunk)
		return NULL;
	data = chunk->data + chunk->used;
	chunk->used += size;
	return memset(data, 0, size);
}

void py_release(struct py *py)
{
	struct py_chunk *next;

	for (; py->chunk; py->chunk = next) {
		next = py->chunk->next;
		free(py->chunk);
	}
	free(py->touched);
	free(py->function);
	free(py->pending);
	py_source_release(&py->source);
}

static const struct py_value *make(struct py *py, struct py_value value)
{
	struct py_value *made = py_alloc(py, sizeof(*made));

	if (!made)
		return &py_unknown;
	*made = value;
	return made;
}

const struct py_value *py_int(struct py *py, int64_t number)
{
	return make(py, (struct py_value){ .kind = PY_INT, .number = number });
}

const struct py_value *py_bool(struct py *py, bool is)
{
	return make(py, (struct py_value){ .kind = PY_BOOL, .number = is });
}

static const struct py_value *make_text(struct py *py, enum py_kind kind,
					const char *text, size_t length)
{
	char *copy;

	if (length > TEXT_BYTES)
		return &py_unknown;
	copy = py_alloc(py, length + 1);
	if (!copy)
		return &py_unknown;
	memcpy(copy, text, length);
	return make(py, (struct py_value){
				.kind = kind, .text = copy, .length = length });
}

const struct py_value *py_text(struct py *py, const char *text, size_t length)
{
	return make_text(py, PY_TEXT, text, length);
}

const struct py_value *py_path(struct py *py, const char *text, size_t length)
{
	return make_text(py, PY_PATH, text, length);
}

const struct py_value *py_list(struct py *py,
			       const struct py_value *const *item, size_t count)
{
	const struct py_value **copy;

	copy = py_alloc(py, (count + 1) * sizeof(const struct py_value *));
	if (!copy)
		return &py_unknown;
	if (count)
		memcpy(copy, item, count * sizeof(const struct py_value *));
	return make(py, (struct py_value){ .kind = PY_LIST,
					   .item = copy,
					   .length = count });
}

const struct py_value *py_dict(struct py *py, struct py_map *map)
{
	if (!map)
		return &py_unknown;
	return make(py, (struct py_value){ .kind = PY_DICT, .map = map });
}

bool py_is_path(const struct py_value *value, const char *path)
{
	return value->kind == PY_PATH && !strcmp(value->text, path);
}

struct py_map *py_map_new(struct py *py)
{
	struct py_map *map = py_alloc(py, sizeof(*map));

	if (!map)
		return NULL;
	map->buckets = PY_BUCKETS;
	map->bucket = py_alloc(py, PY_BUCKETS * sizeof(struct py_entry *));
	map->assignment = LA_SCRIPT_WHOLE;
	map->last = &map->first;
	return map->bucket ? map : NULL;
}

static size_t hash(const struct py_map *map, const char *name, size_t length)
{
	uint32_t h = 2166136261u;

	for (; length; length--)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h % map->buckets;
}

struct py_entry *py_map_find(const struct py_map *map, const char *name,
			     size_t length)
{
	struct py_entry *entry = map->bucket[hash(map, name, length)];

	for (; entry; entry = entry->next)
		if (entry->length == length &&
		    !memcmp(entry->name, name, length))
			return entry;
	return NULL;
}

/* Short lists again; without memory they stay long. */
static void widen(struct py *py, struct py_map *map)
{
	struct py_entry **bucket, *entry;
	size_t at;

	bucket = py_alloc(py, 4 * map->buckets * sizeof(*bucket));
	if (!bucket)
		return;
	map->bucket = bucket;
	map->buckets *= 4;
	for (entry = map->first; entry; entry = entry->later) {
		at = hash(map, entry->name, entry->length);
		entry->next = bucket[at];
		bucket[at] = entry;
	}
}

struct py_entry *py_map_set(struct py *py, struct py_map *map, const char *name,
			    size_t length, const struct py_value *value)
{
	struct py_entry *entry = py_map_find(map, name, length);
	size_t at;
	char *copy;

	if (entry) {
		entry->value = value;
		return entry;
	}
	entry = py_alloc(py, sizeof(*entry));
	copy = py_alloc(py, length + 1);
	if (!entry || !copy)
		return NULL;
	memcpy(copy, name, length);
	if (map->count++ == 2 * map->buckets)
		widen(py, map);
	at = hash(map, name, length);
	*entry = (struct py_entry){ .next = map->bucket[at],
				    .name = copy,
				    .length = length,
				    .value = value };
	map->bucket[at] = entry;
	*map->last = entry;
	map->last = &entry->later;
	return entry;
}

void py_map_merge(struct py *py, struct py_map *into, struct py_map *from)
{
	const struct py_entry *entry = from->first;
	struct py_entry *set;

	from->used = true;
	into->environment = into->environment || from->environment;
	for (; entry; entry = entry->later) {
		if (!entry->value &&
		    py_map_find(into, entry->name, entry->length))
			continue;
		set = py_map_set(py, into, entry->name, entry->length,
				 entry->value);
		if (!set)
			return;
		set->own = entry->own;
	}
}

void py_touch(struct py *py, struct py_entry *entry)
{
	if (grow_array(&py->touched, &py->touched_room, py->touched_count,
		       sizeof(*py->touched)))
		py->failed = -ENOMEM;
	else
		py->touched[py->touched_count++] = entry;
}
