// SPDX-License-Identifier: Apache-2.0
/* Places of a POSIX system, in the order in which they act. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "env/seek.h"
#include "util/util.h"

/* Who decides whether a place has a part. */
enum judge {
	BY_PAM, /* logins, su, cron; not services */
	BY_USER_MANAGER, /* services of users and their sessions */
	BY_SYSTEM_MANAGER, /* services of the system */
	BY_CRON, /* jobs of cron */
	BY_KERNEL, /* kernels of Jupyter */
	BY_PROGRAM /* who asks for it: cannot be told */
};

struct row {
	const char *pattern;
	enum la_script_kind kind;
	enum la_env_scope scope;
	enum judge judge;
	const char *reader;
};

/* Before shells start. */
static const struct row before[] = {
	{ "/etc/systemd/system.conf", LA_SCRIPT_SYSTEMD, LA_ENV_SYSTEM,
	  BY_SYSTEM_MANAGER, "all services of systemd" },
	{ "/etc/systemd/system.conf.d/*.conf", LA_SCRIPT_SYSTEMD,
	  LA_ENV_SYSTEM, BY_SYSTEM_MANAGER, "all services of systemd" },
	{ "/usr/lib/environment.d/*.conf", LA_SCRIPT_ENVIRONMENT_D,
	  LA_ENV_SYSTEM, BY_USER_MANAGER, "systemd of each user" },
	{ "/etc/environment.d/*.conf", LA_SCRIPT_ENVIRONMENT_D, LA_ENV_SYSTEM,
	  BY_USER_MANAGER, "systemd of each user" },
	{ "~/.config/environment.d/*.conf", LA_SCRIPT_ENVIRONMENT_D,
	  LA_ENV_USER, BY_USER_MANAGER, "systemd of the user" },
	{ "/etc/environment", LA_SCRIPT_ENVIRONMENT, LA_ENV_SYSTEM, BY_PAM,
	  "logins, su and cron through pam_env" },
	{ "/etc/security/pam_env.conf", LA_SCRIPT_PAM_ENV, LA_ENV_SYSTEM,
	  BY_PAM, "logins, su and cron through pam_env" },
	{ "~/.pam_environment", LA_SCRIPT_PAM_ENV, LA_ENV_USER, BY_PROGRAM,
	  "pam_env where user_readenv is on" },
	{ "~/.ssh/environment", LA_SCRIPT_ENVIRONMENT, LA_ENV_USER, BY_PROGRAM,
	  "sshd where PermitUserEnvironment is on" },
	{ "/etc/crontab", LA_SCRIPT_CRONTAB, LA_ENV_SYSTEM, BY_CRON,
	  "jobs of cron" },
	{ "/etc/cron.d/*", LA_SCRIPT_CRONTAB, LA_ENV_SYSTEM, BY_CRON,
	  "jobs of cron" },
	{ "/var/spool/cron/crontabs/$USER", LA_SCRIPT_CRONTAB, LA_ENV_USER,
	  BY_CRON, "jobs of cron" },
};

/* After them. */
static const struct row after[] = {
	{ "$CONDA_PREFIX/conda-meta/state", LA_SCRIPT_CONDA, LA_ENV_PROJECT,
	  BY_PROGRAM, "conda activate" },
	{ "$CONDA_PREFIX/etc/conda/activate.d/*.sh", LA_SCRIPT_BASH,
	  LA_ENV_PROJECT, BY_PROGRAM, "conda activate" },
	{ "$CONDA_PREFIX/etc/conda/activate.d/*.fish", LA_SCRIPT_FISH,
	  LA_ENV_PROJECT, BY_PROGRAM, "conda activate in fish" },
	{ "$VIRTUAL_ENV/bin/activate", LA_SCRIPT_BASH, LA_ENV_PROJECT,
	  BY_PROGRAM, "activation of the virtual environment" },
	{ "/usr/share/jupyter/kernels/*/kernel.json", LA_SCRIPT_KERNEL,
	  LA_ENV_SYSTEM, BY_KERNEL, "kernels of Jupyter" },
	{ "/usr/local/share/jupyter/kernels/*/kernel.json", LA_SCRIPT_KERNEL,
	  LA_ENV_SYSTEM, BY_KERNEL, "kernels of Jupyter" },
	{ "$CONDA_PREFIX/share/jupyter/kernels/*/kernel.json",
	  LA_SCRIPT_KERNEL, LA_ENV_PROJECT, BY_KERNEL, "kernels of Jupyter" },
	{ "$VIRTUAL_ENV/share/jupyter/kernels/*/kernel.json",
	  LA_SCRIPT_KERNEL, LA_ENV_PROJECT, BY_KERNEL, "kernels of Jupyter" },
	{ "~/.local/share/jupyter/kernels/*/kernel.json", LA_SCRIPT_KERNEL,
	  LA_ENV_USER, BY_KERNEL, "kernels of Jupyter" },
	{ "~/Library/Jupyter/kernels/*/kernel.json", LA_SCRIPT_KERNEL,
	  LA_ENV_USER, BY_KERNEL, "kernels of Jupyter" },
	{ "~/.deepspeed_env", LA_SCRIPT_DOTENV, LA_ENV_USER, BY_PROGRAM,
	  "deepspeed on other nodes" },
	{ "./.deepspeed_env", LA_SCRIPT_DOTENV, LA_ENV_PROJECT, BY_PROGRAM,
	  "deepspeed on other nodes" },
	{ "./.vscode/launch.json", LA_SCRIPT_LAUNCH, LA_ENV_PROJECT, BY_PROGRAM,
	  "Visual Studio Code" },
	{ "./.env", LA_SCRIPT_DOTENV, LA_ENV_PROJECT, BY_PROGRAM,
	  "programs that load it" },
	{ "./.envrc", LA_SCRIPT_BASH, LA_ENV_PROJECT, BY_PROGRAM, "direnv" },
};

