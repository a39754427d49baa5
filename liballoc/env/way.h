/* SPDX-License-Identifier: Apache-2.0 */
/* By which shells and services a process was started. */
#ifndef LA_ENV_WAY_H
#define LA_ENV_WAY_H

#include "env/internal.h"

/* Modes of a shell, each a bit: files are read in some of them. */
enum la_env_mode {
	LA_ENV_LOGIN = 1,
	LA_ENV_INTERACTIVE = 2,
	LA_ENV_BATCH = 4, /* a script, or -c */
	LA_ENV_ANY = 7
};

/* What a command line says of a shell; mode is 0 if it is none. */
struct la_env_shell {
	enum la_script_kind kind;
	unsigned int mode;
	bool no_files; /* told to read none */
};

struct la_env_shell la_env_shell_of(const char *arguments);

enum { LA_ENV_WAY_MAX = 64 };

/* A process and its ancestors, the process first. */
struct la_env_way {
	bool known; /* false: there is no process to ask */
	bool service; /* a unit of the system's manager started it */
	struct la_env_shell shell[LA_ENV_WAY_MAX];
	size_t shell_count;
	/* Programs that read files of their own, seen among them. */
	bool cron, kernel, sshd;
};

void la_env_way_of(struct la_env_way *way,
		   const struct la_env_process *process);

/* Whether a file that shells of a kind read in some modes has a part. */
enum la_env_part la_env_shell_part(const struct la_env_way *way,
				   enum la_script_kind kind,
				   unsigned int modes);

#endif /* LA_ENV_WAY_H */
