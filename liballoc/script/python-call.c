// SPDX-License-Identifier: Apache-2.0
/* Calls of Python that act: os.environ, subprocess, torch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/launcher.h"
#include "script/python.h"
#include "util/util.h"

/* Behind the last dot. */
static const char *last_part(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static bool is_cuda(const struct py_value *value)
{
	return value && value->text &&
	       (value->kind == PY_TEXT || value->kind == PY_UNKNOWN) &&
	       !strncmp(value->text, "cuda", 4);
}

static void cuda_starts(struct py *py, bool maybe)
{
	maybe = maybe || py->maybe;
	if (py->dead || (py->cuda_line && (maybe || !py->cuda_maybe)))
		return;
	py->cuda_line = la_script_line(py->script, py->part, py->start);
	py->cuda_maybe = maybe;
}

/* Functions of torch.cuda that initialise CUDA. */
static bool starts_cuda(const char *name)
{
	static const char *const names[] = {
		"init",
		"current_device",
		"set_device",
		"get_device_properties",
		"get_device_name",
		"get_device_capability",
		"synchronize",
		"mem_get_info",
		"current_stream",
		"default_stream",
		"is_bf16_supported",
		"get_rng_state",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void see_torch(struct py *py, const char *path,
		      const struct py_arguments *arguments)
{
	const char *name = last_part(path);
	const struct py_value *value;
	size_t i;

	if (!strncmp(path, "torch.cuda.", 11) && !strchr(path + 11, '.') &&
	    starts_cuda(name))
		cuda_starts(py, false);
	else if (!strcmp(name, "cuda") && strcmp(path, "torch.cuda"))
		cuda_starts(py, false);
	value = py_argument(arguments, SIZE_MAX, "device");
	if (is_cuda(value) && strcmp(path, "torch.device"))
		cuda_starts(py, value->kind == PY_UNKNOWN ||
					strncmp(path, "torch.", 6));
	for (i = 0; !strcmp(name, "to") && i < arguments->count; i++)
		if (is_cuda(arguments->value[i]))
			cuda_starts(py,
				    arguments->value[i]->kind == PY_UNKNOWN);
}

static bool see_setter(struct py *py, const char *name)
{
	static const char variable[] = "PYTORCH_CUDA_ALLOC_CONF";
	size_t at;

	if (strcmp(name, "_set_allocator_settings") &&
	    strcmp(name, "_accelerator_setAllocatorSettings") &&
	    strcmp(name, "_cuda_cudaCachingAllocator_set_allocator_settings"))
		return false;
	at = py_note(py, variable, strlen(variable), NULL, LA_SCRIPT_LOST);
	la_script_say(py->script, py->part, at, LA_SCRIPT_FUNCTION_CALL,
		      py->start, py->end, NULL);
	return true;
}

static bool is_said(const struct la_script_assignment *found,
		    enum la_script_code code)
{
	size_t i;

	for (i = 0; i < found->diagnostic_count; i++)
		if (found->diagnostics[i].code == code)
			return true;
	return false;
}

/* Assignments from first on that a shell within made. */
static void see_nested(struct py *py, size_t first, bool ends)
{
	const struct la_script_assignment *found;
	enum la_script_code code = LA_SCRIPT_CHILD_ENDS;
	size_t i;

	for (i = first; (found = la_script_peek(py->script, i)); i++) {
		if (py->dead) {
			la_script_change(py->script, i, NULL, LA_SCRIPT_LOST);
			code = LA_SCRIPT_NOT_REACHED;
		} else if (found->fate == LA_SCRIPT_LOST) {
			code = LA_SCRIPT_CHILD_ENDS;
		} else if (py->maybe) {
			code = LA_SCRIPT_CONDITIONAL;
		} else {
			continue;
		}
		if (!is_said(found, code) &&
		    (ends || code != LA_SCRIPT_CHILD_ENDS))
			la_script_say(py->script, py->part, i, code, py->start,
				      py->end, NULL);
		py->last = i;
	}
}

size_t py_count(struct py *py)
{
	while (la_script_peek(py->script, py->first))
		py->first++;
	return py->first;
}

void py_run_shell(struct py *py, enum la_script_kind kind, const char *text,
		  size_t length)
{
	struct la_script_part part = {
		.text = text,
		.length = length,
		.offset = la_script_offset(py->part, py->start),
		.ends = true,
	};
	size_t first = py_count(py);
	int ret;

	ret = la_script_nested(py->script, kind, &part, py->err);
	if (ret == -ENOMEM || ret == -EFBIG)
		py->failed = ret;
	see_nested(py, first, true);
}

/* The shell of os.system(). */
static void run_shell(struct py *py, const struct py_value *command)
{
	bool windows = la_script_platform(py->script) == LA_PLATFORM_WINDOWS;

	py_run_shell(py, windows ? LA_SCRIPT_CMD_PROMPT : LA_SCRIPT_SH,
		     command->text, command->length);
}

/* subprocess.run(["env", "V=x", "prog"]) */
static void run_words(struct py *py, const struct py_value *list)
{
	struct la_script_command command = { .count = list->length };
	struct la_script_word *word;
	size_t i, first;

	if (!list->length)
		return;
	word = calloc(list->length, sizeof(*word));
	if (!word) {
		py->failed = -ENOMEM;
		return;
	}
	for (i = 0; i < list->length; i++)
		word[i] = (struct la_script_word){
			.text = list->item[i]->kind == PY_TEXT ?
					list->item[i]->text :
					NULL,
			.start = py->start,
			.end = py->end,
		};
	command.word = word;
	first = py_count(py);
	la_script_launch(py->script, py->part, &command);
	see_nested(py, first, false);
	free(word);
}

static bool contains_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcasestr(text, *words))
			return true;
	return false;
}

/* Does a function, by its name, run commands? */
static bool runs_commands(const char *path)
{
	static const char *const words[] = { "system",	   "run",   "cmd",
					     "exec",	   "popen", "shell",
					     "call",	   "spawn", "getoutput",
					     "subprocess", NULL };

	return contains_any(path, words);
}

static void see_programs(struct py *py, const char *path,
			 const struct py_arguments *arguments)
{
	const struct py_value *env, *first, *shell;
	size_t n = strlen(path), length;

	env = py_argument(arguments, SIZE_MAX, "env");
	if (!env && !strncmp(path, "os.", 3) && n > 3 && path[n - 1] == 'e' &&
	    (!strncmp(path + 3, "exec", 4) || !strncmp(path + 3, "spawn", 5)) &&
	    arguments->count)
		env = arguments->value[arguments->count - 1];
	if (env && env->kind == PY_DICT)
		py_start_with(py, env->map);
	first = py_argument(arguments, 0, "args");
	shell = py_argument(arguments, SIZE_MAX, "shell");
	if (!first || !runs_commands(path))
		return;
	if (first->kind == PY_LIST)
		run_words(py, first);
	else if (first->kind == PY_TEXT &&
		 py_find_watched(py, first->text, first->text + first->length,
				 &length) &&
		 (strncmp(path, "subprocess.", 11) || shell ||
		  !strncmp(path + 11, "get", 3)))
		run_shell(py, first);
}

static void update(struct py *py, struct py_map *map,
		   const struct py_arguments *arguments)
{
	const struct py_value *from = py_argument(arguments, 0, NULL), *key;
	struct py_entry *entry;
	size_t i;

	if (from && from->kind == PY_DICT) {
		from->map->used = true;
		if (map == py->os_environ)
			py_environ_update(py, from->map);
		for (entry = from->map->first; map != py->os_environ && entry;
		     entry = entry->later)
			if (entry->value)
				py_dict_set(
					py, map,
					py_text(py, entry->name, entry->length),
					entry->value);
	}
	for (i = 0; i < arguments->count; i++) {
		if (!arguments->name[i])
			continue;
		key = py_text(py, arguments->name[i],
			      arguments->name_length[i]);
		if (map == py->os_environ)
			py_environ_set(py, key, arguments->value[i]);
		else
			py_dict_set(py, map, key, arguments->value[i]);
	}
}

static const struct py_value *get(struct py *py, const struct py_map *map,
				  const struct py_value *key,
				  const struct py_value *otherwise)
{
	const struct py_entry *entry;
	const char *outer;

	if (!key || key->kind != PY_TEXT)
		return &py_unknown;
	entry = py_map_find(map, key->text, key->length);
	if (entry)
		return entry->value ? entry->value : otherwise;
	if (!map->environment)
		return otherwise;
	outer = la_script_outer(py->script, key->text, key->length);
	return outer ? py_text(py, outer, strlen(outer)) : &py_unknown;
}

static void set_item(struct py *py, struct py_map *map,
		     const struct py_value *key, const struct py_value *value)
{
	if (map == py->os_environ)
		py_environ_set(py, key, value);
	else
		py_dict_set(py, map, key, value);
}

static const struct py_value *copy(struct py *py, struct py_map *from)
{
	struct py_map *map = py_map_new(py);

	if (map)
		py_map_merge(py, map, from);
	return py_dict(py, map);
}

/* Takes the value that is there first, if it is known to be there. */
static const struct py_value *setdefault(struct py *py, struct py_map *map,
					 const struct py_value *key,
					 const struct py_value *value)
{
	const struct py_entry *entry;

	if (key->kind != PY_TEXT)
		return &py_unknown;
	entry = py_map_find(map, key->text, key->length);
	if (entry && entry->value)
		return entry->value;
	if (!entry && map->environment &&
	    la_script_outer(py->script, key->text, key->length))
		return get(py, map, key, &py_none);
	set_item(py, map, key, value);
	return value;
}

static const struct py_value *items(struct py *py, const struct py_map *map)
{
	const struct py_value *pair[2], *value, **list;
	const struct py_entry *entry;
	size_t n = 0;

	if (map->environment || map->count > 16)
		return &py_unknown;
	list = py_alloc(py, (map->count + 1) * sizeof(const struct py_value *));
	for (entry = map->first; list && entry; entry = entry->later) {
		pair[0] = py_text(py, entry->name, entry->length);
		pair[1] = entry->value;
		if (entry->value)
			list[n++] = py_list(py, pair, 2);
	}
	value = list ? py_list(py, list, n) : &py_unknown;
	return value;
}

static const struct py_value *dict_method(struct py *py, struct py_map *map,
					  const char *name,
					  const struct py_arguments *arguments)
{
	const struct py_value *key = py_argument(arguments, 0, NULL);
	const struct py_value *value = py_argument(arguments, 1, NULL);

	if (!strcmp(name, "copy"))
		return copy(py, map);
	if (!strcmp(name, "items"))
		return items(py, map);
	if (!strcmp(name, "update")) {
		update(py, map, arguments);
		return &py_none;
	}
	if (!key)
		return &py_unknown;
	if (!strcmp(name, "get"))
		return get(py, map, key, value ? value : &py_none);
	if ((!strcmp(name, "setdefault") || !strcmp(name, "__setitem__")) &&
	    value && *name == 's')
		return setdefault(py, map, key, value);
	if (!strcmp(name, "__setitem__") && value)
		set_item(py, map, key, value);
	if (!strcmp(name, "pop")) {
		value = get(py, map, key, value ? value : &py_none);
		if (key->kind == PY_TEXT && map == py->os_environ)
			py_environ_delete(py, key->text, key->length);
		else if (key->kind == PY_TEXT)
			py_map_set(py, map, key->text, key->length, NULL);
		return value;
	}
	return &py_unknown;
}

static const struct py_value *make_dict(struct py *py,
					const struct py_arguments *arguments)
{
	const struct py_value *from = py_argument(arguments, 0, NULL);
	struct py_map *map = py_map_new(py);

	if (!map)
		return &py_unknown;
	if (from && from->kind == PY_DICT)
		py_map_merge(py, map, from->map);
	map->environment = map->environment || arguments->more ||
			   (from && from->kind != PY_DICT);
	update(py, map,
	       &(struct py_arguments){
		       .value = arguments->value + (from != NULL),
		       .name = arguments->name + (from != NULL),
		       .name_length = arguments->name_length + (from != NULL),
		       .count = arguments->count - (from != NULL) });
	return py_dict(py, map);
}

static const struct py_value *to_text(struct py *py,
				      const struct py_value *value)
{
	struct la_strbuf out = { 0 };
	const struct py_value *text = &py_unknown;

	if (py_str(&out, value))
		text = py_text(py, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	return text;
}

/* Functions that give a value, or NULL. */
static const struct py_value *built_in(struct py *py, const char *path,
				       const struct py_arguments *arguments)
{
	const struct py_value *first = py_argument(arguments, 0, NULL);
	const struct py_value *second = py_argument(arguments, 1, NULL);

	if (!strcmp(path, "dict"))
		return make_dict(py, arguments);
	if (!first)
		return NULL;
	if (!strcmp(path, "os.getenv"))
		return get(py, py->os_environ, first,
			   second ? second : &py_none);
	if (!strcmp(path, "str"))
		return to_text(py, first);
	if (!strcmp(path, "int") && first->kind == PY_INT)
		return first;
	if (!strcmp(path, "torch.device"))
		return first;
	if ((!strcmp(path, "copy.copy") || !strcmp(path, "copy.deepcopy") ||
	     !strcmp(path, "deepcopy")) &&
	    first->kind == PY_DICT)
		return copy(py, first->map);
	return NULL;
}

/* Functions that change the environment; true if it is one. */
static bool changes(struct py *py, const char *path,
		    const struct py_arguments *arguments)
{
	const struct py_value *first = py_argument(arguments, 0, NULL);
	const struct py_value *second = py_argument(arguments, 1, NULL);
	const char *name = last_part(path);

	if (!first)
		return false;
	if (!strcmp(path, "os.putenv") && second)
		py_putenv(py, first, second);
	else if (!strcmp(path, "os.unsetenv") && first->kind == PY_TEXT)
		py_unsetenv(py, first->text, first->length);
	else if (!strcmp(name, "setenv") && second)
		py_environ_set(py, first, second);
	else if (!strcmp(name, "delenv") && first->kind == PY_TEXT)
		py_environ_delete(py, first->text, first->length);
	else if (!strcmp(name, "dict") && first->kind == PY_DICT && second &&
		 first->map == py->os_environ && second->kind == PY_DICT)
		py_environ_update(py, second->map);
	else
		return false;
	return true;
}

static bool ends_program(const char *path)
{
	return !strcmp(path, "sys.exit") || !strcmp(path, "exit") ||
	       !strcmp(path, "quit") || !strcmp(path, "os._exit") ||
	       !strncmp(path, "os.exec", 7);
}

static const struct py_value *call_path(struct py *py, const char *path,
					const struct py_arguments *arguments)
{
	const struct py_value *value;

	if (see_setter(py, last_part(path)) || changes(py, path, arguments))
		return &py_none;
	value = built_in(py, path, arguments);
	if (value)
		return value;
	see_torch(py, path, arguments);
	see_programs(py, path, arguments);
	if (ends_program(path) && !py->maybe)
		py->dead = true;
	return &py_unknown;
}

const struct py_value *py_call(struct py *py, const struct py_value *callee,
			       const struct py_arguments *arguments)
{
	const struct py_value *value = NULL;

	if (callee->kind == PY_FUNCTION)
		return py_run(py, callee->number, arguments);
	if (callee->kind == PY_PATH)
		return call_path(py, callee->text, arguments);
	if (callee->kind != PY_MEMBER)
		return &py_unknown;
	if (callee->owner->kind == PY_DICT)
		return dict_method(py, callee->owner->map, callee->text,
				   arguments);
	if (callee->owner->kind == PY_TEXT)
		value = py_text_method(py, callee->owner, callee->text,
				       arguments);
	return value ? value : call_path(py, callee->text, arguments);
}

const struct py_value *py_subscript(struct py *py, const struct py_value *value,
				    const struct py_value *key)
{
	if (value->kind == PY_DICT)
		return get(py, value->map, key, &py_unknown);
	if (value->kind == PY_LIST && key->kind == PY_INT && key->number >= 0 &&
	    (uint64_t)key->number < value->length)
		return value->item[key->number];
	return &py_unknown;
}

void py_subscript_set(struct py *py, const struct py_value *owner,
		      const struct py_value *key, const struct py_value *value)
{
	if (owner->kind == PY_DICT)
		set_item(py, owner->map, key, value);
}

void py_subscript_delete(struct py *py, const struct py_value *owner,
			 const struct py_value *key)
{
	if (owner->kind != PY_DICT || key->kind != PY_TEXT)
		return;
	if (owner->map == py->os_environ)
		py_environ_delete(py, key->text, key->length);
	else
		py_map_set(py, owner->map, key->text, key->length, NULL);
}
