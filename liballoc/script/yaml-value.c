// SPDX-License-Identifier: Apache-2.0
/* Scalars of YAML as values of variables. */
#include <stdlib.h>
#include <string.h>

#include "script/yaml.h"
#include "util/utf8.h"
#include "util/util.h"

yaml_node_t *la_script_yaml_node(const struct la_script_yaml *yaml, int index)
{
	return yaml_document_get_node(yaml->document, index);
}

const char *la_script_yaml_text(const yaml_node_t *node)
{
	return node && node->type == YAML_SCALAR_NODE ?
		       (const char *)node->data.scalar.value :
		       NULL;
}

bool la_script_yaml_is(const yaml_node_t *node, const char *text)
{
	const char *scalar = la_script_yaml_text(node);

	return scalar && !strcmp(scalar, text);
}

yaml_node_t *la_script_yaml_get(struct la_script_yaml *yaml,
				const yaml_node_t *map, const char *key)
{
	yaml_node_pair_t *pair;

	if (!map || map->type != YAML_MAPPING_NODE)
		return NULL;
	for (pair = map->data.mapping.pairs.start;
	     pair < map->data.mapping.pairs.top &&
	     yaml->looked++ < LA_SCRIPT_YAML_LOOKED;
	     pair++)
		if (la_script_yaml_is(la_script_yaml_node(yaml, pair->key),
				      key))
			return la_script_yaml_node(yaml, pair->value);
	return NULL;
}

/* Byte of the part that a mark stands for. */
static size_t byte_of(struct la_script_yaml *yaml, const yaml_mark_t *mark)
{
	size_t column = mark->column;
	int shift;

	if (mark->line >= yaml->lines)
		return yaml->part->length;
	shift = yaml->shift[mark->line];
	column = shift > 0 && column < (size_t)shift ? 0 : column - shift;
	return la_script_spot_at(&yaml->spots, yaml->part->text,
				 yaml->part->length, mark->line + 1,
				 column + 1);
}

struct la_script_span la_script_yaml_span(struct la_script_yaml *yaml,
					  const yaml_node_t *first,
					  const yaml_node_t *last)
{
	struct la_script_span span = { byte_of(yaml, &first->start_mark),
				       byte_of(yaml, &last->end_mark) };

	if (span.end < span.start)
		span.end = span.start;
	while (span.end > span.start &&
	       strchr("\r\n", yaml->part->text[span.end - 1]))
		span.end--;
	return span;
}

static bool is_one_of(const char *text, const char *const *words, size_t count)
{
	while (count--)
		if (!strcmp(text, words[count]))
			return true;
	return false;
}

/* Is a scalar null? */
static bool is_null(const yaml_node_t *node)
{
	static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };

	return node->type == YAML_SCALAR_NODE &&
	       node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       is_one_of(la_script_yaml_text(node), nulls, ARRAY_SIZE(nulls));
}

/* What some reader takes for a number, a time or a date. */
static bool is_number(const char *text)
{
	static const char *const names[] = { ".inf", ".Inf", ".INF", ".nan",
					     ".NaN", ".NAN" };
	const char *digits = text + (*text == '-' || *text == '+');

	if (is_one_of(digits, names, ARRAY_SIZE(names)))
		return true;
	if (*digits == '.')
		digits++;
	return *digits >= '0' && *digits <= '9' &&
	       text[strspn(text, "0123456789abcdefABCDEFxXo_+-.:TZ ")] == '\0';
}

bool la_script_yaml_is_string(const yaml_node_t *node)
{
	static const char *const truths[] = {
		"true", "True", "TRUE", "false", "False", "FALSE",
		"yes",	"Yes",	"YES",	"no",	 "No",	  "NO",
		"on",	"On",	"ON",	"off",	 "Off",	  "OFF",
		"y",	"Y",	"n",	"N"
	};
	const char *text = la_script_yaml_text(node);

	if (!text)
		return false;
	if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return true;
	return !is_null(node) && !is_number(text) &&
	       !is_one_of(text, truths, ARRAY_SIZE(truths));
}

/* A tag other than those that YAML itself has. */
static bool has_own_tag(const yaml_node_t *node)
{
	return node->tag && strncmp((const char *)node->tag,
				    "tag:yaml.org,2002:", 18) != 0;
}

static void refuse(struct la_script_yaml *yaml, const char *name,
		   size_t length, const yaml_node_t *node,
		   struct la_script_span at)
{
	struct la_script_value value = { .unknown = true };
	size_t index;

	if (yaml->kind == LA_SCRIPT_K8S ||
	    (yaml->kind == LA_SCRIPT_COMPOSE &&
	     !is_null(node) &&
	     !is_number(la_script_yaml_text(node)))) {
		la_script_lose(yaml->script, yaml->part, name, length,
			       LA_SCRIPT_NOT_A_STRING, at,
			       "the manifest is refused: the value has to be a "
			       "string, so quote it");
		return;
	}
	index = la_script_give(yaml->script, yaml->part, name, length, &value,
			       at);
	if (is_null(node))
		la_script_say(yaml->script, yaml->part, index,
			      LA_SCRIPT_ELSEWHERE, at.start, at.end,
			      "without a value, it comes from where the "
			      "manifest is read, if it is set there");
	else
		la_script_say(yaml->script, yaml->part, index,
			      LA_SCRIPT_NOT_A_STRING, at.start, at.end, NULL);
}

void la_script_yaml_expand(const struct la_script_yaml *yaml, const char *text,
			   struct la_script_value *value)
{
	struct la_script_vars none = { 0 };
	struct la_script_scope scope = { yaml->script, &none,
					 LA_SCRIPT_BARE | LA_SCRIPT_WORDS |
						 LA_SCRIPT_DOLLARS |
						 LA_SCRIPT_OPEN,
					 0 };

	if (strstr(text, "{{"))
		la_script_value_unknown(value, "", 0);
	else if (yaml->kind == LA_SCRIPT_COMPOSE)
		la_script_expand_all(&scope, text, strlen(text), value);
	else
		la_strbuf_addstr(&value->text, text);
}

void la_script_yaml_doubt(struct la_script_yaml *yaml,
			  const yaml_node_t *node)
{
	struct la_script_span at = la_script_yaml_span(yaml, node, node), name;
	const char *text = yaml->part->text;
	struct la_script_value unknown = { .unknown = true };

	for (; at.start < at.end; at.start = name.end) {
		name = la_script_mention(yaml->script, text, at);
		if (name.start < name.end)
			la_script_give(yaml->script, yaml->part,
				       text + name.start,
				       name.end - name.start, &unknown, name);
	}
}

void la_script_yaml_give(struct la_script_yaml *yaml, const char *name,
			 size_t length, const yaml_node_t *node,
			 struct la_script_span at)
{
	const char *text = la_script_yaml_text(node);
	struct la_script_value value = { 0 };

	if (!la_script_watches(yaml->script, name, length, false))
		return;
	if (text && !has_own_tag(node) && !la_script_yaml_is_string(node) &&
	    yaml->part->text[at.start] != '!') {
		refuse(yaml, name, length, node, at);
		return;
	}
	if (!text || has_own_tag(node))
		la_script_value_unknown(&value, "", 0);
	else if (strlen(text) != node->data.scalar.length)
		la_strbuf_add(&value.text, text, node->data.scalar.length);
	else
		la_script_yaml_expand(yaml, text, &value);
	la_script_give(yaml->script, yaml->part, name, length, &value, at);
	la_script_value_release(&value);
}
