// SPDX-License-Identifier: Apache-2.0
/* Startup files of shells, in the order in which each shell reads them. */
#include <string.h>

#include "env/seek.h"
#include "util/util.h"

/* A system whose files are elsewhere, and those of all. */
enum where { ANYWHERE, NOT_MACOS, MACOS };

struct startup {
	const char *pattern;
	enum la_script_kind kind;
	unsigned int modes;
	const char *reader;
	enum where where;
	/* Of files with the same number the first that is there is read. */
	unsigned int first_of;
};

static const struct startup startups[] = {
	{ "/etc/profile", LA_SCRIPT_BASH, LA_ENV_LOGIN,
	  "login shells of bash", ANYWHERE, 0 },
	{ "/etc/profile.d/*.sh", LA_SCRIPT_BASH, LA_ENV_LOGIN,
	  "login shells of bash", NOT_MACOS, 0 },
	{ "/etc/bash.bashrc", LA_SCRIPT_BASH, LA_ENV_INTERACTIVE,
	  "interactive shells of bash", NOT_MACOS, 0 },
	{ "/etc/bashrc", LA_SCRIPT_BASH, LA_ENV_INTERACTIVE,
	  "interactive shells of bash", ANYWHERE, 0 },
	{ "~/.bashrc", LA_SCRIPT_BASH, LA_ENV_INTERACTIVE,
	  "interactive shells of bash, and commands through ssh", ANYWHERE, 0 },
	{ "~/.bash_profile", LA_SCRIPT_BASH, LA_ENV_LOGIN,
	  "login shells of bash", ANYWHERE, 1 },
	{ "~/.bash_login", LA_SCRIPT_BASH, LA_ENV_LOGIN,
	  "login shells of bash", ANYWHERE, 1 },
	{ "~/.profile", LA_SCRIPT_BASH, LA_ENV_LOGIN,
	  "login shells of bash and sh, and desktops", ANYWHERE, 1 },
	{ "$BASH_ENV", LA_SCRIPT_BASH, LA_ENV_BATCH, "scripts of bash",
	  ANYWHERE, 0 },
	{ "$ENV", LA_SCRIPT_SH, LA_ENV_INTERACTIVE, "interactive shells of sh",
	  ANYWHERE, 0 },
	{ "/etc/zsh/zshenv", LA_SCRIPT_ZSH, LA_ENV_ANY, "all shells of zsh",
	  NOT_MACOS, 0 },
	{ "/etc/zshenv", LA_SCRIPT_ZSH, LA_ENV_ANY, "all shells of zsh",
	  ANYWHERE, 0 },
	{ "$ZDOTDIR/.zshenv", LA_SCRIPT_ZSH, LA_ENV_ANY, "all shells of zsh",
	  ANYWHERE, 2 },
	{ "~/.zshenv", LA_SCRIPT_ZSH, LA_ENV_ANY, "all shells of zsh",
	  ANYWHERE, 2 },
	{ "/etc/zsh/zprofile", LA_SCRIPT_ZSH, LA_ENV_LOGIN,
	  "login shells of zsh", NOT_MACOS, 0 },
	{ "/etc/zprofile", LA_SCRIPT_ZSH, LA_ENV_LOGIN, "login shells of zsh",
	  MACOS, 0 },
	{ "$ZDOTDIR/.zprofile", LA_SCRIPT_ZSH, LA_ENV_LOGIN,
	  "login shells of zsh", ANYWHERE, 3 },
	{ "~/.zprofile", LA_SCRIPT_ZSH, LA_ENV_LOGIN, "login shells of zsh",
	  ANYWHERE, 3 },
	{ "/etc/zsh/zshrc", LA_SCRIPT_ZSH, LA_ENV_INTERACTIVE,
	  "interactive shells of zsh", NOT_MACOS, 0 },
	{ "/etc/zshrc", LA_SCRIPT_ZSH, LA_ENV_INTERACTIVE,
	  "interactive shells of zsh", ANYWHERE, 0 },
	{ "$ZDOTDIR/.zshrc", LA_SCRIPT_ZSH, LA_ENV_INTERACTIVE,
	  "interactive shells of zsh", ANYWHERE, 4 },
	{ "~/.zshrc", LA_SCRIPT_ZSH, LA_ENV_INTERACTIVE,
	  "interactive shells of zsh", ANYWHERE, 4 },
	{ "$ZDOTDIR/.zlogin", LA_SCRIPT_ZSH, LA_ENV_LOGIN,
	  "login shells of zsh", ANYWHERE, 5 },
	{ "~/.zlogin", LA_SCRIPT_ZSH, LA_ENV_LOGIN, "login shells of zsh",
	  ANYWHERE, 5 },
	{ "/etc/fish/conf.d/*.fish", LA_SCRIPT_FISH, LA_ENV_ANY,
	  "all shells of fish", ANYWHERE, 0 },
	{ "/etc/fish/config.fish", LA_SCRIPT_FISH, LA_ENV_ANY,
	  "all shells of fish", ANYWHERE, 0 },
	{ "~/.config/fish/conf.d/*.fish", LA_SCRIPT_FISH, LA_ENV_ANY,
	  "all shells of fish", ANYWHERE, 0 },
	{ "~/.config/fish/config.fish", LA_SCRIPT_FISH, LA_ENV_ANY,
	  "all shells of fish", ANYWHERE, 0 },
	{ "/etc/csh.cshrc", LA_SCRIPT_TCSH, LA_ENV_ANY, "all shells of tcsh",
	  ANYWHERE, 0 },
	{ "/etc/csh.login", LA_SCRIPT_TCSH, LA_ENV_LOGIN,
	  "login shells of tcsh", ANYWHERE, 0 },
	{ "~/.tcshrc", LA_SCRIPT_TCSH, LA_ENV_ANY, "all shells of tcsh",
	  ANYWHERE, 6 },
	{ "~/.cshrc", LA_SCRIPT_TCSH, LA_ENV_ANY, "all shells of tcsh",
	  ANYWHERE, 6 },
	{ "~/.login", LA_SCRIPT_TCSH, LA_ENV_LOGIN, "login shells of tcsh",
	  ANYWHERE, 0 },
	{ "~/.kshrc", LA_SCRIPT_KSH, LA_ENV_INTERACTIVE,
	  "interactive shells of ksh", ANYWHERE, 0 },
	{ "~/.mkshrc", LA_SCRIPT_MKSH, LA_ENV_INTERACTIVE,
	  "interactive shells of mksh", ANYWHERE, 0 },
};

