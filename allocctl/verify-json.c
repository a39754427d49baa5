// SPDX-License-Identifier: Apache-2.0
/* allocctl verify: one JSON object. */
#include <stdio.h>

#include "print.h"
#include "util/json.h"
#include "verify.h"

static void json_list(struct la_json *json, const struct verify_list *list)
{
	size_t i;
	char code[16];

	la_json_key(json, "diagnostics");
	la_json_array_begin(json);
	for (i = 0; i < list->count; i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "code",
				    print_code(code, list->said[i].code));
		la_json_member_text(json, "kind", list->said[i].kind);
		la_json_member_text(json, "message", list->said[i].text);
		la_json_member_uint(json, "line", list->said[i].line);
		la_json_member_uint(json, "column", list->said[i].column);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_places(struct la_json *json, const struct verify *verify)
{
	const struct verify_place *place;
	size_t i;

	la_json_key(json, "assignments");
	la_json_array_begin(json);
	for (i = 0; i < verify->count; i++) {
		place = &verify->place[i];
		la_json_object_begin(json);
		la_json_member_text(json, "variable", place->variable);
		la_json_member_text(json, "value", place->value);
		la_json_member_text(json, "fate",
				    la_script_fate_name(place->fate));
		la_json_member_uint(json, "line", place->line);
		la_json_member_uint(json, "column", place->column);
		json_list(json, &place->list);
		la_json_member_text(json, "instead", place->cure);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_shells(struct la_json *json, const struct verify *verify)
{
	const struct verify_shell *shell;
	size_t i;

	la_json_key(json, "shells");
	la_json_array_begin(json);
	for (i = 0; i < verify->request.shells.nr; i++) {
		shell = &verify->shell[i];
		la_json_object_begin(json);
		la_json_member_text(json, "shell", shell->name);
		la_json_member_text(json, "version", shell->version);
		la_json_member_text(json, "value", shell->value);
		la_json_member_bool(json, "arrives", shell->arrives);
		la_json_member_text(json, "trouble", shell->trouble);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

void verify_print_json(const struct verify *verify)
{
	struct la_json json;

	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "allocctl.verify/1");
	json_places(&json, verify);
	json_list(&json, &verify->list);
	json_shells(&json, verify);
	la_json_object_end(&json);
	putchar('\n');
}
