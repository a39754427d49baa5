// SPDX-License-Identifier: Apache-2.0
/* A policy file, see allocctl-policy(5): no key but those that are known. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setting/policy.h"
#include "util/error.h"
#include "util/util.h"
#include "util/yaml.h"

struct member {
	const char *key;
	int (*read)(void *into, const struct la_yaml *node,
		    struct la_error *err);
};

static int no_memory(struct la_error *err)
{
	return la_error_set(err, -ENOMEM, LA_NO_OFFSET, "out of memory");
}

/* Read each member of a map by the row of its key. */
static int read_map(void *into, const struct la_yaml *map,
		    const struct member *members, struct la_error *err)
{
	const struct la_yaml *node;
	const struct member *member;
	int code = 0;

	if (map->kind != LA_YAML_MAP)
		return la_yaml_bad(map, err, "keys and values are wanted");
	for (node = map->first; node && !code; node = node->next) {
		for (member = members; member->key; member++)
			if (!strcmp(member->key, node->key->text))
				break;
		code = member->key ?
			       member->read(into, node, err) :
			       la_yaml_bad(node->key, err, "unknown key '%s'",
					   node->key->text);
	}
	return code;
}

static int read_text(char **out, const struct la_yaml *node,
		     struct la_error *err)
{
	if (node->kind != LA_YAML_SCALAR || !*node->text)
		return la_yaml_bad(node, err, "a word is wanted");
	*out = strdup(node->text);
	return *out ? 0 : no_memory(err);
}

/* A list of words, or one word. */
static int read_words(struct la_policy_words *words, const struct la_yaml *node,
		      struct la_error *err)
{
	const struct la_yaml *item = node;
	size_t nr = 1;
	int code = 0;

	if (node->kind == LA_YAML_MAP)
		return la_yaml_bad(node, err, "a list is wanted");
	if (node->kind == LA_YAML_LIST)
		for (nr = 0, item = node->first; item; item = item->next)
			nr++;
	words->line = node->line;
	words->word = calloc(nr + 1, sizeof(*words->word));
	if (!words->word)
		return no_memory(err);
	item = node->kind == LA_YAML_LIST ? node->first : node;
	for (; words->nr < nr && !code; item = item->next) {
		code = read_text(&words->word[words->nr].text, item, err);
		words->word[words->nr++].line = item->line;
	}
	return code;
}

static int read_release(unsigned int *out, const struct la_yaml *node,
			struct la_error *err)
{
	struct la_error why;
	int code;

	if (node->kind != LA_YAML_SCALAR)
		return la_yaml_bad(node, err, "a release of torch is wanted");
	code = la_release_parse(out, node->text, &why);
	if (code < 0)
		return la_yaml_bad(node, err, "%s", why.text);
	return code ? la_yaml_bad(node, err, "newer than any known release") :
		      0;
}

static int read_from(void *into, const struct la_yaml *node,
		     struct la_error *err)
{
	struct la_policy *policy = into;

	policy->from_line = node->line;
	return read_release(&policy->from, node, err);
}

static int read_to(void *into, const struct la_yaml *node, struct la_error *err)
{
	struct la_policy *policy = into;

	policy->to_line = node->line;
	return read_release(&policy->to, node, err);
}

static int read_except(void *into, const struct la_yaml *node,
		       struct la_error *err)
{
	struct la_policy *policy = into;
	const struct la_yaml *item = node;
	unsigned int release;
	int code = 0;

	if (node->kind == LA_YAML_LIST)
		item = node->first;
	for (; item && !code; item = item->next) {
		code = read_release(&release, item, err);
		if (node->kind != LA_YAML_LIST)
			break;
	}
	return code ? code : read_words(&policy->except, node, err);
}

static int read_torch(void *into, const struct la_yaml *node,
		      struct la_error *err)
{
	static const struct member members[] = {
		{ "from", read_from },
		{ "to", read_to },
		{ "except", read_except },
		{ NULL, NULL },
	};

	const struct la_policy *policy = into;
	int code = read_map(into, node, members, err);

	if (!code && policy->from && policy->to && policy->from > policy->to)
		return la_yaml_bad(node, err, "from is newer than to");
	return code;
}

static int read_variables(void *into, const struct la_yaml *node,
			  struct la_error *err)
{
	/* Reads every variable that any reads. */
	static const struct la_setting_context any = {
		.release = LA_RELEASE(2, 10),
		.build = LA_BUILD_ROCM,
	};
	struct la_policy *policy = into;
	const struct la_yaml *item = node;
	size_t i;
	int code = read_words(&policy->variables, node, err);

	if (node->kind == LA_YAML_LIST)
		item = node->first;
	for (i = 0; !code && i < policy->variables.nr; i++, item = item->next)
		if (la_setting_variable_unread(item->text, &any))
			code = la_yaml_bad(item, err,
					   "no release reads a variable '%s'",
					   item->text);
	return code;
}