bool la_env_is_startup(const char *pattern)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(startups); i++)
		if (!strcmp(startups[i].pattern, pattern))
			return true;
	return false;
}

static bool is_here(const struct la_env_seeker *s, enum where where)
{
	return where == ANYWHERE || (where == MACOS) == s->search->macos;
}

/* Every sh and ksh reads the profiles when it is a login shell. */
static enum la_env_part part_of(const struct la_env_seeker *s,
				const struct startup *startup)
{
	enum la_env_part part = la_env_shell_part(&s->way, startup->kind,
						  startup->modes);

	if (startup->kind != LA_SCRIPT_BASH || startup->modes != LA_ENV_LOGIN ||
	    part == LA_ENV_TAKES_PART)
		return part;
	return la_env_shell_part(&s->way, LA_SCRIPT_SH, startup->modes);
}

void la_env_seek_shells(const struct la_env_seeker *s)
{
	const struct startup *startup;
	unsigned int found = 0; /* number of the last group that was */
	struct la_env_place place;

	for (startup = startups; startup < startups + ARRAY_SIZE(startups);
	     startup++) {
		if (!is_here(s, startup->where))
			continue;
		place = (struct la_env_place){
			.kind = startup->kind,
			.scope = *startup->pattern == '/' ? LA_ENV_SYSTEM :
							    LA_ENV_USER,
			.part = part_of(s, startup),
			.reader = startup->reader,
		};
		if (startup->first_of && startup->first_of == found) {
			place.part = LA_ENV_NO_PART;
			place.reader = "no shell: another file comes before it";
		}
		if (!la_env_seek_files(s, startup->pattern, &place))
			continue;
		found = startup->first_of;
		la_env_seek_included(s, startup->pattern, &place);
	}
}
