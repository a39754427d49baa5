// SPDX-License-Identifier: Apache-2.0
/* Where a document of YAML names variables. */
#include <errno.h>
#include <string.h>

#include "script/yaml.h"
#include "util/error.h"

static int walk(struct la_script_yaml *yaml, const yaml_node_t *node,
		const char *key, unsigned int depth);

/* A map's key is the name: NAME: value. */
static void read_pair(struct la_script_yaml *yaml, const yaml_node_t *key,
		      const yaml_node_t *value, const char *outer)
{
	const char *name = la_script_yaml_text(key);
	struct la_script_span at = la_script_yaml_span(yaml, key, value);
	size_t length = strlen(name);

	if (yaml->kind == LA_SCRIPT_K8S && !strcmp(outer, "env"))
		la_script_lose(yaml->script, yaml->part, name, length,
			       LA_SCRIPT_SYNTAX, at,
			       "env is a list of {name: ..., value: ...} here, "
			       "and the manifest is refused");
	else if (yaml->kind == LA_SCRIPT_COMPOSE && !strcmp(outer, "args"))
		la_script_lose(yaml->script, yaml->part, name, length,
			       LA_SCRIPT_NO_ASSIGNMENT, at,
			       "a build argument is no variable of the "
			       "container");
	else if (value->type == YAML_SCALAR_NODE)
		la_script_yaml_give(yaml, name, length, value, at);
}

/* NAME=value, or a name alone, as one scalar. */
static void read_scalar(struct la_script_yaml *yaml, const yaml_node_t *node,
			const char *key)
{
	const char *text = la_script_yaml_text(node);
	size_t n = la_script_name(text, strlen(text));
	struct la_script_span at;
	yaml_node_t rest = *node;

	if (!la_script_watches(yaml->script, text, n, false))
		return;
	at = la_script_yaml_span(yaml, node, node);
	if (text[n] == '=') {
		rest.data.scalar.value += n + 1;
		rest.data.scalar.length -= n + 1;
		rest.data.scalar.style = YAML_SINGLE_QUOTED_SCALAR_STYLE;
		la_script_yaml_give(yaml, text, n, &rest, at);
	} else if (!text[n] && !strcmp(key, "environment")) {
		rest.data.scalar.value += n;
		rest.data.scalar.length = 0;
		rest.data.scalar.style = YAML_PLAIN_SCALAR_STYLE;
		la_script_yaml_give(yaml, text, n, &rest, at);
	} else if (text[n] == ' ' && text[n + strspn(text + n, " ")] == '=') {
		la_script_lose(yaml->script, yaml->part, text, n,
			       LA_SCRIPT_BLANKS, at, NULL);
	}
}

static bool is_script(const char *key)
{
	return !strcmp(key, "run") || !strcmp(key, "script") ||
	       !strcmp(key, "before_script") || !strcmp(key, "setup");
}

static int read_lines(struct la_script_yaml *yaml, const yaml_node_t *node,
		      const struct la_strbuf *lines)
{
	struct la_script_span at = la_script_yaml_span(yaml, node, node);
	struct la_script_part inner = {
		.text = la_strbuf_text(lines),
		.length = lines->length,
		.offset = la_script_offset(yaml->part, at.start),
		.ends = true,
	};

	if (strstr(inner.text, "{{")) {
		la_script_yaml_doubt(yaml, node);
		return 0;
	}
	return la_script_nested(yaml->script, LA_SCRIPT_BASH, &inner,
				yaml->err);
}

/* Commands of one shell: a block of text, or a list of lines. */
static int read_script(struct la_script_yaml *yaml, const yaml_node_t *node)
{
	struct la_strbuf lines = { 0 };
	yaml_node_item_t *item;
	const char *text;
	int ret = 0;

	if (node->type == YAML_SCALAR_NODE)
		la_strbuf_addstr(&lines, la_script_yaml_text(node));
	for (item = node->type == YAML_SEQUENCE_NODE ?
			    node->data.sequence.items.start :
			    NULL;
	     item && item < node->data.sequence.items.top; item++) {
		text = la_script_yaml_text(la_script_yaml_node(yaml, *item));
		la_strbuf_addf(&lines, "%s\n", text ? text : "");
	}
	if (lines.data && !lines.failed)
		ret = read_lines(yaml, node, &lines);
	la_strbuf_release(&lines);
	return ret;
}

/* What a container or service takes from elsewhere, unless it is set. */
static void note_files(struct la_script_yaml *yaml, const yaml_node_t *map,
		       size_t before)
{
	static const char *const keys[] = { "env_file", "envFrom" };
	const yaml_node_t *node;
	struct la_script_span at;
	size_t i;

	if (la_script_places(yaml->script) > before)
		return;
	for (i = 0; i < 2; i++) {
		node = la_script_yaml_get(yaml, map, keys[i]);
		if (!node)
			continue;
		at = la_script_yaml_span(yaml, node, node);
		la_script_say(yaml->script, yaml->part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_ELSEWHERE, at.start, at.end,
			      "%s may set variables that this file does not "
			      "show",
			      keys[i]);
	}
}

static int walk_pair(struct la_script_yaml *yaml, const yaml_node_pair_t *pair,
		     const char *outer, unsigned int depth)
{
	const yaml_node_t *key = la_script_yaml_node(yaml, pair->key);
	const yaml_node_t *value = la_script_yaml_node(yaml, pair->value);
	const char *name = la_script_yaml_text(key);

	if (!name)
		return walk(yaml, value, "", depth + 1);
	if (la_script_watches(yaml->script, name, strlen(name), false)) {
		read_pair(yaml, key, value, outer);
		return 0;
	}
	if (yaml->kind == LA_SCRIPT_COMPOSE && !strncmp(name, "x-", 2))
		return 0;
	if (!strcmp(name, "<<"))
		return walk(yaml, value, outer, depth + 1);
	if (is_script(name))
		return read_script(yaml, value);
	if (!strcmp(name, "command") || !strcmp(name, "entrypoint") ||
	    (!strcmp(name, "args") && yaml->kind == LA_SCRIPT_K8S))
		return 0;
	return walk(yaml, value, name, depth + 1);
}