static int read_rule(void *into, const struct la_yaml *node,
		     struct la_error *err)
{
	static const char *const rules[] = { "allowed", "required",
					     "forbidden" };
	struct la_policy_option *option = into;
	size_t i;

	for (i = 0; node->text && i < ARRAY_SIZE(rules); i++) {
		if (strcmp(rules[i], node->text))
			continue;
		option->rule = (enum la_policy_rule)i;
		return 0;
	}
	return la_yaml_bad(node, err, "allowed, required or forbidden");
}

static int read_bound(const struct la_policy_option *option, double *out,
		      const struct la_yaml *node, struct la_error *err)
{
	switch (option->option->kind) {
	case LA_OPTION_BOOL:
	case LA_OPTION_BACKEND:
	case LA_OPTION_RESERVE:
	case LA_OPTION_RESERVE_LIST:
		return la_yaml_bad(node->key, err,
				   "%s takes words, not numbers: use values",
				   option->option->about.name);
	default:
		return la_yaml_number(node, out, err);
	}
}

static int read_min(void *into, const struct la_yaml *node,
		    struct la_error *err)
{
	struct la_policy_option *option = into;

	option->has_min = true;
	option->min_line = node->line;
	return read_bound(option, &option->min, node, err);
}

static int read_max(void *into, const struct la_yaml *node,
		    struct la_error *err)
{
	struct la_policy_option *option = into;

	option->has_max = true;
	option->max_line = node->line;
	return read_bound(option, &option->max, node, err);
}

/* Whether some release takes an option with a value. */
static bool is_taken(const struct la_option *option, const char *value)
{
	struct la_setting_context context = { 0 };
	const struct la_release *release;
	struct la_setting *setting = NULL;
	char text[256];
	bool taken;
	int length;
	size_t i;

	length = snprintf(text, sizeof(text), "%s:%s", option->about.name,
			  value);
	if (length < 0 || length >= (int)sizeof(text))
		return false;
	for (i = 0; !setting && (release = la_release_at(i)); i++) {
		context.release = release->number;
		if (la_option_exists(option, release->number))
			la_setting_parse_for(&setting, text, (size_t)length,
					     &context, NULL);
	}
	taken = setting != NULL;
	la_setting_free(setting);
	return taken;
}

static int read_values(void *into, const struct la_yaml *node,
		       struct la_error *err)
{
	struct la_policy_option *option = into;
	const struct la_yaml *item;
	int code;

	code = read_words(&option->values, node, err);
	item = node->kind == LA_YAML_LIST ? node->first : node;
	for (; !code && item; item = item->next) {
		if (!is_taken(option->option, item->text))
			code = la_yaml_bad(item, err, "no release takes %s:%s",
					   option->option->about.name,
					   item->text);
		if (node->kind != LA_YAML_LIST)
			break;
	}
	return code;
}

static int read_reason(void *into, const struct la_yaml *node,
		       struct la_error *err)
{
	struct la_policy_option *option = into;

	return read_text(&option->reason, node, err);
}

static int check_option(const struct la_policy_option *option,
			const struct la_yaml *node, struct la_error *err)
{
	if (option->rule == LA_RULE_FORBIDDEN &&
	    (option->has_min || option->has_max || option->values.line))
		return la_yaml_bad(node, err,
				   "what is forbidden has no values");
	if (option->has_min && option->has_max && option->min > option->max)
		return la_yaml_bad(node, err, "min is above max");
	return 0;
}

static int read_option(struct la_policy_option *option,
		       const struct la_yaml *node, struct la_error *err)
{
	static const struct member members[] = {
		{ "rule", read_rule },	   { "min", read_min },
		{ "max", read_max },	   { "values", read_values },
		{ "reason", read_reason }, { NULL, NULL },
	};
	const char *name = node->key->text;
	int code;

	option->line = node->key->line;
	option->option = la_option_find_any(name, strlen(name));
	if (!option->option)
		return la_yaml_bad(node->key, err,
				   "no release has an option '%s'", name);
	if (node->kind == LA_YAML_SCALAR)
		return read_rule(option, node, err);
	code = read_map(option, node, members, err);
	return code ? code : check_option(option, node, err);
}

static int read_options(void *into, const struct la_yaml *map,
			struct la_error *err)
{
	struct la_policy *policy = into;
	const struct la_yaml *node;
	size_t nr = 0;
	int code = 0;

	if (map->kind != LA_YAML_MAP)
		return la_yaml_bad(map, err, "options and rules are wanted");
	for (node = map->first; node; node = node->next)
		nr++;
	policy->option = calloc(nr + 1, sizeof(*policy->option));
	if (!policy->option)
		return no_memory(err);
	for (node = map->first; node && !code; node = node->next)
		code = read_option(&policy->option[policy->option_count++],
				   node, err);
	return code;
}

static int read_others(void *into, const struct la_yaml *node,
		       struct la_error *err)
{
	struct la_policy *policy = into;

	if (node->text && !strcmp(node->text, "forbidden"))
		policy->others_line = node->line;
	else if (!node->text || strcmp(node->text, "allowed"))
		return la_yaml_bad(node, err, "allowed or forbidden");
	return 0;
}

