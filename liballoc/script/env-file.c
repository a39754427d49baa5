// SPDX-License-Identifier: Apache-2.0
/* What readers of files with NAME=value lines share. */
#include <stdlib.h>
#include <string.h>

#include "script/env-file.h"
#include "util/array.h"

static struct la_env_binding *bind(struct la_env_file *file,
				   struct la_script_span name, size_t end)
{
	struct la_env_binding *binding;

	if (!la_script_watches(file->script, file->text + name.start,
			       name.end - name.start, false))
		return NULL;
	if (file->count == LA_SCRIPT_PLACES) {
		file->full = true;
		return NULL;
	}
	if (grow_array(&file->binding, &file->room, file->count,
		       sizeof(*file->binding))) {
		file->failed = true;
		return NULL;
	}
	binding = &file->binding[file->count++];
	*binding = (struct la_env_binding){
		.name = name.start,
		.name_length = name.end - name.start,
		.at = { name.start, end },
	};
	return binding;
}

void la_env_bind(struct la_env_file *file, struct la_script_span name,
		 struct la_script_value *value, size_t end)
{
	struct la_env_binding *binding = bind(file, name, end);

	if (value->text.length > LA_SCRIPT_VALUES - file->value_bytes) {
		la_script_value_unknown(value, "", 0);
		la_strbuf_release(&value->text);
	}
	la_script_vars_set(&file->vars, file->text + name.start,
			   name.end - name.start,
			   value->unknown ? NULL :
					    la_strbuf_text(&value->text));
	if (value->text.failed)
		file->failed = true;
	if (binding) {
		binding->value = *value;
		file->value_bytes += value->text.length;
	} else {
		la_script_value_release(value);
	}
	*value = (struct la_script_value){ 0 };
}

void la_env_unbind(struct la_env_file *file, struct la_script_span name,
		   size_t end)
{
	struct la_env_binding *binding = bind(file, name, end);

	la_script_vars_unset(&file->vars, file->text + name.start,
			     name.end - name.start);
	if (binding)
		binding->removed = true;
}

void la_env_refuse(struct la_env_file *file, struct la_script_span name,
		   size_t end, enum la_script_code code, const char *why)
{
	struct la_env_binding *binding = bind(file, name, end);

	if (!binding)
		return;
	binding->code = code;
	binding->refused = why;
}

void la_env_file_release(struct la_env_file *file)
{
	size_t i;

	for (i = 0; i < file->count; i++)
		la_script_value_release(&file->binding[i].value);
	free(file->binding);
	la_script_vars_release(&file->vars);
}

size_t la_env_line_end(const struct la_env_file *file, size_t at)
{
	while (at < file->length && file->text[at] != '\r' &&
	       file->text[at] != '\n')
		at++;
	return at;
}

size_t la_env_quote_end(struct la_env_file *file, size_t open)
{
	char quote = file->text[open];
	struct la_script_span *known =
		&file->escaped[quote == '\'' ? 0 : quote == '"' ? 1 : 2];
	size_t i;

	if (known->end && open >= known->start)
		return known->end > open ? known->end : file->length;
	known->end = file->length;
	for (i = open + 1; i < file->length; i++) {
		if (file->text[i] != quote)
			continue;
		if (file->text[i - 1] != '\\' || i - 1 == open) {
			known->end = 0;
			return i;
		}
		known->end = i;
	}
	known->start = open;
	return known->end;
}
