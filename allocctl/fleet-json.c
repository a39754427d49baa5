// SPDX-License-Identifier: Apache-2.0
/* allocctl fleet: one JSON object, of the schema allocctl.fleet/1. */
#include <stdio.h>

#include "fleet.h"
#include "print.h"
#include "util/json.h"

static void json_names(struct la_json *json, const char *key,
		       const char *const *name, size_t count)
{
	size_t i;

	la_json_key(json, key);
	la_json_array_begin(json);
	for (i = 0; i < count; i++)
		la_json_text(json, name[i]);
	la_json_array_end(json);
}

static void json_list(struct la_json *json, const char *key,
		      const struct hostlist *list)
{
	json_names(json, key, (const char *const *)list->name, list->count);
}

static void json_groups(struct la_json *json, const char *key,
			const struct fleet_groups *groups)
{
	size_t i;

	la_json_key(json, key);
	la_json_array_begin(json);
	for (i = 0; i < groups->count; i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "value", groups->group[i].value);
		json_names(json, "nodes", groups->group[i].node,
			   groups->group[i].count);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_facts(struct la_json *json, const struct fleet *fleet)
{
	size_t i;

	la_json_key(json, "facts");
	la_json_array_begin(json);
	for (i = 0; i < FLEET_FACTS; i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "name", fleet_fact_names[i]);
		la_json_member_bool(json, "agree", fleet->fact[i].count <= 1);
		json_groups(json, "values", &fleet->fact[i]);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static bool is_agreed(const struct fleet *fleet)
{
	size_t i;

	for (i = 0; i < FLEET_FACTS; i++)
		if (fleet->fact[i].count > 1)
			return false;
	return true;
}

void fleet_print_json(const struct fleet *fleet)
{
	struct la_json json;

	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "allocctl.fleet/1");
	if (fleet->answered)
		la_json_member_bool(&json, "agree", is_agreed(fleet));
	else
		la_json_member_null(&json, "agree");
	la_json_member_uint(&json, "answered", fleet->answered);
	json_list(&json, "missing", &fleet->missing);
	json_list(&json, "conflicting", &fleet->conflicting);
	json_groups(&json, "errors", &fleet->errors);
	json_facts(&json, fleet);
	la_json_member_uint(&json, "other_lines", fleet->other_lines);
	la_json_member_text(&json, "launcher", fleet->launcher);
	la_json_member_known_uint(&json, "launcher_status", fleet->launcher,
				  (uint64_t)fleet->launcher_status);
	la_json_object_end(&json);
	putchar('\n');
}
