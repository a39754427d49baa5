/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifests as readers of YAML see them.  yaml.c finds the documents,
 * yaml-walk.c the names in them, yaml-k8s.c and yaml-command.c what is special.
 */
#ifndef LA_SCRIPT_YAML_H
#define LA_SCRIPT_YAML_H

#include <yaml.h>

#include "script/locate.h"
#include "script/place.h"

enum {
	LA_SCRIPT_YAML_NODES = 1 << 20, /* most that are visited */
	LA_SCRIPT_YAML_LOOKED = 1 << 26, /* most keys that are looked at */
	LA_SCRIPT_YAML_DEPTH = 64 /* deepest nesting */
};

struct la_script_yaml {
	struct la_script *script;
	const struct la_script_part *part;
	enum la_script_kind kind;
	yaml_document_t *document; /* the current one */
	struct la_script_spots spots; /* of the part */
	/* By line, how far what was parsed is moved to the right. */
	const int *shift;
	size_t lines;
	size_t visited; /* nodes; with aliases, more than there are */
	size_t looked; /* keys of maps that were compared */
	struct la_error *err;
};

/* All the names in a document; 0 or -errno. */
int la_script_yaml_walk(struct la_script_yaml *yaml);

yaml_node_t *la_script_yaml_node(const struct la_script_yaml *yaml, int index);

/* The value of a key; NULL: none, or not a map. */
yaml_node_t *la_script_yaml_get(struct la_script_yaml *yaml,
				const yaml_node_t *map, const char *key);

/* Text of a scalar, terminated; NULL for others. */
const char *la_script_yaml_text(const yaml_node_t *node);
bool la_script_yaml_is(const yaml_node_t *node, const char *text);

/* A scalar that is no number, truth value or null? */
bool la_script_yaml_is_string(const yaml_node_t *node);

struct la_script_span la_script_yaml_span(struct la_script_yaml *yaml,
					  const yaml_node_t *first,
					  const yaml_node_t *last);

/* Add a text to value with what the kind expands in it. */
void la_script_yaml_expand(const struct la_script_yaml *yaml, const char *text,
			   struct la_script_value *value);

/* Give a watched name the value of a node, with what the kind expands. */
void la_script_yaml_give(struct la_script_yaml *yaml, const char *name,
			 size_t length, const yaml_node_t *value,
			 struct la_script_span at);

/* The env list of a container: {name, value} maps, where it is one. */
void la_script_yaml_env(struct la_script_yaml *yaml, const yaml_node_t *list);

/* A text that a template fills in: only running it could tell what becomes of
 * the variables that it names. */
void la_script_yaml_doubt(struct la_script_yaml *yaml,
			  const yaml_node_t *node);

/* command and args of a container; entrypoint and command of a service. */
int la_script_yaml_start(struct la_script_yaml *yaml, const yaml_node_t *map);

#endif /* LA_SCRIPT_YAML_H */
