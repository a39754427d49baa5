// SPDX-License-Identifier: Apache-2.0
/* What of a node's report is held together with those of others. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "fleet.h"
#include "util/array.h"
#include "util/util.h"

static const char damaged[] = "its report is damaged or cut off";

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Does torch read it? */
static bool is_read(const json_t *variable)
{
	const char *role = text_of(variable, "role");

	return role && (!strcmp(role, "setting") || !strcmp(role, "caching")) &&
	       !text_of(variable, "unread");
}

static void add_setting(struct la_strbuf *out, const json_t *report)
{
	const json_t *variables = json_object_get(report, "variables");
	const json_t *variable;
	const char *name, *value;
	size_t i;

	json_array_foreach(variables, i, variable)
	{
		name = text_of(variable, "name");
		value = text_of(variable, "value");
		if (is_read(variable) && name && value)
			la_strbuf_addf(out, "%s%s=%s", out->length ? " " : "",
				       name, value);
	}
	if (!out->length)
		la_strbuf_addstr(out, "none");
}

/* A process has another number on each node. */
static void add_file(struct la_strbuf *out, const char *file)
{
	static const char process[] = "process ";
	size_t n = strlen(process);

	if (!strncmp(file, process, n) && isdigit((unsigned char)file[n])) {
		la_strbuf_addstr(out, process);
		file += n + strspn(file + n, "0123456789 ");
	}
	la_strbuf_addstr(out, file);
}

static void add_place(struct la_strbuf *out, const json_t *origin)
{
	const char *file = text_of(origin, "file");
	const char *reader = text_of(origin, "reader");
	const json_t *line = json_object_get(origin, "line");

	add_file(out, file ? file : reader ? reader : "?");
	if (json_is_integer(line))
		la_strbuf_addf(out, ":%" JSON_INTEGER_FORMAT,
			       json_integer_value(line));
}

/* The one that is known to have set it, else the first that has that value. */
static const json_t *find_origin(const json_t *origins, const char *name)
{
	const json_t *origin, *found = NULL;
	const char *variable;
	size_t i;

	json_array_foreach(origins, i, origin)
	{
		variable = text_of(origin, "variable");
		if (!variable || strcmp(variable, name))
			continue;
		if (json_is_true(json_object_get(origin, "source")))
			return origin;
		if (!found && json_is_true(json_object_get(origin, "matches")))
			found = origin;
	}
	return found;
}

static void add_origin(struct la_strbuf *out, const json_t *report)
{
	const json_t *origins = json_object_get(report, "origins");
	const json_t *variables = json_object_get(report, "variables");
	const json_t *variable, *origin;
	const char *name;
	size_t i;

	json_array_foreach(variables, i, variable)
	{
		name = text_of(variable, "name");
		if (!name || !is_read(variable))
			continue;
		la_strbuf_addstr(out, out->length ? ", " : "");
		origin = find_origin(origins, name);
		if (origin)
			add_place(out, origin);
		else
			la_strbuf_addstr(out, "not known");
	}
	if (!out->length)
		la_strbuf_addstr(out, "none");
}

static void add_torch(struct la_strbuf *out, const json_t *report)
{
	const json_t *torch = json_object_get(report, "torch");
	const char *version = text_of(torch, "version");
	const char *build = text_of(torch, "build");

	if (!json_is_true(json_object_get(torch, "found")) || !version)
		la_strbuf_addstr(out, "not found");
	else
		la_strbuf_addf(out, "%s, %s build", version,
			       build ? build : "unknown");
}

static void add_driver(struct la_strbuf *out, const json_t *report)
{
	const char *driver = text_of(report, "driver");
	const char *trouble = text_of(report, "nvml_trouble");

	la_strbuf_addstr(out, driver ? driver : "none seen");
	if (trouble)
		la_strbuf_addf(out, ": %s", trouble);
}

/* "NVIDIA H200 139.80 GiB", which others may have too. */
static void add_gpu(struct la_strbuf *out, const json_t *gpu)
{
	const char *name = text_of(gpu, "name");
	json_int_t total = json_integer_value(json_object_get(gpu, "total"));

	la_strbuf_addstr(out, name ? name : "unknown");
	if (total > 0)
		la_strbuf_addf(out, " %.2f GiB", (double)total / (double)GIB);
	if (json_is_true(json_object_get(gpu, "mig")))
		la_strbuf_addstr(out, " divided by MIG");
}

/* Those that follow each other and are of one kind. */
static void add_gpus(struct la_strbuf *out, const json_t *report)
{
	const json_t *gpus = json_object_get(report, "gpus");
	struct la_strbuf kind = { 0 }, next = { 0 };
	size_t count = json_array_size(gpus), i, alike = 0;

	for (i = 0; i <= count; i++) {
		next.length = 0;
		if (i < count)
			add_gpu(&next, json_array_get(gpus, i));
		if (alike && (i == count || strcmp(la_strbuf_text(&kind),
						   la_strbuf_text(&next)))) {
			la_strbuf_addf(out, "%s%zu x %s",
				       out->length ? ", " : "", alike,
				       la_strbuf_text(&kind));
			alike = 0;
		}
		if (!alike) {
			kind.length = 0;
			la_strbuf_addstr(&kind, la_strbuf_text(&next));
		}
		alike++;
	}
	out->failed |= kind.failed || next.failed;
	if (!count)
		la_strbuf_addstr(out, "none");
	la_strbuf_release(&kind);
	la_strbuf_release(&next);
}

static void add_version(struct la_strbuf *out, const json_t *report)
{
	const char *version = text_of(report, "allocctl");

	la_strbuf_addstr(out, version ? version : "unknown");
}

