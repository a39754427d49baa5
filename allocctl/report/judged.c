// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "allocctl/print.h"
#include "allocctl/triage.h"
#include "html.h"
#include "judged.h"
#include "util/size.h"

struct judged {
	json_t *root; /* owned; an object */
};

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static bool is_set(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

bool judged_is_built(void)
{
	return true;
}

struct judged *judged_read(const char *text, size_t size, const char *what)
{
	struct judged *judged = calloc(1, sizeof(*judged));
	json_error_t err;

	if (!judged) {
		print_no_memory();
		return NULL;
	}
	judged->root = json_loadb(text, size, 0, &err);
	if (json_is_object(judged->root))
		return judged;
	if (what)
		print_error("cannot read '%s': %s", what,
			    judged->root ? "no object of JSON" : err.text);
	else
		print_no_memory();
	judged_free(judged);
	return NULL;
}

void judged_free(struct judged *judged)
{
	if (!judged)
		return;
	json_decref(judged->root);
	free(judged);
}

enum judged_kind judged_kind(const struct judged *judged)
{
	static const char *const schemas[JUDGED_KINDS] = {
		[JUDGED_TRIAGE] = "allocctl.triage/1",
		[JUDGED_TUNE] = "allocctl.tune/1",
	};
	const char *schema = text_of(judged->root, "schema");
	int kind;

	for (kind = 0; kind < JUDGED_KINDS; kind++)
		if (!strcmp(schema, schemas[kind]))
			break;
	return (enum judged_kind)kind;
}

char *judged_text(const struct judged *judged)
{
	return json_dumps(judged->root, JSON_COMPACT);
}

static const char *setting_text(const char *setting)
{
	return *setting ? setting : "default setting";
}

/* Below the numbers of its column. */
static void cell_unknown(struct la_strbuf *out)
{
	la_strbuf_addstr(out, "<td class=\"number\">–</td>");
}

/* A cell of bytes, or of a dash where they are not known. */
static void cell_bytes(struct la_strbuf *out, const json_t *object,
		       const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_integer(value))
		html_cell_bytes(out, (uint64_t)json_integer_value(value));
	else
		cell_unknown(out);
}

static void cell_seconds(struct la_strbuf *out, const json_t *object,
			 const char *key)
{
	const json_t *value = json_object_get(object, key);
	char text[32];

	if (!json_is_number(value)) {
		cell_unknown(out);
		return;
	}
	snprintf(text, sizeof(text), "%.3g s", json_number_value(value));
	html_cell_number(out, json_number_value(value), text);
}

