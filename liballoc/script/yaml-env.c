// SPDX-License-Identifier: Apache-2.0
/* The env list of a container: name, value, and $(NAME) of earlier ones. */
#include <string.h>

#include "script/yaml.h"

/* Bytes of $(NAME) at text; 0: it is none.  last: the last ) or NULL. */
static size_t reference(const char *text, const char *last,
			struct la_script_span *name)
{
	const char *end;

	if (text[0] != '$' || text[1] != '(' || !last || text > last)
		return 0;
	end = strchr(text, ')');
	*name = (struct la_script_span){ 2, end - text };
	return end - text + 1;
}

/* Add what Kubernetes makes of the text of a value. */
static void expand(const struct la_script_vars *vars, bool from_elsewhere,
		   const char *text, struct la_script_value *value)
{
	const char *last = strrchr(text, ')');
	const struct la_script_var *var;
	struct la_script_span name;
	size_t n;

	for (; *text; text += n) {
		n = 1;
		if (text[0] == '$' && text[1] == '$') {
			text++;
			la_strbuf_add(&value->text, text, 1);
			continue;
		}
		n = reference(text, last, &name);
		var = n ? la_script_vars_find(vars, text + name.start,
					      name.end - name.start) :
			  NULL;
		if (var && var->value)
			la_script_value_add(value, var->name,
					    strlen(var->name), var->value);
		else if (n && (var || from_elsewhere))
			la_script_value_unknown(value, text + name.start,
						name.end - name.start);
		else
			la_strbuf_add(&value->text, text, n ? n : 1);
		n = n ? n : 1;
	}
}

/* Who has this name earlier in the list is not seen by the program. */
static void replace_earlier(struct la_script_yaml *yaml, size_t from,
			    size_t index)
{
	const struct la_script_assignment *now, *earlier;
	size_t i = index;

	do {
		if (i-- == from)
			return;
		now = la_script_peek(yaml->script, index);
		earlier = la_script_peek(yaml->script, i);
	} while (strcmp(earlier->variable, now->variable));
	la_script_change(yaml->script, i, NULL, LA_SCRIPT_LOST);
	la_script_say(yaml->script, yaml->part, i, LA_SCRIPT_DUPLICATE,
		      earlier->offset - yaml->part->offset,
		      earlier->offset + earlier->length - yaml->part->offset,
		      NULL);
	la_script_say(yaml->script, yaml->part, index, LA_SCRIPT_DUPLICATE,
		      now->offset - yaml->part->offset,
		      now->offset + now->length - yaml->part->offset, NULL);
}

static void note_elsewhere(struct la_script_yaml *yaml, const char *name,
			   struct la_script_span at, const char *why)
{
	size_t index;

	if (!la_script_watches(yaml->script, name, strlen(name), false))
		return;
	index = la_script_add(yaml->script, yaml->part, name, strlen(name),
			      NULL, LA_SCRIPT_UNKNOWN, at.start, at.end);
	la_script_say(yaml->script, yaml->part, index, LA_SCRIPT_ELSEWHERE,
		      at.start, at.end, "%s", why);
}

/* Is the list all there is, cut out of a manifest? */
static bool is_piece(const struct la_script_yaml *yaml)
{
	return yaml_document_get_root_node(yaml->document)->type ==
	       YAML_SEQUENCE_NODE;
}

static void give(struct la_script_yaml *yaml, struct la_script_vars *vars,
		 const char *name, const yaml_node_t *node,
		 struct la_script_span at)
{
	const char *text = la_script_yaml_text(node);
	struct la_script_value value = { 0 };

	if (text && la_script_yaml_is_string(node) && strchr(text, '$') &&
	    !strstr(text, "{{") && yaml->kind != LA_SCRIPT_COMPOSE) {
		expand(vars, is_piece(yaml), text, &value);
		la_script_give(yaml->script, yaml->part, name, strlen(name),
			       &value, at);
		la_script_vars_set(vars, name, strlen(name),
				   value.unknown ?
					   NULL :
					   la_strbuf_text(&value.text));
		la_script_value_release(&value);
		return;
	}
	la_script_yaml_give(yaml, name, strlen(name), node, at);
	la_script_vars_set(vars, name, strlen(name),
			   text && !strstr(text, "{{") ? text : NULL);
}

static void read_item(struct la_script_yaml *yaml, struct la_script_vars *vars,
		      const yaml_node_t *item)
{
	const yaml_node_t *name = la_script_yaml_get(yaml, item, "name");
	const yaml_node_t *value = la_script_yaml_get(yaml, item, "value");
	const char *text = la_script_yaml_text(name);
	struct la_script_span at;

	if (!text)
		return;
	at = la_script_yaml_span(yaml, name, value ? value : name);
	if (value) {
		give(yaml, vars, text, value, at);
		return;
	}
	la_script_vars_set(vars, text, strlen(text), NULL);
	if (la_script_yaml_get(yaml, item, "valueFrom"))
		note_elsewhere(yaml, text, at,
			       "valueFrom: the value stands in another object");
	else
		note_elsewhere(yaml, text, at,
			       "there is no value here: if none follows, the "
			       "variable is empty");
}

void la_script_yaml_env(struct la_script_yaml *yaml, const yaml_node_t *list)
{
	struct la_script_vars vars = { 0 };
	size_t from = la_script_places(yaml->script), before;
	yaml_node_item_t *item;

	for (item = list->data.sequence.items.start;
	     item < list->data.sequence.items.top; item++) {
		before = la_script_places(yaml->script);
		read_item(yaml, &vars, la_script_yaml_node(yaml, *item));
		if (la_script_places(yaml->script) > before)
			replace_earlier(yaml, from, before);
	}
	la_script_vars_release(&vars);
}