static void add_faults(struct la_strbuf *out, const json_t *report)
{
	const json_t *steps = json_object_get(report, "steps"), *step;
	const char *text;
	size_t i;

	json_array_foreach(steps, i, step)
	{
		text = text_of(step, "text");
		if (text && json_is_true(json_object_get(step, "fault")))
			la_strbuf_addf(out, "%s%s", out->length ? "; " : "",
				       text);
	}
	if (!out->length)
		la_strbuf_addstr(out, "none");
}

static bool add_facts(struct fleet_node *node, const json_t *report)
{
	static void (*const add[])(struct la_strbuf *, const json_t *) = {
		[FLEET_SETTING] = add_setting, [FLEET_ORIGIN] = add_origin,
		[FLEET_TORCH] = add_torch,     [FLEET_DRIVER] = add_driver,
		[FLEET_GPUS] = add_gpus,       [FLEET_ALLOCCTL] = add_version,
		[FLEET_FAULTS] = add_faults,
	};
	struct la_strbuf fact;
	size_t i;

	for (i = 0; i < FLEET_FACTS; i++) {
		fact = (struct la_strbuf){ 0 };
		add[i](&fact, report);
		if (fact.failed) {
			la_strbuf_release(&fact);
			return false;
		}
		node->fact[i] = fact.data;
	}
	return true;
}

static const char *take_whole(struct fleet *fleet, const json_t *report,
			      char name[FLEET_NAME_BYTES + 1])
{
	struct fleet_node *node;

	if (!*name)
		return "its report names no host";
	node = fleet_add(fleet, name);
	if (node && !add_facts(node, report))
		fleet->failed = true;
	return NULL;
}

static size_t number_of(const json_t *object, const char *key)
{
	json_int_t number = json_integer_value(json_object_get(object, key));

	return number > 0 && number < FLEET_PARTS ? (size_t)number : 0;
}

static const char *take_part(struct fleet *fleet, const json_t *json,
			     const char *name)
{
	const json_t *text = json_object_get(json, "text");
	const char *id = text_of(json, "report");
	struct fleet_part part = {
		.part = number_of(json, "part"),
		.parts = number_of(json, "parts"),
		.length = json_string_length(text),
	};

	if (!*name || !id || !json_is_string(text) || !part.part ||
	    part.part > part.parts)
		return damaged;
	fleet->full |= fleet->part_count == FLEET_PARTS;
	if (fleet->full || fleet->failed)
		return NULL;
	part.name = strdup(name);
	part.id = strdup(id);
	part.text = strdup(json_string_value(text));
	if (!part.name || !part.id || !part.text ||
	    grow_array(&fleet->part, &fleet->part_room, fleet->part_count,
		       sizeof(part)) < 0) {
		free(part.name);
		free(part.id);
		free(part.text);
		fleet->failed = true;
		return NULL;
	}
	fleet->part[fleet->part_count++] = part;
	return NULL;
}

static const char *take(struct fleet *fleet, const json_t *json,
			char name[FLEET_NAME_BYTES + 1])
{
	const char *schema = text_of(json, "schema");
	const char *host = text_of(json, "node");

	if (!host)
		host = text_of(json, "host");
	if (!*name && host && strlen(host) <= FLEET_NAME_BYTES)
		strcpy(name, host);
	if (schema && !strcmp(schema, FLEET_PART_SCHEMA))
		return take_part(fleet, json, name);
	if (schema && !strcmp(schema, "allocctl.doctor/1"))
		return take_whole(fleet, json, name);
	return "that is no report of allocctl fleet --node or doctor";
}

const char *fleet_take_report(struct fleet *fleet, const char *text,
			      size_t length, char name[FLEET_NAME_BYTES + 1])
{
	const char *why = damaged;
	json_t *json;
	json_error_t err;

	json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &err);
	if (json)
		why = take(fleet, json, name);
	json_decref(json);
	return why;
}

static int compare_parts(const void *a, const void *b)
{
	const struct fleet_part *part = a, *other = b;
	int order = strcmp(part->id, other->id);

	if (!order)
		order = strcmp(part->name, other->name);
	if (!order && part->part != other->part)
		order = part->part < other->part ? -1 : 1;
	return order;
}

/* Parts of one report; a log that was read twice has each twice. */
static void join(struct fleet *fleet, const struct fleet_part *part,
		 size_t count)
{
	char name[FLEET_NAME_BYTES + 1], why[80];
	struct la_strbuf text = { 0 };
	size_t i, next = 1;
	const char *wrong;

	for (i = 0; i < count; i++) {
		if (part[i].part != next)
			continue;
		la_strbuf_add(&text, part[i].text, part[i].length);
		next++;
	}
	strcpy(name, part->name);
	snprintf(why, sizeof(why), "part %zu of %zu of its report is missing",
		 next, part->parts);
	wrong = next <= part->parts ?
			why :
			fleet_take_report(fleet, la_strbuf_text(&text),
					  text.length, name);
	if (wrong)
		fleet_add_error(fleet, name, wrong);
	fleet->failed |= text.failed;
	la_strbuf_release(&text);
}

void fleet_join(struct fleet *fleet)
{
	struct fleet_part *part = fleet->part;
	size_t count = fleet->part_count, i, next;

	if (count)
		qsort(part, count, sizeof(*part), compare_parts);
	for (i = 0; i < count && !fleet->failed; i = next) {
		for (next = i + 1; next < count; next++)
			if (strcmp(part[i].id, part[next].id) ||
			    strcmp(part[i].name, part[next].name))
				break;
		join(fleet, part + i, next - i);
	}
}
