// SPDX-License-Identifier: Apache-2.0
/* allocctl set: one row for each reader of a line. */
#include <string.h>

#include "set.h"
#include "util/util.h"

#define SHELL_WHERE "at the prompt, or in a startup file (--persist user)"
#define SHELL_RESTART                                                 \
	"programs that run already keep what they have; shells read " \
	"startup files when they start"
#define FILE_RESTART "what reads the file has to be started anew"

static const struct set_target targets[] = {
	{ "bash", LA_SCRIPT_BASH, NULL, NULL, "~/.bashrc",
	  "/etc/profile.d/allocctl.sh", "#", NULL, SHELL_WHERE, SHELL_RESTART,
	  "--shell bash --interactive" },
	{ "zsh", LA_SCRIPT_ZSH, NULL, NULL, "~/.zshrc", "/etc/zsh/zshrc", "#",
	  NULL, SHELL_WHERE, SHELL_RESTART, "--shell zsh --interactive" },
	{ "sh", LA_SCRIPT_SH, NULL, NULL, "~/.profile",
	  "/etc/profile.d/allocctl.sh", "#", NULL, SHELL_WHERE,
	  "log in anew: ~/.profile is read by login shells alone",
	  "--shell dash --login" },
	{ "ksh", LA_SCRIPT_KSH, NULL, NULL, "~/.kshrc", "/etc/ksh.kshrc", "#",
	  NULL, SHELL_WHERE, SHELL_RESTART, "--shell ksh --interactive" },
	{ "mksh", LA_SCRIPT_MKSH, NULL, NULL, "~/.mkshrc", NULL, "#", NULL,
	  SHELL_WHERE, SHELL_RESTART, "--shell mksh --interactive" },
	{ "fish", LA_SCRIPT_FISH, NULL, NULL,
	  "~/.config/fish/conf.d/allocctl.fish",
	  "/etc/fish/conf.d/allocctl.fish", "#", NULL, SHELL_WHERE,
	  SHELL_RESTART, "--shell fish --script" },
	{ "tcsh", LA_SCRIPT_TCSH, NULL, NULL, "~/.tcshrc", "/etc/csh.cshrc",
	  "#", NULL, SHELL_WHERE, SHELL_RESTART, "--shell tcsh --script" },
	{ "cmd", LA_SCRIPT_CMD_PROMPT, NULL, NULL, NULL, NULL, NULL, NULL,
	  "at the prompt; with --persist in the registry",
	  "consoles, editors and services that run already keep what they "
	  "have",
	  NULL },
	{ "batch", LA_SCRIPT_CMD, NULL, NULL, NULL, NULL, "rem", NULL,
	  "in the .bat or .cmd file, before the line that starts the program",
	  FILE_RESTART, NULL },
	{ "powershell", LA_SCRIPT_POWERSHELL, NULL, NULL,
	  "~/.config/powershell/profile.ps1", NULL, "#", NULL,
	  "at the prompt, or in $PROFILE",
	  "programs that run already keep what they have",
	  "--shell powershell --script" },
	{ "dockerfile", LA_SCRIPT_DOCKERFILE, NULL, NULL, NULL, NULL, "#", NULL,
	  "in the last stage of the Dockerfile",
	  "build the image and create the container anew", NULL },
	{ "docker", LA_SCRIPT_BASH, "docker run -e ", " IMAGE", NULL, NULL,
	  NULL, NULL, "at the prompt",
	  "a container keeps what it was created with", NULL },
	{ "docker-env", LA_SCRIPT_DOCKER_ENV, NULL, NULL, NULL, NULL, "#", NULL,
	  "in the file of docker run --env-file", "create the container anew",
	  NULL },
	{ "compose", LA_SCRIPT_COMPOSE, NULL, NULL, NULL, NULL, NULL, NULL,
	  "under environment: of the service", "docker compose up -d", NULL },
	{ "k8s", LA_SCRIPT_K8S, NULL, NULL, NULL, NULL, NULL, NULL,
	  "under env: of the container", "kubectl apply -f the manifest",
	  NULL },
	{ "systemd", LA_SCRIPT_SYSTEMD, NULL, NULL, NULL, NULL, "#",
	  "[Service]",
	  "in [Service] of a drop-in: systemctl edit UNIT; an "
	  "EnvironmentFile= that sets it too wins",
	  "systemctl daemon-reload, then systemctl restart UNIT", NULL },
	{ "environment.d", LA_SCRIPT_ENVIRONMENT_D, NULL, NULL,
	  "~/.config/environment.d/allocctl.conf",
	  "/etc/environment.d/allocctl.conf", "#", NULL,
	  "in a file of environment.d, for programs of the desktop",
	  "log out and in again", NULL },
	{ "environment", LA_SCRIPT_ENVIRONMENT, NULL, NULL, NULL,
	  "/etc/environment", "#", NULL, "in /etc/environment",
	  "log in anew; services of the system do not read it", NULL },
	{ "slurm", LA_SCRIPT_SLURM, NULL, NULL, NULL, NULL, "#", NULL,
	  "in the batch script, before the first srun; --export= would cut "
	  "it at the first comma",
	  "submit the job anew", NULL },
	{ "conda", LA_SCRIPT_BASH, "conda env config vars set ", "", NULL, NULL,
	  NULL, NULL, "at the prompt, in the environment that is meant",
	  "conda deactivate, then conda activate: programs that are started "
	  "by path do not get it",
	  NULL },
	{ "sudo", LA_SCRIPT_BASH, "sudo ", " python train.py", NULL, NULL, NULL,
	  NULL, "at the prompt: sudo keeps no variable of yours", "nothing",
	  NULL },
	{ "launchctl", LA_SCRIPT_BASH, "launchctl setenv ", "", NULL, NULL,
	  NULL, NULL,
	  "at the prompt of macOS, where torch has no CUDA and does not read "
	  "it",
	  "programs of the desktop", NULL },
	{ "python", LA_SCRIPT_PYTHON, NULL, NULL, NULL, NULL, NULL, NULL,
	  "at the top of the program, before import torch",
	  "the program; a notebook's kernel", NULL },
	{ "notebook", LA_SCRIPT_CELL, NULL, NULL, NULL, NULL, NULL, NULL,
	  "in the first cell, before import torch", "restart the kernel",
	  NULL },
	{ "dotenv", LA_SCRIPT_DOTENV, NULL, NULL, NULL, NULL, "#", NULL,
	  "in .env", FILE_RESTART, NULL },
	{ "crontab", LA_SCRIPT_CRONTAB, NULL, NULL, NULL, NULL, NULL, NULL,
	  "in crontab -e, above the line of the job", "nothing", NULL },
	{ "launch.json", LA_SCRIPT_LAUNCH, NULL, NULL, NULL, NULL, NULL, NULL,
	  "under \"env\" of the configuration", "start debugging anew", NULL },
	{ "kernel.json", LA_SCRIPT_KERNEL, NULL, NULL, NULL, NULL, NULL, NULL,
	  "under \"env\" of the kernel", "restart the kernel", NULL },
	{ "modulefile", LA_SCRIPT_MODULE, NULL, NULL, NULL, NULL, "#", NULL,
	  "in the modulefile", "module load anew", NULL },
	{ "modulefile-lua", LA_SCRIPT_MODULE_LUA, NULL, NULL, NULL, NULL, "--",
	  NULL, "in the modulefile", "module load anew", NULL },
};

static const struct {
	const char *name, *target;
} aliases[] = {
	{ "dash", "sh" },	 { "csh", "tcsh" },
	{ "bat", "batch" },	 { "pwsh", "powershell" },
	{ "kubernetes", "k8s" }, { "sbatch", "slurm" },
	{ "env", "dotenv" },	 { "profile", "sh" },
	{ "busybox", "sh" },
};

const struct set_target *set_target_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		if (!strcmp(targets[i].name, name))
			return &targets[i];
	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(aliases[i].name, name))
			return set_target_find(aliases[i].target);
	return NULL;
}

const struct set_target *set_target_of_kind(enum la_script_kind kind)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		if (targets[i].kind == kind && !targets[i].before)
			return &targets[i];
	return NULL;
}

char *set_target_wrap(const struct set_target *target, const char *line)
{
	struct la_strbuf whole = { 0 };

	la_strbuf_addf(&whole, "%s%s%s", target->before,
		       line + strlen("export "), target->after);
	return whole.data;
}

void set_target_names(struct la_strbuf *names)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		la_strbuf_addf(names, "%s%s", i ? " " : "", targets[i].name);
}
