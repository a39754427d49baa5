// SPDX-License-Identifier: Apache-2.0
/* Programs that a manifest starts: command, args, entrypoint. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/yaml.h"
#include "util/array.h"

/* A command line that is put together from two lists. */
struct words {
	struct la_script_word *word; /* owned, with their texts */
	size_t count, room;
	bool failed; /* no memory */
};

/* Text of a node as the manifest's reader hands it on; NULL: not known. */
static char *expanded(struct la_script_yaml *yaml, const char *text)
{
	struct la_script_value value = { 0 };
	char *copy = NULL;

	la_script_yaml_expand(yaml, text, &value);
	if (!value.unknown)
		copy = strdup(la_strbuf_text(&value.text));
	la_script_value_release(&value);
	return copy;
}

static void add_list(struct la_script_yaml *yaml, const yaml_node_t *list,
		     struct words *words)
{
	struct la_script_word *word;
	struct la_script_span at;
	yaml_node_item_t *item;
	yaml_node_t *node;
	const char *text;

	if (!list || list->type != YAML_SEQUENCE_NODE)
		return;
	for (item = list->data.sequence.items.start;
	     item < list->data.sequence.items.top; item++) {
		if (grow_array(&words->word, &words->room, words->count,
			       sizeof(*words->word))) {
			words->failed = true;
			return;
		}
		node = la_script_yaml_node(yaml, *item);
		at = la_script_yaml_span(yaml, node, node);
		text = la_script_yaml_text(node);
		word = &words->word[words->count++];
		*word = (struct la_script_word){
			text ? expanded(yaml, text) : NULL, at.start, at.end
		};
		if (!word->text)
			la_script_yaml_doubt(yaml, node);
	}
}

/* A command that is written as one string: a shell's words. */
static int read_string(struct la_script_yaml *yaml, const yaml_node_t *node)
{
	char *text = expanded(yaml, la_script_yaml_text(node));
	struct la_script_span at = la_script_yaml_span(yaml, node, node);
	struct la_script_part inner = {
		.text = text,
		.offset = la_script_offset(yaml->part, at.start),
		.ends = true,
	};
	int ret;

	if (!text) {
		la_script_yaml_doubt(yaml, node);
		return 0;
	}
	inner.length = strlen(text);
	ret = la_script_nested(yaml->script, LA_SCRIPT_SH, &inner, yaml->err);
	free(text);
	return ret;
}

int la_script_yaml_start(struct la_script_yaml *yaml, const yaml_node_t *map)
{
	const yaml_node_t *first = la_script_yaml_get(yaml, map, "entrypoint");
	const yaml_node_t *command = la_script_yaml_get(yaml, map, "command");
	struct la_script_command line = { 0 };
	struct words words = { 0 };
	int ret = -ENOMEM;

	if (!first && command && la_script_yaml_text(command))
		return read_string(yaml, command);
	add_list(yaml, first, &words);
	add_list(yaml, command, &words);
	if (!first)
		add_list(yaml, la_script_yaml_get(yaml, map, "args"), &words);
	line.word = words.word;
	line.count = words.count;
	if (!words.failed)
		ret = la_script_start(yaml->script, yaml->part, &line,
				      yaml->err);
	while (words.count)
		free((char *)words.word[--words.count].text);
	free(words.word);
	return ret;
}
