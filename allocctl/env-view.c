// SPDX-License-Identifier: Apache-2.0
/* Gather an environment, the torch that reads it, and what that makes of it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "env.h"
#include "platform.h"
#include "print.h"

const char *const env_builds[] = { "cuda", "rocm", "cpu", NULL };

const char env_when[] =
	"torch reads these variables once: backend when it is imported, all "
	"else when CUDA is first used (torch.cuda.init(), the first tensor on "
	"a GPU). Later changes of the environment do nothing; "
	"torch.cuda.memory._set_allocator_settings() does, but for backend, "
	"which torch.cuda.get_allocator_backend() tells.";

const char env_line[] =
	"import torch; torch.cuda.init(); "
	"print(torch.cuda.memory._snapshot()[\"allocator_settings\"])";

/* The torch that the process has loaded, or that a command would import. */
static void seek_torch(struct env_view *view, const struct env_query *query)
{
	const struct la_env_process_info *info =
		view->process ? la_env_process_info(view->process) : NULL;

	if (query->pid && info && info->torch && !query->python)
		torch_seek_library(&view->torch, info->root, info->torch);
	else
		torch_seek(&view->torch, query->python);
}

static int choose_torch(struct env_view *view, const struct env_query *query)
{
	struct la_error err;

	view->context.release = LA_RELEASE(2, 11);
	view->context.platform = platform_here();
	if (query->torch && strcmp(query->torch, "auto") != 0) {
		view->torch_asked = true;
		if (la_release_parse(&view->context.release, query->torch,
				     &err) < 0) {
			print_error("--torch: %s", err.text);
			return STATUS_USAGE;
		}
	} else {
		seek_torch(view, query);
		if (*view->torch.why && (query->torch || query->python)) {
			print_error("%s", view->torch.why);
			return STATUS_CANNOT_TELL;
		}
		if (!*view->torch.why) {
			view->context.release = view->torch.release;
			view->context.build = view->torch.build;
		}
	}
	if (query->build >= 0)
		view->context.build = (enum la_build)query->build;
	view->release = la_release_name(view->context.release);
	return STATUS_DONE;
}

/* What the process has now; where that is not known, what it started with. */
static const struct la_env *env_of(const struct la_env_process_info *info)
{
	return la_env_unknown(info->current) &&
			       !la_env_unknown(info->initial) ?
		       info->initial :
		       info->current;
}

static int open_process(struct env_view *view, const struct env_query *query)
{
	struct la_error err;
	int ret = la_env_process_open(&view->process, (int64_t)query->pid,
				      &err);

	if (ret < 0 && query->pid) {
		print_error("%s", err.text);
		return STATUS_CANNOT_TELL;
	}
	if (ret < 0)
		view->process = NULL;
	if (query->pid) {
		view->source = "process";
		view->env = env_of(la_env_process_info(view->process));
		return STATUS_DONE;
	}
	view->source = "own";
	if (la_env_own(&view->own) < 0)
		return print_no_memory();
	view->env = view->own;
	return STATUS_DONE;
}

static int open_source(struct env_view *view, const struct env_query *query)
{
	int status;

	if (!query->core)
		return open_process(view, query);
	view->source = "core";
	view->file = query->core;
	status = env_core(&view->own, query->core);
	view->env = view->own;
	return status;
}

/* What differs between what a process had and has, or others would get. */
static int compare(struct env_view *view)
{
	const struct la_env_process_info *info;
	struct la_env *fresh;
	int ret = 0;

	if (view->process) {
		info = la_env_process_info(view->process);
		if (view->env == info->current)
			ret = la_env_choice_compare(view->choice,
						    info->initial,
						    LA_SCRIPT_CHANGED,
						    "when the process began");
	}
	if (ret == 0 && view->own && !view->file &&
	    la_env_fresh(&fresh, NULL) == 0) {
		ret = la_env_choice_compare(
			view->choice, fresh, LA_SCRIPT_STALE,
			"in programs that are started afresh");
		la_env_free(fresh);
	}
	return ret;
}

