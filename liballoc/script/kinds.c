// SPDX-License-Identifier: Apache-2.0
/* One row for each kind: its word, and who reads it. */
#include <errno.h>
#include <string.h>

#include "script/internal.h"
#include "util/util.h"

static const struct la_script_reading readings[LA_SCRIPT_KINDS] = {
	[LA_SCRIPT_BASH] = { "bash", la_script_read_shell },
	[LA_SCRIPT_SH] = { "sh", la_script_read_shell },
	[LA_SCRIPT_BUSYBOX] = { "busybox", la_script_read_shell },
	[LA_SCRIPT_ZSH] = { "zsh", la_script_read_shell },
	[LA_SCRIPT_KSH] = { "ksh", la_script_read_shell },
	[LA_SCRIPT_MKSH] = { "mksh", la_script_read_shell },
	[LA_SCRIPT_FISH] = { "fish", la_script_read_fish },
	[LA_SCRIPT_TCSH] = { "tcsh", la_script_read_tcsh },
	[LA_SCRIPT_CMD] = { "cmd", la_script_read_cmd },
	[LA_SCRIPT_CMD_PROMPT] = { "cmd-prompt", la_script_read_cmd },
	[LA_SCRIPT_POWERSHELL] = { "powershell", la_script_read_powershell },
	[LA_SCRIPT_PYTHON] = { "python", la_script_read_python },
	[LA_SCRIPT_CELL] = { "notebook", la_script_read_cell },
	[LA_SCRIPT_NOTEBOOK] = { "ipynb", la_script_read_notebook },
	[LA_SCRIPT_DOCKERFILE] = { "dockerfile", la_script_read_dockerfile },
	[LA_SCRIPT_COMPOSE] = { "compose", la_script_read_yaml },
	[LA_SCRIPT_K8S] = { "k8s", la_script_read_yaml },
	[LA_SCRIPT_YAML] = { "yaml", la_script_read_yaml },
	[LA_SCRIPT_SYSTEMD] = { "systemd", la_script_read_systemd },
	[LA_SCRIPT_SLURM] = { "slurm", la_script_read_slurm },
	[LA_SCRIPT_DOTENV] = { "dotenv", la_script_read_dotenv },
	[LA_SCRIPT_DOCKER_ENV] = { "docker-env", la_script_read_dotenv },
	[LA_SCRIPT_SYSTEMD_ENV] = { "systemd-env", la_script_read_dotenv },
	[LA_SCRIPT_ENVIRONMENT_D] = { "environment.d", la_script_read_dotenv },
	[LA_SCRIPT_ENVIRONMENT] = { "environment", la_script_read_dotenv },
	[LA_SCRIPT_PAM_ENV] = { "pam_env", la_script_read_pam_env },
	[LA_SCRIPT_CRONTAB] = { "crontab", la_script_read_crontab },
	[LA_SCRIPT_LAUNCH] = { "launch.json", la_script_read_json },
	[LA_SCRIPT_KERNEL] = { "kernel.json", la_script_read_json },
	[LA_SCRIPT_CONDA] = { "conda", la_script_read_json },
	[LA_SCRIPT_MODULE] = { "modulefile", la_script_read_module },
	[LA_SCRIPT_MODULE_LUA] = { "modulefile-lua", la_script_read_module },
};

/* Other words for the same. */
static const struct {
	const char *name;
	enum la_script_kind kind;
} aliases[] = {
	{ "dash", LA_SCRIPT_SH },
	{ "ash", LA_SCRIPT_BUSYBOX },
	{ "ksh93", LA_SCRIPT_KSH },
	{ "csh", LA_SCRIPT_TCSH },
	{ "bat", LA_SCRIPT_CMD },
	{ "batch", LA_SCRIPT_CMD },
	{ "pwsh", LA_SCRIPT_POWERSHELL },
	{ "docker", LA_SCRIPT_DOCKERFILE },
	{ "kubernetes", LA_SCRIPT_K8S },
	{ "sbatch", LA_SCRIPT_SLURM },
	{ "env", LA_SCRIPT_DOTENV },
	{ "cell", LA_SCRIPT_CELL },
};

const struct la_script_reading *la_script_reading(enum la_script_kind kind)
{
	return (size_t)kind < ARRAY_SIZE(readings) ? &readings[kind] : NULL;
}

LA_EXPORT const char *la_script_kind_name(enum la_script_kind kind)
{
	const struct la_script_reading *reading = la_script_reading(kind);

	return reading ? reading->name : NULL;
}

LA_EXPORT const char *la_script_fate_name(enum la_script_fate fate)
{
	static const char *const names[] = {
		[LA_SCRIPT_ARRIVES] = "arrives",
		[LA_SCRIPT_REMOVED] = "removed",
		[LA_SCRIPT_LOST] = "lost",
		[LA_SCRIPT_UNKNOWN] = "unknown",
	};

	return (size_t)fate < ARRAY_SIZE(names) ? names[fate] : NULL;
}

LA_EXPORT int la_script_kind_parse(enum la_script_kind *kind, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(readings); i++) {
		if (strcmp(readings[i].name, name))
			continue;
		*kind = i;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(aliases); i++) {
		if (strcmp(aliases[i].name, name))
			continue;
		*kind = aliases[i].kind;
		return 0;
	}
	return -ENOENT;
}