static const char *outcome_text(const char *outcome)
{
	static const char *const words[][2] = {
		{ "past", "yes" },
		{ "stuck", "no" },
		{ "depends", "depends on placement" },
		{ "unknown", "not known" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(outcome, words[i][0]))
			return words[i][1];
	return outcome;
}

static void add_remedy(struct la_strbuf *out, const json_t *trial)
{
	const json_t *setting = json_object_get(trial, "setting");

	la_strbuf_addstr(out, "<tr>");
	if (json_is_string(setting))
		html_cell_code(out, setting_text(json_string_value(setting)));
	else
		html_cell(out, triage_action_text(text_of(trial, "action")));
	html_cell(out, is_set(trial, "current") ?
			       "no: it was in force" :
			       outcome_text(text_of(trial, "outcome")));
	cell_bytes(out, trial, "reserved");
	cell_bytes(out, trial, "headroom");
	cell_seconds(out, trial, "seconds");
	la_strbuf_addstr(out, "</tr>\n");
}

static void add_remedies(struct la_strbuf *out, const json_t *oom)
{
	static const char *const columns[] = {
		"what was tried", "gets past the failed request",
		"#reserved then", "#room left", "#estimated cost", NULL
	};
	const json_t *trials = json_object_get(oom, "remedies"), *trial;
	size_t i;

	if (!json_array_size(trials))
		return;
	la_strbuf_addstr(out, "<h3>What would have helped</h3>\n"
			      "<div class=\"scroll\"><table>\n");
	html_columns(out, columns);
	la_strbuf_addstr(out, "<tbody>\n");
	json_array_foreach(trials, i, trial) {
		add_remedy(out, trial);
	}
	la_strbuf_addstr(out, "</tbody></table></div>\n");
}

static void add_advice(struct la_strbuf *out, const json_t *oom)
{
	const json_t *list = json_object_get(oom, "advice"), *advice;
	const char *line;
	size_t i;

	if (!json_array_size(list))
		return;
	la_strbuf_addstr(out, "<h3>What to do</h3>\n<ol>\n");
	json_array_foreach(list, i, advice) {
		if (is_set(advice, "useless"))
			continue;
		la_strbuf_addstr(out, "<li>");
		html_text(out, text_of(advice, "text"));
		line = text_of(json_object_get(advice, "lines"), "bash");
		if (!*line)
			line = text_of(advice, "code");
		if (*line) {
			la_strbuf_addstr(out, "<pre>");
			html_lines(out, line);
			la_strbuf_addstr(out, "</pre>");
		}
		la_strbuf_addstr(out, "</li>\n");
	}
	la_strbuf_addstr(out, "</ol>\n");
}

/* JSON of before there were headlines has the bare verdict. */
static void add_words(struct la_strbuf *out, const json_t *oom)
{
	const char *headline = text_of(oom, "headline");

	la_strbuf_addstr(out, "<p class=\"headline\"><strong>");
	html_text(out, *headline ? headline : text_of(oom, "verdict"));
	la_strbuf_addstr(out, "</strong></p>\n");
	if (*text_of(oom, "why"))
		html_element(out, "p", text_of(oom, "why"));
	la_strbuf_addstr(out, "<p class=\"sure\">");
	html_text(out, text_of(oom, "grade"));
	la_strbuf_addstr(out, *text_of(oom, "how_sure") ? ": " : "");
	html_text(out, text_of(oom, "how_sure"));
	la_strbuf_addstr(out, "</p>\n");
	if (*text_of(json_object_get(oom, "facts"), "text")) {
		la_strbuf_addstr(out, "<blockquote>");
		html_text(out, text_of(json_object_get(oom, "facts"), "text"));
		la_strbuf_addstr(out, "</blockquote>\n");
	}
}

void judged_add_verdict(struct la_strbuf *out, const struct judged *triage)
{
	const json_t *ooms, *oom;
	size_t i;

	if (!triage)
		return;
	ooms = json_object_get(triage->root, "ooms");
	html_section(out, "verdict", "Why memory ran out");
	if (!json_array_size(ooms))
		html_element(out, "p", "No failed request was found: there is "
				       "nothing to explain.");
	json_array_foreach(ooms, i, oom) {
		la_strbuf_addstr(out, "<article>\n");
		add_words(out, oom);
		add_advice(out, oom);
		add_remedies(out, oom);
		la_strbuf_addstr(out, "</article>\n");
	}
	html_section_end(out);
}

static void add_setting(struct la_strbuf *out, const json_t *tuned,
			const char *winner)
{
	const char *setting = text_of(tuned, "setting");
	const json_t *fits = json_object_get(tuned, "fits");

	la_strbuf_addstr(out, "<tr><th scope=\"row\"><code>");
	html_text(out, setting_text(setting));
	la_strbuf_addstr(out, "</code></th>");
	html_cell(out, json_is_true(fits)  ? "yes" :
		       json_is_false(fits) ? "no" :
					     "depends on placement");
	cell_bytes(out, tuned, "minimum_memory");
	cell_bytes(out, tuned, "peak_reserved");
	cell_seconds(out, tuned, "estimated_seconds");
	html_cell(out, winner && !strcmp(winner, setting) ? "best" :
		       is_set(tuned, "pareto")		  ? "on the front" :
		       is_set(tuned, "cut") ? "cut off: cannot be better" :
					      "");
	la_strbuf_addstr(out, "</tr>\n");
}

/* Worth a look first: the default, the recorded one, the best ones. */
static bool is_first(const json_t *tune, const json_t *tuned)
{
	const char *setting = text_of(tuned, "setting");
	const char *recorded =
		text_of(json_object_get(tune, "recorded"), "setting");

	return !*setting || is_set(tuned, "pareto") ||
	       !strcmp(setting, recorded) ||
	       !strcmp(setting, text_of(tune, "winner"));
}

static void add_table(struct la_strbuf *out, const json_t *tune, bool first)
{
	static const char *const columns[] = {
		"setting", "fits", "#needs at least", "#reserves without a limit",
		"#estimated cost", "", NULL
	};
	const char *winner =
		json_string_value(json_object_get(tune, "winner"));
	const json_t *list = json_object_get(tune, "settings"), *tuned;
	size_t i;

	la_strbuf_addstr(out, "<div class=\"scroll\"><table>\n");
	html_columns(out, columns);
	la_strbuf_addstr(out, "<tbody>\n");
	json_array_foreach(list, i, tuned)
		if (is_first(tune, tuned) == first)
			add_setting(out, tuned, winner);
	la_strbuf_addstr(out, "</tbody></table></div>\n");
}

static void add_winner(struct la_strbuf *out, const json_t *tune)
{
	const json_t *limit = json_object_get(tune, "limit");
	const json_t *winner = json_object_get(tune, "winner");
	const json_t *bytes = json_object_get(limit, "bytes");
	const char *line = text_of(json_object_get(tune, "paste"), "bash");
	char size[LA_SIZE_TEXT];

	la_strbuf_addstr(out, "<p>");
	if (json_is_string(winner)) {
		la_strbuf_addstr(out, "Of all that were replayed, <code>");
		html_text(out, setting_text(json_string_value(winner)));
		la_strbuf_addstr(out, "</code> is best");
	} else {
		la_strbuf_addstr(out, "None of the settings fits");
	}
	if (json_is_integer(bytes) && json_integer_value(bytes) > 0) {
		la_strbuf_addstr(out, " under a ");
		html_text(out, text_of(limit, "kind"));
		la_strbuf_addf(out, " of %s",
			       la_size_format(size,
					      (uint64_t)json_integer_value(
						      bytes)));
	}
	la_strbuf_addstr(out, is_set(tune, "lower_bound") ?
			 ".  The recording ends where a request failed: what "
			 "came behind it may need more.</p>\n" :
			 ".</p>\n");
	if (!*line)
		return;
	la_strbuf_addstr(out, "<pre>");
	html_text(out, line);
	la_strbuf_addstr(out, "</pre>\n");
}

static void add_warnings(struct la_strbuf *out, const json_t *tune)
{
	const json_t *list = json_object_get(tune, "warnings"), *warning;
	size_t i;

	if (!json_array_size(list))
		return;
	la_strbuf_addstr(out, "<ul>\n");
	json_array_foreach(list, i, warning) {
		if (!json_is_string(warning))
			continue;
		la_strbuf_addstr(out, "<li>warning: ");
		html_text(out, json_string_value(warning));
		la_strbuf_addstr(out, "</li>\n");
	}
	la_strbuf_addstr(out, "</ul>\n");
}

static void add_point(struct plot_setting *setting, size_t *count,
		      const json_t *tune, const json_t *tuned)
{
	const json_t *memory = json_object_get(tuned, "minimum_memory");
	const json_t *seconds = json_object_get(tuned, "estimated_seconds");
	const char *recorded =
		text_of(json_object_get(tune, "recorded"), "setting");

	if (!json_is_integer(memory) || json_integer_value(memory) <= 0 ||
	    !json_is_number(seconds))
		return;
	setting[(*count)++] = (struct plot_setting){
		.name = text_of(tuned, "setting"),
		.memory = (uint64_t)json_integer_value(memory),
		.seconds = json_number_value(seconds),
		.fits = is_set(tuned, "fits"),
		.front = is_set(tuned, "pareto"),
		.recorded = !strcmp(text_of(tuned, "setting"), recorded),
	};
}

int judged_list(const struct judged *tune, struct plot_setting **setting,
		size_t *count)
{
	const json_t *list = json_object_get(tune->root, "settings"), *tuned;
	size_t i;

	*count = 0;
	*setting = calloc(json_array_size(list) + 1, sizeof(**setting));
	if (!*setting)
		return -ENOMEM;
	json_array_foreach(list, i, tuned) {
		add_point(*setting, count, tune->root, tuned);
	}
	if (!*count) {
		free(*setting);
		*setting = NULL;
	}
	return 0;
}

uint64_t judged_limit(const struct judged *tune)
{
	const json_t *bytes = json_object_get(
		json_object_get(tune->root, "limit"), "bytes");
	json_int_t value = json_integer_value(bytes);

	return value > 0 ? (uint64_t)value : 0;
}

void judged_add_settings(struct la_strbuf *out, const struct judged *tune,
			 const char *figure)
{
	if (!tune)
		return;
	html_section(out, "settings", "Settings");
	add_winner(out, tune->root);
	add_warnings(out, tune->root);
	la_strbuf_addstr(out, figure);
	add_table(out, tune->root, true);
	la_strbuf_addstr(out, "<details><summary>All others</summary>\n");
	add_table(out, tune->root, false);
	la_strbuf_addstr(out, "</details>\n");
	html_section_end(out);
}