static int check_values(struct env_view *view)
{
	const struct la_env_choice *choice = view->choice;
	struct env_check *check;
	size_t i;

	view->check = calloc(choice->variable_count + 1, sizeof(*check));
	if (!view->check)
		return -1;
	for (i = 0; i < choice->variable_count; i++) {
		check = &view->check[i];
		check->variable = &choice->variable[i];
		if ((check->variable->common || check->variable->device) &&
		    la_setting_check_new(&check->check, check->variable->value,
					 strlen(check->variable->value),
					 &view->context) < 0)
			return -1;
	}
	return 0;
}

/* Variables that look like torch's are sought under their wrong names too. */
static const char **watched(const struct env_view *view)
{
	const struct la_env_choice *choice = view->choice;
	const char **names, *name;
	size_t i, n = 0;

	names = calloc(choice->variable_count + 8, sizeof(*names));
	for (i = 0; names && (name = la_env_setting_name(i)); i++)
		names[n++] = name;
	for (i = 0; names && i < choice->variable_count; i++)
		if (choice->variable[i].role != LA_ENV_SETTING)
			names[n++] = choice->variable[i].name;
	return names;
}

static int find_origins(struct env_view *view, const struct env_query *query)
{
	const struct la_env_process_info *info =
		view->process ? la_env_process_info(view->process) : NULL;
	const char **names = watched(view);
	char folder[4096];
	struct la_env_search search = {
		.env = view->env,
		.process = view->process,
		.files = query->files,
		.watched = names,
		.platform = view->context.platform,
		.macos = platform_is_macos(),
	};
	int ret;

	if (!names)
		return -1;
	search.root = info && *info->root ? info->root : NULL;
	search.home = la_env_value(view->env, "HOME", 0);
	search.folder = query->pid && info ? info->folder :
			getcwd(folder, sizeof(folder));
	ret = la_env_origins_find(&view->origins, &search, NULL);
	free(names);
	return ret;
}

int env_view_open(struct env_view *view, const struct env_query *query)
{
	int status;

	*view = (struct env_view){ 0 };
	status = open_source(view, query);
	if (status == STATUS_DONE)
		status = choose_torch(view, query);
	if (status != STATUS_DONE)
		return status;
	if (la_env_choose(&view->choice, view->env, &view->context) < 0 ||
	    compare(view) < 0 || check_values(view) < 0)
		return print_no_memory();
	if ((query->show_origin || *query->files) &&
	    find_origins(view, query) < 0)
		return print_no_memory();
	return STATUS_DONE;
}

void env_view_close(struct env_view *view)
{
	size_t i;

	for (i = 0; view->check && i < view->choice->variable_count; i++)
		la_setting_check_free(view->check[i].check);
	free(view->check);
	la_env_origins_free(view->origins);
	la_env_choice_free(view->choice);
	la_env_process_free(view->process);
	la_env_free(view->own);
}

const char *env_view_doubt(const struct env_view *view)
{
	const struct la_env_process_info *info;

	if (la_env_unknown(view->env))
		return la_env_unknown(view->env);
	if (!view->process || view->own)
		return NULL;
	info = la_env_process_info(view->process);
	return view->env == info->initial ? la_env_unknown(info->current) :
					    NULL;
}

int env_view_status(const struct env_view *view)
{
	const struct la_env_choice *choice = view->choice;
	size_t i;

	if (la_env_unknown(view->env) ||
	    (env_view_doubt(view) && !choice->common && !choice->device))
		return STATUS_CANNOT_TELL;
	for (i = 0; i < choice->finding_count; i++)
		if (!choice->finding[i].harmless)
			return STATUS_FINDINGS;
	for (i = 0; i < choice->variable_count; i++)
		if (view->check[i].check &&
		    la_setting_check_refusal(view->check[i].check))
			return STATUS_FINDINGS;
	return STATUS_DONE;
}