/* Merged maps come first, then what is set, and programs see all of it. */
static int turn_of(const yaml_node_t *key)
{
	const char *name = la_script_yaml_text(key);

	if (!name)
		return 2;
	if (!strcmp(name, "<<"))
		return 0;
	return strcmp(name, "env") && strcmp(name, "environment") ? 2 : 1;
}

static int walk_map(struct la_script_yaml *yaml, const yaml_node_t *map,
		    const char *key, unsigned int depth)
{
	size_t before = la_script_places(yaml->script);
	const yaml_node_pair_t *pair;
	int turn, ret = 0;

	for (turn = 0; turn < 3; turn++)
		for (pair = map->data.mapping.pairs.start;
		     !ret && pair < map->data.mapping.pairs.top; pair++)
			if (turn_of(la_script_yaml_node(yaml, pair->key)) ==
			    turn)
				ret = walk_pair(yaml, pair, key, depth);
	if (ret)
		return ret;
	note_files(yaml, map, before);
	if (la_script_yaml_get(yaml, map, "command") ||
	    la_script_yaml_get(yaml, map, "entrypoint") ||
	    (yaml->kind == LA_SCRIPT_K8S &&
	     la_script_yaml_get(yaml, map, "args")))
		ret = la_script_yaml_start(yaml, map);
	return ret;
}

/* A list of {name: ..., value: ...}. */
static bool is_env(struct la_script_yaml *yaml, const yaml_node_t *list,
		   const char *key)
{
	const yaml_node_t *node;
	const char *name;
	yaml_node_item_t *item;

	for (item = list->data.sequence.items.start;
	     item < list->data.sequence.items.top; item++) {
		node = la_script_yaml_node(yaml, *item);
		name = la_script_yaml_text(
			la_script_yaml_get(yaml, node, "name"));
		if (name && (!strcmp(key, "env") ||
			     la_script_yaml_get(yaml, node, "value") ||
			     la_script_watches(yaml->script, name,
					       strlen(name), false)))
			return true;
	}
	return false;
}

static int walk_list(struct la_script_yaml *yaml, const yaml_node_t *list,
		     const char *key, unsigned int depth)
{
	yaml_node_item_t *item;
	int ret = 0;

	if (is_env(yaml, list, key)) {
		la_script_yaml_env(yaml, list);
		return 0;
	}
	for (item = list->data.sequence.items.start;
	     !ret && item < list->data.sequence.items.top; item++)
		ret = walk(yaml, la_script_yaml_node(yaml, *item), key,
			   depth + 1);
	return ret;
}

static int walk(struct la_script_yaml *yaml, const yaml_node_t *node,
		const char *key, unsigned int depth)
{
	if (depth > LA_SCRIPT_YAML_DEPTH ||
	    yaml->looked >= LA_SCRIPT_YAML_LOOKED ||
	    ++yaml->visited > LA_SCRIPT_YAML_NODES)
		return la_error_set(yaml->err, -EFBIG, yaml->part->offset,
				    "nested too deep, or too much of it");
	if (node->type == YAML_SCALAR_NODE)
		read_scalar(yaml, node, key);
	else if (node->type == YAML_SEQUENCE_NODE)
		return walk_list(yaml, node, key, depth);
	else if (node->type == YAML_MAPPING_NODE)
		return walk_map(yaml, node, key, depth);
	return 0;
}

/* Whose manifest it is, where the name of the file does not tell. */
static enum la_script_kind kind_of(struct la_script_yaml *yaml,
				   const yaml_node_t *root)
{
	if (yaml->kind != LA_SCRIPT_YAML)
		return yaml->kind;
	if (la_script_yaml_get(yaml, root, "apiVersion") &&
	    la_script_yaml_get(yaml, root, "kind"))
		return LA_SCRIPT_K8S;
	return la_script_yaml_get(yaml, root, "services") ? LA_SCRIPT_COMPOSE :
							    LA_SCRIPT_YAML;
}

/* Variables of a ConfigMap or Secret act where a container asks for them. */
static void note_object(struct la_script_yaml *yaml, const yaml_node_t *root,
			size_t before)
{
	const yaml_node_t *kind = la_script_yaml_get(yaml, root, "kind");
	bool secret = la_script_yaml_is(kind, "Secret");
	struct la_script_span at;

	if (!secret && !la_script_yaml_is(kind, "ConfigMap"))
		return;
	at = la_script_yaml_span(yaml, kind, kind);
	for (; before < la_script_places(yaml->script); before++) {
		if (secret && la_script_yaml_get(yaml, root, "data"))
			la_script_change(yaml->script, before, NULL,
					 LA_SCRIPT_UNKNOWN);
		la_script_say(yaml->script, yaml->part, before,
			      LA_SCRIPT_ELSEWHERE, at.start, at.end,
			      "a container has it where its envFrom or "
			      "valueFrom names this object");
	}
}

int la_script_yaml_walk(struct la_script_yaml *yaml)
{
	const yaml_node_t *root = yaml_document_get_root_node(yaml->document);
	enum la_script_kind kind = yaml->kind;
	size_t before = la_script_places(yaml->script);
	int ret;

	yaml->kind = kind_of(yaml, root);
	ret = walk(yaml, root, "", 0);
	note_object(yaml, root, before);
	yaml->kind = kind;
	return ret;
}
