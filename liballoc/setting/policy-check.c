// SPDX-License-Identifier: Apache-2.0
/* Judge a setting by what it means to torch, not by how it is written. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "setting/policy.h"
#include "setting/release.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/util.h"

struct la_policy_result {
	struct la_policy_violation *violation; /* each owns its text */
	size_t nr, capacity;
	size_t exemption_line; /* 0: none applies */
};

/* What is judged. */
struct subject {
	struct la_policy_result *result;
	const struct la_setting_context *context;
	const struct la_setting_check *check;
	const char *text;
	size_t length;
	const char *reason; /* of the option at hand; NULL: none */
	bool failed; /* out of memory */
};

/* Where an option is named last. */
static void place_of(const struct subject *s, const char *name,
		     struct la_policy_violation *violation)
{
	size_t n = strlen(name), i;

	for (i = 0; i + n <= s->length; i++) {
		if (memcmp(s->text + i, name, n) ||
		    (i && (s->text[i - 1] == '_' ||
			   (s->text[i - 1] >= 'a' && s->text[i - 1] <= 'z'))))
			continue;
		violation->offset = i;
		violation->length = n;
	}
}

static void violate(struct subject *s, enum la_setting_code code, size_t line,
		    const char *name, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* name: the option that the setting names, or NULL. */
static void violate(struct subject *s, enum la_setting_code code, size_t line,
		    const char *name, const char *format, ...)
{
	struct la_policy_violation violation = { .code = code, .line = line };
	struct la_strbuf text = { 0 };
	va_list args;

	va_start(args, format);
	la_strbuf_vaddf(&text, format, args);
	va_end(args);
	if (s->reason)
		la_strbuf_addf(&text, ": %s", s->reason);
	if (name)
		place_of(s, name, &violation);
	violation.text = text.data;
	if (text.failed ||
	    grow_array(&s->result->violation, &s->result->capacity,
		       s->result->nr, sizeof(violation)) < 0) {
		la_strbuf_release(&text);
		s->failed = true;
		return;
	}
	s->result->violation[s->result->nr++] = violation;
}

/* The name by which a setting sets what an option sets, or NULL. */
static const char *named_as(const struct subject *s,
			    const struct la_option *option)
{
	const struct la_setting_option *about;
	const struct la_option *other;
	size_t i;

	for (i = 0; (about = la_setting_check_option(s->check, i)); i++) {
		other = la_option_find_any(about->name, strlen(about->name));
		if (other->field == option->field)
			return about->name;
	}
	return NULL;
}

static const void *field_of(const struct la_setting_values *values,
			    const struct la_option *option)
{
	return (const char *)values + option->field;
}

/* In the option's unit; of a list, the number of one slot. */
static double number_of(const struct la_setting_values *values,
			const struct la_option *option, size_t slot)
{
	const void *field = field_of(values, option);
	uint64_t number;

	if (option->kind == LA_OPTION_THRESHOLD ||
	    option->kind == LA_OPTION_FRACTION)
		return *(const double *)field;
	number = ((const uint64_t *)field)[slot];
	if (option->kind == LA_OPTION_ROUNDUP ||
	    option->kind == LA_OPTION_THREADS)
		return (double)number;
	return number == UINT64_MAX ? INFINITY : (double)(number / MIB);
}

/* A list passes if all slots do that round at all. */
static void check_range(struct subject *s, const struct la_policy_option *rule,
			const struct la_setting_values *values,
			const char *name)
{
	bool is_list = rule->option->kind == LA_OPTION_ROUNDUP;
	size_t slot, slots = is_list ? LA_ROUNDUP_SLOTS : 1;
	double number;

	for (slot = 0; slot < slots; slot++) {
		number = number_of(values, rule->option, slot);
		if (is_list && number <= 1)
			continue;
		if (rule->has_min && number < rule->min) {
			violate(s, LA_POLICY_RANGE, rule->min_line, name,
				"%s has to be %.14g or more, and is %.14g", name,
				rule->min, number);
			return;
		}
		if (rule->has_max && number > rule->max) {
			violate(s, LA_POLICY_RANGE, rule->max_line, name,
				"%s has to be %.14g or less, and is %.14g", name,
				rule->max, number);
			return;
		}
	}
}

/* Whether a setting has the value that option:word would set. */
static bool has_value(struct subject *s, const struct la_option *option,
		      const struct la_setting_values *values, const char *word)
{
	struct la_setting_context context = *s->context;
	struct la_strbuf text = { 0 };
	struct la_setting *setting;
	bool same = false;
	int code = -ENOMEM;

	context.set_at = LA_SET_AT_IMPORT;
	la_strbuf_addf(&text, "%s:%s", option->about.name, word);
	if (!text.failed)
		code = la_setting_parse_for(&setting, text.data, text.length,
					    &context, NULL);
	if (!code) {
		same = !memcmp(field_of(values, option),
			       field_of(la_setting_values(setting), option),
			       la_option_size(option));
		la_setting_free(setting);
	}
	s->failed |= code == -ENOMEM;
	la_strbuf_release(&text);
	return same;
}

static void check_values(struct subject *s, const struct la_policy_option *rule,
			 const struct la_setting_values *values,
			 const char *name)
{
	struct la_strbuf list = { 0 };
	size_t i;

	if (!rule->values.line)
		return;
	for (i = 0; i < rule->values.nr; i++)
		if (has_value(s, rule->option, values,
			      rule->values.word[i].text))
			return;
	for (i = 0; i < rule->values.nr; i++)
		la_strbuf_addf(&list, "%s%s", i ? ", " : "",
			       rule->values.word[i].text);
	s->failed |= list.failed;
	violate(s, LA_POLICY_VALUE, rule->values.line, name, "%s has to be %s",
		name, la_strbuf_text(&list));
	la_strbuf_release(&list);
}

static void check_option(struct subject *s, const struct la_policy_option *rule)
{
	const struct la_setting *setting = la_setting_check_setting(s->check);
	const char *name = named_as(s, rule->option);
	const char *wanted = rule->option->about.name;

	if (rule->rule == LA_RULE_FORBIDDEN && name)
		violate(s, LA_POLICY_FORBIDDEN, rule->line, name,
			"%s is forbidden", name);
	if (rule->rule == LA_RULE_REQUIRED && !name)
		violate(s, LA_POLICY_REQUIRED, rule->line, NULL,
			"%s has to be set", wanted);
	if (!name || !setting)
		return;
	if (rule->has_min || rule->has_max)
		check_range(s, rule, la_setting_values(setting), name);
	check_values(s, rule, la_setting_values(setting), name);
}

static void check_others(struct subject *s, const struct la_policy *policy)
{
	const struct la_setting_option *about;
	const struct la_option *option;
	size_t i, k;

	for (i = 0; (about = la_setting_check_option(s->check, i)); i++) {
		option = la_option_find_any(about->name, strlen(about->name));
		for (k = 0; k < policy->option_count; k++)
			if (policy->option[k].option->field == option->field)
				break;
		if (k == policy->option_count)
			violate(s, LA_POLICY_OTHERS, policy->others_line,
				about->name, "%s is not on the list of options",
				about->name);
	}
}

static void check_release(struct subject *s, const struct la_policy *policy)
{
	unsigned int release = s->context->release, other;
	const char *name = la_release_name(release);
	size_t i;

	if (policy->from && release < policy->from)
		violate(s, LA_POLICY_RELEASE, policy->from_line, NULL,
			"torch %s is older than %s", name,
			la_release_name(policy->from));
	if (policy->to && release > policy->to)
		violate(s, LA_POLICY_RELEASE, policy->to_line, NULL,
			"torch %s is newer than %s", name,
			la_release_name(policy->to));
	for (i = 0; i < policy->except.nr; i++)
		if (!la_release_parse(&other, policy->except.word[i].text,
				      NULL) &&
		    other == release)
			violate(s, LA_POLICY_RELEASE,
				policy->except.word[i].line, NULL,
				"torch %s is excepted", name);
}

static void check_variable(struct subject *s, const struct la_policy *policy,
			   const char *variable)
{
	size_t i;

	if (!policy->variables.line || !variable)
		return;
	for (i = 0; i < policy->variables.nr; i++)
		if (!strcmp(policy->variables.word[i].text, variable))
			return;
	violate(s, LA_POLICY_VARIABLE, policy->variables.line, NULL,
		"the variable %s is not on the list", variable);
}

/* * and ? stand for any characters, slashes too. */
static bool matches(const char *pattern, const char *path)
{
	const char *star = NULL, *tried = NULL;

	while (*path) {
		if (*pattern == '*') {
			star = ++pattern;
			tried = path;
		} else if (*pattern == '?' || *pattern == *path) {
			pattern++;
			path++;
		} else if (star) {
			pattern = star;
			path = ++tried;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* ".." may lead out of what a pattern names. */
static bool leads_up(const char *path)
{
	size_t n;

	for (; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 2 && !memcmp(path, "..", 2))
			return true;
	}
	return false;
}

static size_t find_exemption(const struct la_policy *policy,
			     const struct la_policy_subject *subject)
{
	const struct la_policy_exemption *exemption;
	size_t i;

	for (i = 0; i < policy->exemption_count; i++) {
		exemption = &policy->exemption[i];
		if (exemption->user &&
		    (!subject->user || strcmp(exemption->user, subject->user)))
			continue;
		if (exemption->path &&
		    (!subject->path || leads_up(subject->path) ||
		     !matches(exemption->path, subject->path)))
			continue;
		return exemption->line;
	}
	return 0;
}

static void check_all(struct subject *s, const struct la_policy *policy,
		      const char *variable)
{
	size_t i;

	check_release(s, policy);
	check_variable(s, policy, variable);
	if (la_setting_check_refusal(s->check))
		violate(s, LA_POLICY_REFUSED, 0, NULL,
			"torch %s refuses the setting",
			la_release_name(s->context->release));
	for (i = 0; i < policy->option_count; i++) {
		s->reason = policy->option[i].reason;
		check_option(s, &policy->option[i]);
	}
	s->reason = NULL;
	if (policy->others_line)
		check_others(s, policy);
}

LA_EXPORT int la_policy_check(struct la_policy_result **out,
			      const struct la_policy *policy, const char *text,
			      size_t length,
			      const struct la_setting_context *context,
			      const struct la_policy_subject *subject)
{
	struct la_policy_result *result = calloc(1, sizeof(*result));
	struct la_setting_check *check = NULL;
	struct subject s = {
		.result = result,
		.context = context,
		.text = text,
		.length = length,
	};
	int code = result ? 0 : -ENOMEM;

	if (!code)
		code = la_setting_check_new(&check, text, length, context);
	if (!code) {
		s.check = check;
		result->exemption_line = find_exemption(policy, subject);
		if (!result->exemption_line)
			check_all(&s, policy, subject->variable);
		code = s.failed ? -ENOMEM : 0;
	}
	la_setting_check_free(check);
	if (code < 0)
		la_policy_result_free(result);
	else
		*out = result;
	return code;
}

LA_EXPORT void la_policy_result_free(struct la_policy_result *result)
{
	if (!result)
		return;
	while (result->nr)
		free((char *)result->violation[--result->nr].text);
	free(result->violation);
	free(result);
}

LA_EXPORT const struct la_policy_violation *
la_policy_violations(const struct la_policy_result *result, size_t *count)
{
	*count = result->nr;
	return result->violation;
}

LA_EXPORT size_t la_policy_exemption_line(const struct la_policy_result *result)
{
	return result->exemption_line;
}
