/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that start another program with an environment of its own: env,
 * sudo, ssh, srun, docker run, mpirun -x and the like.  A shell's reader hands
 * over the words of a simple command after its expansions.
 */
#ifndef LA_SCRIPT_LAUNCHER_H
#define LA_SCRIPT_LAUNCHER_H

#include "script/internal.h"

/* One word of a command, as the shell passes it on. */
struct la_script_word {
	const char *text; /* terminated; NULL: only running it could tell */
	size_t start, end; /* bytes of the part that it was made of */
};

/* A variable as the command gets it from the shell. */
struct la_script_given {
	const char *name;
	const char *value; /* NULL: set, to what only running it could tell */
	size_t assignment; /* where it was set, or LA_SCRIPT_WHOLE */
};

struct la_script_command {
	const struct la_script_word *word;
	size_t count;
	const struct la_script_given *given; /* of the variables watched */
	size_t given_count;
	/* APPTAINERENV_V and SINGULARITYENV_V of each V that is watched. */
	const struct la_script_given *prefixed;
	size_t prefixed_count;
};

/*
 * Note what the command's own arguments set (env V=x prog, docker run -e V=x),
 * and what it keeps from the program that it starts (sudo, env -i).  Returns
 * true if words[0] is a launcher that was understood.
 */
bool la_script_launch(struct la_script *script,
		      const struct la_script_part *part,
		      const struct la_script_command *command);

#endif /* LA_SCRIPT_LAUNCHER_H */
