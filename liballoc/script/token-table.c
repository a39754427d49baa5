// SPDX-License-Identifier: Apache-2.0
/* What each shell has. */
#include <string.h>

#include "script/token.h"

static const char *const ash[] = { "export", "readonly", "unset", "set",
				   "read",   "eval",	 "local", NULL };
static const char *const bash[] = { "export", "readonly", "unset",   "set",
				    "read",   "eval",	  "declare", "typeset",
				    "local",  "builtin",  NULL };
static const char *const zsh[] = { "export", "readonly", "unset",   "set",
				   "read",   "eval",	 "declare", "typeset",
				   "local",  "builtin",	 NULL };
static const char *const ksh[] = { "export", "readonly", "unset",   "set",
				   "read",   "eval",	 "typeset", NULL };
static const char *const mksh[] = { "export", "readonly", "unset",   "set",
				    "read",   "eval",	  "typeset", "local",
				    "global", "builtin",  NULL };
static const char *const fish[] = { "set",  "export", "setenv",
				    "read", "eval",   NULL };
static const char *const tcsh[] = { "set",  "setenv", "unsetenv",
				    "eval", "unset",  NULL };

enum {
	MODERN = SHELL_BRACES | SHELL_DOLLAR_SINGLE | SHELL_SUBSTITUTE |
		 SHELL_APPEND | SHELL_DOUBLE_BRACKET | SHELL_FUNCTION_WORD |
		 SHELL_AND_REDIRECT | SHELL_HERE_STRING | SHELL_PROCESS |
		 SHELL_ARRAYS | SHELL_ARITHMETIC
};

#define POSIX_ENDS " \t\n;|&<>()"
#define POSIX_ESCAPED "$`\"\\\n"

static const struct shell_table tables[LA_SCRIPT_TCSH + 1] = {
	[LA_SCRIPT_BASH] = { "bash",
			     MODERN | SHELL_SPLITS | SHELL_DOLLAR_BRACKET |
				     SHELL_TILDE_ARGUMENT |
				     SHELL_EXPORT_BRACES |
				     SHELL_EXPORT_APPEND | SHELL_LOCAL_EXPORTS |
				     SHELL_FUNCTION_PREFIX,
			     POSIX_ENDS, POSIX_ESCAPED, bash },
	[LA_SCRIPT_SH] = { "sh",
			   SHELL_SPLITS | SHELL_ERRORS_END |
				   SHELL_PREFIX_STAYS | SHELL_ECHO_ESCAPES |
				   SHELL_LOCAL_EXPORTS | SHELL_FUNCTION_PREFIX,
			   POSIX_ENDS, POSIX_ESCAPED, ash },
	[LA_SCRIPT_BUSYBOX] = { "busybox sh",
				SHELL_SPLITS | SHELL_ERRORS_END |
					SHELL_PREFIX_STAYS |
					SHELL_DOLLAR_SINGLE | SHELL_SUBSTITUTE |
					SHELL_DOUBLE_BRACKET |
					SHELL_FUNCTION_WORD |
					SHELL_AND_REDIRECT |
					SHELL_LOCAL_EXPORTS |
					SHELL_FUNCTION_PREFIX,
				POSIX_ENDS, POSIX_ESCAPED, ash },
	[LA_SCRIPT_ZSH] = { "zsh",
			    MODERN | SHELL_NO_MATCH_FAILS | SHELL_LAST_STAYS |
				    SHELL_MODIFIERS | SHELL_ERRORS_END |
				    SHELL_DOLLAR_BRACKET | SHELL_ECHO_ESCAPES |
				    SHELL_FUNCTION_PREFIX,
			    POSIX_ENDS, POSIX_ESCAPED, zsh },
	[LA_SCRIPT_KSH] = { "ksh",
			    MODERN | SHELL_SPLITS | SHELL_LAST_STAYS |
				    SHELL_ERRORS_END | SHELL_PREFIX_STAYS,
			    POSIX_ENDS, POSIX_ESCAPED, ksh },
	[LA_SCRIPT_MKSH] = { "mksh",
			     MODERN | SHELL_SPLITS | SHELL_ERRORS_END |
				     SHELL_PREFIX_STAYS | SHELL_TILDE_ARGUMENT |
				     SHELL_EXPORT_APPEND | SHELL_ECHO_ESCAPES |
				     SHELL_FUNCTION_PREFIX,
			     POSIX_ENDS, POSIX_ESCAPED, mksh },
	[LA_SCRIPT_FISH] = { "fish",
			     SHELL_BRACES | SHELL_LAST_STAYS | SHELL_FISH |
				     SHELL_NO_MATCH_FAILS |
				     SHELL_AND_REDIRECT | SHELL_LOCAL_EXPORTS |
				     SHELL_FUNCTION_PREFIX,
			     " \t\n;|<>&)", "$\"\\\n", fish },
	[LA_SCRIPT_TCSH] = { "tcsh",
			     SHELL_BRACES | SHELL_NO_MATCH_FAILS |
				     SHELL_LAST_STAYS | SHELL_TCSH |
				     SHELL_SPLITS | SHELL_ERRORS_END,
			     " \t\n;|&<>()", "\n", tcsh },
};

const struct shell_table *la_shell_table(enum la_script_kind kind)
{
	return &tables[kind <= LA_SCRIPT_TCSH ? kind : LA_SCRIPT_SH];
}

bool la_shell_has_command(const struct shell_table *table, const char *name)
{
	const char *const *c;

	for (c = table->commands; *c; c++)
		if (la_is_word(*c, name))
			return true;
	return false;
}
