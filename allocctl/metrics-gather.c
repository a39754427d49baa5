// SPDX-License-Identifier: Apache-2.0
/* allocctl metrics: look at the caller's environment, then at each process. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "metrics.h"
#include "platform.h"
#include "print.h"

/* FNV-1a, never 0. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash ? hash : 1;
}

static struct metrics_group *find(struct metrics_groups *groups,
				  const struct metrics_group *wanted)
{
	struct metrics_group *group = groups->group;
	size_t i;

	for (i = 0; i < groups->count; i++, group++)
		if (group->state == wanted->state &&
		    group->setting == wanted->setting &&
		    !strcmp(group->torch, wanted->torch) &&
		    !strcmp(group->scope, wanted->scope))
			return group;
	return NULL;
}

static void add(struct metrics_groups *groups, struct metrics_group wanted)
{
	struct metrics_group *group = find(groups, &wanted);

	if (!group && groups->count >= METRICS_GROUPS) {
		wanted.torch = wanted.scope = "other";
		wanted.setting = 0;
		group = find(groups, &wanted);
	}
	if (!group) {
		group = &groups->group[groups->count++];
		*group = wanted;
		group->count = 0;
	}
	group->count++;
}

static bool is_forbidden(const struct metrics *metrics,
			 const struct env_view *view,
			 const struct env_check *check,
			 const struct la_policy_subject *who)
{
	struct la_policy_subject subject = *who;
	struct la_policy_result *result;
	size_t count;

	subject.variable = check->variable->name;
	if (!metrics->policy ||
	    la_policy_check(&result, metrics->policy, check->variable->value,
			    strlen(check->variable->value), &view->context,
			    &subject) < 0)
		return false;
	la_policy_violations(result, &count);
	la_policy_result_free(result);
	return count > 0;
}

static bool is_warned(const struct la_setting_check *check)
{
	const struct la_setting_remark *remark;
	size_t count, i;

	remark = la_setting_check_remarks(check, &count);
	for (i = 0; i < count; i++)
		if (remark[i].severity == LA_SEVERITY_WARNING)
			return true;
	return false;
}

static enum metrics_state judge_value(const struct metrics *metrics,
				      const struct env_view *view,
				      const struct env_check *check,
				      const struct la_policy_subject *who)
{
	if (la_setting_check_refusal(check->check))
		return METRICS_REFUSED;
	if (is_forbidden(metrics, view, check, who))
		return METRICS_FORBIDDEN;
	return is_warned(check->check) ? METRICS_WARNED : METRICS_VALID;
}

static enum metrics_state judge(const struct metrics *metrics,
				const struct env_view *view,
				const struct la_policy_subject *who)
{
	const struct la_env_choice *choice = view->choice;
	enum metrics_state worst = METRICS_UNSET, state;
	size_t i;

	if (env_view_doubt(view))
		worst = METRICS_UNKNOWN;
	for (i = 0; i < choice->finding_count; i++)
		if (!choice->finding[i].harmless)
			worst = METRICS_WARNED;
	for (i = 0; i < choice->variable_count; i++) {
		if (!view->check[i].check)
			continue;
		state = judge_value(metrics, view, &view->check[i], who);
		if (state > worst)
			worst = state;
	}
	return worst;
}

static const char *scope_of(const struct env_view *view, const char *variable)
{
	const struct la_env_origin *origin;
	const char *scope = "unknown";
	size_t count, i;

	origin = la_env_origins(view->origins, &count);
	for (i = 0; i < count; i++)
		if (origin[i].source && !strcmp(origin[i].variable, variable))
			scope = env_scopes[origin[i].scope];
	return scope;
}

static void add_view(const struct metrics *metrics,
		     struct metrics_groups *groups, const struct env_view *view,
		     const struct la_policy_subject *who)
{
	const struct la_env_variable *variable = view->choice->device ?
							 view->choice->device :
							 view->choice->common;
	bool found = view->torch_asked || !*view->torch.why;

	add(groups,
	    (struct metrics_group){
		    .torch = found ? view->release : "none",
		    .scope = variable ? scope_of(view, variable->name) : "none",
		    .state = judge(metrics, view, who),
		    .setting = variable ? hash_of(variable->value) : 0,
	    });
}

static int look_at_own(struct metrics *metrics, const struct env_query *query)
{
	const struct la_policy_subject who = { .user = platform_user() };
	struct env_view view;
	int status = env_view_open(&view, query);

	if (status == STATUS_DONE) {
		metrics->torch_found = view.torch_asked || !*view.torch.why;
		add_view(metrics, &metrics->own, &view, &who);
	}
	env_view_close(&view);
	return status;
}

/* One that has torch.  It may have ended meanwhile. */
static int count_process(struct metrics *metrics, uint64_t pid,
			 const char *folder)
{
	static const char *const no_files[] = { NULL };
	const struct env_query query = {
		.pid = pid, .build = -1, .show_origin = true, .files = no_files,
	};
	const struct la_policy_subject who = {
		.user = platform_owner(pid),
		.path = folder,
	};
	struct env_view view;
	int status = env_view_open(&view, &query);

	if (status == STATUS_DONE)
		add_view(metrics, &metrics->processes, &view, &who);
	env_view_close(&view);
	return status == STATUS_CANNOT_TELL ? STATUS_DONE : status;
}

/* Threads of the kernel have none, nor what has ended. */
static bool has_arguments(const char *pid)
{
	char path[64];
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	file = fopen(path, "rb");
	if (!file)
		return false;
	c = getc(file);
	fclose(file);
	return c != EOF;
}

static int look_at(struct metrics *metrics, uint64_t pid)
{
	struct la_env_process *process;
	const struct la_env_process_info *info;
	int ret = la_env_process_open(&process, (int64_t)pid, NULL);
	int status = STATUS_DONE;

	if (ret == -ENOMEM)
		return print_no_memory();
	if (ret < 0)
		return STATUS_DONE;
	info = la_env_process_info(process);
	if (info->torch)
		status = count_process(metrics, pid, info->folder);
	else if (!info->program)
		metrics->unseen++;
	la_env_process_free(process);
	return status;
}

static int look_at_all(struct metrics *metrics)
{
	DIR *folder = opendir("/proc");
	int status = STATUS_DONE, left = METRICS_PROCESSES;
	struct dirent *entry;

	while (folder && status == STATUS_DONE && left &&
	       (entry = readdir(folder))) {
		if (!isdigit((unsigned char)*entry->d_name) ||
		    !has_arguments(entry->d_name))
			continue;
		status = look_at(metrics, strtoull(entry->d_name, NULL, 10));
		left--;
	}
	if (folder)
		closedir(folder);
	return status;
}

int metrics_gather(struct metrics *metrics, const struct env_query *query)
{
	struct la_policy *policy = NULL;
	int status;

	if (platform_is_there(LA_POLICY_PATH))
		metrics->policy_broken =
			la_policy_read(&policy, LA_POLICY_PATH, NULL) < 0;
	metrics->policy = policy;
	status = look_at_own(metrics, query);
	if (status == STATUS_DONE)
		status = look_at_all(metrics);
	la_policy_free(policy);
	metrics->policy = NULL;
	return status;
}
