// SPDX-License-Identifier: Apache-2.0
/*
 * SPANK plug-in: srun, sbatch and salloc --alloc-conf=SETTING give each task
 * PYTORCH_CUDA_ALLOC_CONF, commas and all.  A setting that no release of torch
 * takes, or that breaks the site's policy, is refused where it is typed.
 * liballoc is loaded then; where it is missing nothing is refused, and in jobs
 * it is not used at all.
 */
#include <dlfcn.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <slurm/spank.h>

#include <liballoc/setting.h>

SPANK_PLUGIN(liballoc, 1);

enum { SETTING_BYTES = 4096 };

static const char variable[] = "PYTORCH_CUDA_ALLOC_CONF";
static const char newer[] = "PYTORCH_ALLOC_CONF";

static const char *library = "liballoc.so.0"; /* argument library=PATH */
static char setting[SETTING_BYTES];
static bool is_given;

/* What is used of the library; all of it or nothing. */
struct functions {
	void *handle;
	__typeof__(&la_release_at) release_at;
	__typeof__(&la_setting_check_new) check_new;
	__typeof__(&la_setting_check_refusal) refusal;
	__typeof__(&la_setting_check_free) check_free;
	__typeof__(&la_policy_read) policy_read;
	__typeof__(&la_policy_check) policy_check;
	__typeof__(&la_policy_violations) violations;
	__typeof__(&la_policy_result_free) result_free;
	__typeof__(&la_policy_free) policy_free;
};

static bool take(const struct functions *la, const char *name, void *out)
{
	void *symbol = dlsym(la->handle, name);

	memcpy(out, &symbol, sizeof(symbol));
	return symbol;
}

static bool load(struct functions *la)
{
	la->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	return la->handle && take(la, "la_release_at", &la->release_at) &&
	       take(la, "la_setting_check_new", &la->check_new) &&
	       take(la, "la_setting_check_refusal", &la->refusal) &&
	       take(la, "la_setting_check_free", &la->check_free) &&
	       take(la, "la_policy_read", &la->policy_read) &&
	       take(la, "la_policy_check", &la->policy_check) &&
	       take(la, "la_policy_violations", &la->violations) &&
	       take(la, "la_policy_result_free", &la->result_free) &&
	       take(la, "la_policy_free", &la->policy_free);
}

/* Does a release of torch refuse it?  Then why is filled. */
static bool is_refused(const struct functions *la,
		       const struct la_setting_context *context, char why[512])
{
	const struct la_setting_refusal *refusal;
	struct la_setting_check *check;

	if (la->check_new(&check, setting, strlen(setting), context) < 0)
		return false;
	refusal = la->refusal(check);
	if (refusal)
		snprintf(why, 512, "torch refuses it: %s", refusal->text);
	la->check_free(check);
	return refusal;
}

static bool is_forbidden(const struct functions *la,
			 const struct la_policy *policy,
			 const struct la_setting_context *context,
			 char why[512])
{
	const struct passwd *user = getpwuid(getuid());
	const struct la_policy_subject subject = {
		.variable = variable,
		.user = user ? user->pw_name : NULL,
	};
	const struct la_policy_violation *violation;
	struct la_policy_result *result;
	size_t count;

	if (la->policy_check(&result, policy, setting, strlen(setting), context,
			     &subject) < 0)
		return false;
	violation = la->violations(result, &count);
	if (count)
		snprintf(why, 512, "the site's policy: %s", violation->text);
	la->result_free(result);
	return count;
}

/* For every release that is known; which one the job has is not. */
static bool is_wrong(const struct functions *la, const struct la_policy *policy,
		     char why[512])
{
	struct la_setting_context context = { .build = LA_BUILD_CUDA };
	const struct la_release *release;
	size_t i;

	for (i = 0; (release = la->release_at(i)); i++) {
		context.release = release->number;
		if (policy ? !is_forbidden(la, policy, &context, why) :
			     !is_refused(la, &context, why))
			return false;
	}
	return i;
}

/* 0, or -1 after a message. */
static int judge(void)
{
	struct functions la = { 0 };
	struct la_policy *policy = NULL;
	char why[512] = "";
	int code = 0;

	if (!load(&la)) {
		slurm_info("--alloc-conf is not checked: liballoc is not here");
	} else {
		if (!access(LA_POLICY_PATH, R_OK) &&
		    la.policy_read(&policy, LA_POLICY_PATH, NULL) < 0)
			slurm_info("the policy " LA_POLICY_PATH
				   " cannot be read");
		if (is_wrong(&la, policy, why))
			code = -1;
		la.policy_free(policy);
	}
	if (code)
		slurm_error("--alloc-conf='%s': %s", setting, why);
	if (la.handle)
		dlclose(la.handle);
	return code;
}

static int take_option(int value, const char *text, int remote)
{
	(void)value;
	if (!text || strlen(text) >= sizeof(setting)) {
		slurm_error("--alloc-conf wants a setting of at most %d bytes",
			    SETTING_BYTES - 1);
		return -1;
	}
	strcpy(setting, text);
	is_given = true;
	return remote ? 0 : judge();
}

int slurm_spank_init(spank_t spank, int count, char **arguments)
{
	/* A table would be for srun alone. */
	static struct spank_option option = {
		.name = "alloc-conf",
		.arginfo = "SETTING",
		.usage = "PYTORCH_CUDA_ALLOC_CONF of each task, checked by "
			 "liballoc",
		.has_arg = 1,
		.cb = take_option,
	};
	int i;

	for (i = 0; i < count; i++) {
		if (!strncmp(arguments[i], "library=", 8))
			library = arguments[i] + 8;
		else
			slurm_error("liballoc: unknown argument '%s'",
				    arguments[i]);
	}
	if (spank_context() != S_CTX_SLURMD &&
	    spank_option_register(spank, &option) != ESPANK_SUCCESS)
		slurm_error("liballoc: there is no --alloc-conf");
	return 0;
}

/* The newer name goes first in torch, where it is set. */
int slurm_spank_task_init(spank_t spank, int count, char **arguments)
{
	char value[SETTING_BYTES];

	(void)count;
	(void)arguments;
	if (!is_given)
		return 0;
	spank_setenv(spank, variable, setting, 1);
	if (spank_getenv(spank, newer, value, sizeof(value)) !=
	    ESPANK_ENV_NOEXIST)
		spank_setenv(spank, newer, setting, 1);
	return 0;
}
