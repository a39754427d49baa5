// SPDX-License-Identifier: Apache-2.0
/* allocctl env: one JSON object, of the schema allocctl.env/1. */
#include <stdio.h>

#include "env.h"
#include "print.h"

static const char *const roles[] = {
	[LA_ENV_SETTING] = "setting", [LA_ENV_MISSPELT] = "misspelled",
	[LA_ENV_CACHING] = "caching", [LA_ENV_DEVICES] = "devices",
	[LA_ENV_MPS] = "mps",
};

const char *const env_scopes[] = {
	[LA_ENV_SYSTEM] = "system",   [LA_ENV_USER] = "user",
	[LA_ENV_SERVICE] = "service", [LA_ENV_PROJECT] = "project",
	[LA_ENV_JOB] = "job",	      [LA_ENV_GIVEN] = "given",
	[LA_ENV_PARENT] = "parent",
};

static const char *const parts[] = {
	[LA_ENV_TAKES_PART] = "yes",
	[LA_ENV_MAY_TAKE_PART] = "unknown",
	[LA_ENV_NO_PART] = "no",
};

static void json_check(struct la_json *json,
		       const struct la_setting_check *check)
{
	const struct la_setting_refusal *refusal =
		check ? la_setting_check_refusal(check) : NULL;
	const struct la_setting_remark *remark;
	size_t count = 0, i;
	char code[16];

	if (check)
		la_json_member_bool(json, "accepted", !refusal);
	else
		la_json_member_null(json, "accepted");
	la_json_member_text(json, "error", refusal ? refusal->text : NULL);
	la_json_key(json, "remarks");
	la_json_array_begin(json);
	remark = check ? la_setting_check_remarks(check, &count) : NULL;
	for (i = 0; i < count; i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "code",
				    print_code(code, (int)remark[i].code));
		la_json_member_text(json, "text", remark[i].text);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_initial(struct la_json *json, const struct env_view *view,
			 const char *name)
{
	const struct la_env *initial =
		view->process ? la_env_process_info(view->process)->initial :
				NULL;

	if (initial && !la_env_unknown(initial))
		la_json_member_text(json, "initial",
				    la_env_value(initial, name, 0));
}

void env_json_variables(struct la_json *json, const struct env_view *view)
{
	const struct la_env_variable *variable;
	size_t i;

	la_json_key(json, "variables");
	la_json_array_begin(json);
	for (i = 0; i < view->choice->variable_count; i++) {
		variable = view->check[i].variable;
		la_json_object_begin(json);
		la_json_member_text(json, "name", variable->name);
		la_json_member_text(json, "value", variable->value);
		json_initial(json, view, variable->name);
		if (variable->last)
			la_json_member_text(json, "last", variable->last);
		la_json_member_text(json, "role", roles[variable->role]);
		la_json_member_bool(json, "common", variable->common);
		la_json_member_bool(json, "device", variable->device);
		la_json_member_text(json, "unread", variable->unread);
		json_check(json, view->check[i].check);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

void env_json_findings(struct la_json *json, const struct env_view *view)
{
	const struct la_env_finding *finding;
	size_t i;
	char code[16];

	la_json_key(json, "findings");
	la_json_array_begin(json);
	for (i = 0; i < view->choice->finding_count; i++) {
		finding = &view->choice->finding[i];
		la_json_object_begin(json);
		la_json_member_text(json, "code",
				    print_code(code, (int)finding->code));
		la_json_member_text(json, "kind", finding->kind);
		la_json_member_text(json, "variable", finding->variable);
		la_json_member_text(json, "text", finding->text);
		la_json_member_bool(json, "harmless", finding->harmless);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_diagnostics(struct la_json *json,
			     const struct la_env_origin *origin)
{
	const struct la_script_diagnostic *said = origin->diagnostics;
	size_t i;
	char code[16];

	la_json_key(json, "diagnostics");
	la_json_array_begin(json);
	for (i = 0; i < origin->diagnostic_count; i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "code",
				    print_code(code, (int)said[i].code));
		la_json_member_text(json, "kind", said[i].kind);
		la_json_member_text(json, "message", said[i].text);
		la_json_member_uint(json, "line", said[i].line);
		la_json_member_uint(json, "column", said[i].column);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_origin(struct la_json *json,
			const struct la_env_origin *origin)
{
	la_json_object_begin(json);
	la_json_member_text(json, "variable", origin->variable);
	la_json_member_text(json, "value", origin->value);
	la_json_member_text(json, "fate", la_script_fate_name(origin->fate));
	la_json_member_text(json, "scope", env_scopes[origin->scope]);
	la_json_member_text(json, "takes_part", parts[origin->part]);
	la_json_member_text(json, "reader", origin->reader);
	la_json_member_text(json, "file", origin->file);
	la_json_member_known_uint(json, "line", origin->line, origin->line);
	la_json_member_known_uint(json, "column", origin->column,
				  origin->column);
	la_json_member_bool(json, "matches", origin->matches);
	la_json_member_bool(json, "source", origin->source);
	json_diagnostics(json, origin);
	la_json_object_end(json);
}

void env_json_origins(struct la_json *json,
		      const struct la_env_origins *origins)
{
	const struct la_env_origin *origin;
	const struct la_env_unread *unread;
	size_t count, i;

	origin = la_env_origins(origins, &count);
	la_json_key(json, "origins");
	la_json_array_begin(json);
	for (i = 0; i < count; i++)
		json_origin(json, &origin[i]);
	la_json_array_end(json);
	unread = la_env_origins_unread(origins, &count);
	la_json_key(json, "unread");
	la_json_array_begin(json);
	for (i = 0; i < count; i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "file", unread[i].file);
		la_json_member_text(json, "reason", unread[i].reason);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_process(struct la_json *json,
			 const struct la_env_process_info *info)
{
	la_json_key(json, "process");
	la_json_object_begin(json);
	la_json_member_uint(json, "pid", (uint64_t)info->pid);
	la_json_member_uint(json, "parent", (uint64_t)info->parent);
	la_json_member_text(json, "command", info->command);
	la_json_member_text(json, "arguments", info->arguments);
	la_json_member_text(json, "program", info->program);
	la_json_member_text(json, "unit", info->unit);
	la_json_member_text(json, "torch_library", info->torch);
	la_json_member_bool(json, "gpu_open", info->gpu);
	la_json_member_text(json, "initial_unknown",
			    la_env_unknown(info->initial));
	la_json_member_text(json, "current_unknown",
			    la_env_unknown(info->current));
	la_json_member_text(json, "current_from", info->current_from);
	la_json_object_end(json);
}

static const char *name_of(const struct la_env_variable *variable)
{
	return variable ? variable->name : NULL;
}

void env_print_json(const struct env_view *view)
{
	struct la_json json;

	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "allocctl.env/1");
	la_json_member_text(&json, "source", view->source);
	la_json_member_text(&json, "unknown", env_view_doubt(view));
	la_json_member_text(&json, "torch", view->release);
	la_json_member_bool(&json, "torch_found",
			    !view->torch_asked && !*view->torch.why);
	la_json_member_text(&json, "build", env_builds[view->context.build]);
	if (view->process && !view->own)
		json_process(&json, la_env_process_info(view->process));
	la_json_member_text(&json, "common_from",
			    name_of(view->choice->common));
	la_json_member_text(&json, "device_from",
			    name_of(view->choice->device));
	env_json_variables(&json, view);
	env_json_findings(&json, view);
	if (view->origins)
		env_json_origins(&json, view->origins);
	la_json_object_end(&json);
	putchar('\n');
}