static enum la_env_part when(bool takes, bool excluded)
{
	return takes ? LA_ENV_TAKES_PART :
		       excluded ? LA_ENV_NO_PART : LA_ENV_MAY_TAKE_PART;
}

static enum la_env_part judge(const struct la_env_way *way, enum judge judge)
{
	if (!way->known)
		return LA_ENV_MAY_TAKE_PART;
	switch (judge) {
	case BY_PAM:
	case BY_USER_MANAGER:
		return when(false, way->service);
	case BY_SYSTEM_MANAGER:
		return when(way->service, false);
	case BY_CRON:
		return when(way->cron, true);
	case BY_KERNEL:
		return when(way->kernel, true);
	case BY_PROGRAM:
		break;
	}
	return LA_ENV_MAY_TAKE_PART;
}

/* The value of the variable that a component of a pattern names. */
static const char *named(const struct la_env_seeker *s, const char *name,
			 size_t length)
{
	char text[64];

	if (!s->search->env || length >= sizeof(text))
		return NULL;
	memcpy(text, name, length);
	text[length] = '\0';
	return la_env_value(s->search->env, text, 0);
}

bool la_env_seek_path(const struct la_env_seeker *s, const char *pattern,
		      struct la_strbuf *out)
{
	const char *start = "", *sign = strchr(pattern, '$');
	size_t n;

	if (sign) {
		la_strbuf_add(out, pattern, (size_t)(sign - pattern));
		n = strcspn(sign + 1, "/");
		start = named(s, sign + 1, n);
		pattern = sign + 1 + n;
	} else if (*pattern == '~') {
		start = s->search->home;
		pattern++;
	} else if (*pattern == '.') {
		start = s->search->folder;
		pattern++;
	}
	if (!start || (!*start && (sign || *pattern != '/')))
		return false;
	la_strbuf_addstr(out, start);
	la_strbuf_addstr(out, pattern);
	return !out->failed;
}

/* Names of paths hold no pattern of their own up to the part that has one. */
static size_t read_matches(const struct la_env_seeker *s, const char *path,
			   const struct la_env_place *place)
{
	const char *root = s->search->root ? s->search->root : "";
	struct la_strbuf full = { 0 };
	size_t i, count = 0;
	glob_t files = { 0 };

	la_strbuf_addf(&full, "%s%s", root, path);
	if (!full.failed && !glob(full.data, 0, NULL, &files))
		for (i = 0; i < files.gl_pathc; i++)
			count += la_env_find_in(s->finder,
						files.gl_pathv[i] +
							strlen(root),
						place);
	globfree(&files);
	la_strbuf_release(&full);
	return count;
}

size_t la_env_seek_files(const struct la_env_seeker *s, const char *pattern,
			 const struct la_env_place *place)
{
	struct la_strbuf path = { 0 };
	size_t count = 0;

	if (la_env_seek_path(s, pattern, &path))
		count = strchr(pattern, '*') ?
				read_matches(s, path.data, place) :
				la_env_find_in(s->finder, path.data, place);
	la_strbuf_release(&path);
	return count;
}

static void seek_rows(const struct la_env_seeker *s, const struct row *row,
		      size_t count)
{
	struct la_env_place place;
	size_t i;

	for (i = 0; i < count; i++) {
		place = (struct la_env_place){
			.kind = row[i].kind,
			.scope = row[i].scope,
			.part = judge(&s->way, row[i].judge),
			.reader = row[i].reader,
		};
		la_env_seek_files(s, row[i].pattern, &place);
	}
}

void la_env_seek(struct la_env_finder *f)
{
	struct la_env_seeker s = {
		.finder = f,
		.search = la_env_finder_search(f),
	};

	la_env_way_of(&s.way, s.search->process);
	seek_rows(&s, before, ARRAY_SIZE(before));
	la_env_seek_sshd(&s);
	la_env_seek_unit(&s);
	la_env_seek_shells(&s);
	seek_rows(&s, after, ARRAY_SIZE(after));
	la_env_seek_parents(&s);
}