static int read_user(void *into, const struct la_yaml *node,
		     struct la_error *err)
{
	struct la_policy_exemption *exemption = into;

	return read_text(&exemption->user, node, err);
}

static int read_path(void *into, const struct la_yaml *node,
		     struct la_error *err)
{
	struct la_policy_exemption *exemption = into;

	if (node->text && *node->text != '/')
		return la_yaml_bad(node, err, "an absolute path is wanted");
	return read_text(&exemption->path, node, err);
}

/* Why it is exempt is for people who read the file. */
static int skip_reason(void *into, const struct la_yaml *node,
		       struct la_error *err)
{
	(void)into;
	return node->kind == LA_YAML_SCALAR ?
		       0 :
		       la_yaml_bad(node, err, "a text is wanted");
}

static int read_exemption(struct la_policy_exemption *exemption,
			  const struct la_yaml *node, struct la_error *err)
{
	static const struct member members[] = {
		{ "user", read_user },
		{ "path", read_path },
		{ "reason", skip_reason },
		{ NULL, NULL },
	};
	int code = read_map(exemption, node, members, err);

	exemption->line = node->line;
	if (!code && !exemption->user && !exemption->path)
		code = la_yaml_bad(node, err, "a user or a path is wanted");
	return code;
}

static int read_exempt(void *into, const struct la_yaml *list,
		       struct la_error *err)
{
	struct la_policy *policy = into;
	const struct la_yaml *node;
	size_t nr = 0;
	int code = 0;

	if (list->kind != LA_YAML_LIST)
		return la_yaml_bad(list, err, "a list is wanted");
	for (node = list->first; node; node = node->next)
		nr++;
	policy->exemption = calloc(nr + 1, sizeof(*policy->exemption));
	if (!policy->exemption)
		return no_memory(err);
	for (node = list->first; node && !code; node = node->next)
		code = read_exemption(
			&policy->exemption[policy->exemption_count++], node,
			err);
	return code;
}

/* It may be empty: no setting at all. */
static int read_repair(void *into, const struct la_yaml *node,
		       struct la_error *err)
{
	struct la_policy *policy = into;

	if (node->kind != LA_YAML_SCALAR)
		return la_yaml_bad(node, err, "a setting is wanted");
	policy->repair = strdup(node->text);
	return policy->repair ? 0 : no_memory(err);
}

static int read_version(void *into, const struct la_yaml *node,
			struct la_error *err)
{
	(void)into;
	return node->text && !strcmp(node->text, "1") ?
		       0 :
		       la_yaml_bad(node, err, "this reader knows policy: 1");
}

static int read_policy(struct la_policy *policy, const struct la_yaml *tree,
		       struct la_error *err)
{
	static const struct member members[] = {
		{ "policy", read_version },
		{ "torch", read_torch },
		{ "variables", read_variables },
		{ "options", read_options },
		{ "other_options", read_others },
		{ "exempt", read_exempt },
		{ "repair", read_repair },
		{ NULL, NULL },
	};

	if (tree->kind != LA_YAML_MAP || !tree->first ||
	    strcmp(tree->first->key->text, "policy"))
		return la_yaml_bad(tree, err,
				   "a policy begins with 'policy: 1'");
	return read_map(policy, tree, members, err);
}

/* Takes the tree. */
static int make_policy(struct la_policy **out, struct la_yaml *tree,
		       struct la_error *err)
{
	struct la_policy *policy = calloc(1, sizeof(*policy));
	int code;

	code = policy ? read_policy(policy, tree, err) : no_memory(err);
	la_yaml_free(tree);
	if (code < 0)
		la_policy_free(policy);
	else
		*out = policy;
	return code;
}

LA_EXPORT int la_policy_parse(struct la_policy **out, const char *text,
			      size_t length, struct la_error *err)
{
	struct la_yaml *tree;
	int code = la_yaml_parse(&tree, text, length, err);

	return code ? code : make_policy(out, tree, err);
}

LA_EXPORT int la_policy_read(struct la_policy **out, const char *path,
			     struct la_error *err)
{
	struct la_yaml *tree;
	int code = la_yaml_read(&tree, path, err);

	return code ? code : make_policy(out, tree, err);
}

static void release_words(struct la_policy_words *words)
{
	while (words->nr)
		free(words->word[--words->nr].text);
	free(words->word);
}

LA_EXPORT void la_policy_free(struct la_policy *policy)
{
	size_t i;

	if (!policy)
		return;
	for (i = 0; i < policy->option_count; i++) {
		release_words(&policy->option[i].values);
		free(policy->option[i].reason);
	}
	for (i = 0; i < policy->exemption_count; i++) {
		free(policy->exemption[i].user);
		free(policy->exemption[i].path);
	}
	release_words(&policy->except);
	release_words(&policy->variables);
	free(policy->option);
	free(policy->exemption);
	free(policy->repair);
	free(policy);
}
