/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Dockerfile: dockerfile-line.c finds instructions, dockerfile-env.c takes
 * ENV and ARG, dockerfile-run.c what is run, dockerfile.c the stages.
 */
#ifndef LA_SCRIPT_DOCKERFILE_H
#define LA_SCRIPT_DOCKERFILE_H

#include "script/place.h"

/* Stages that are kept apart; those beyond count as the last of them. */
enum { LA_DOCKER_STAGES = 64, LA_DOCKER_WORDS = 128 };

/* An instruction with its continued lines put together. */
struct la_docker_line {
	struct la_strbuf text; /* without comments and line ends */
	struct la_script_span at; /* of the part */
	/* Is the part's text what a shell would read as the same? */
	bool plain;
	struct la_script_span heredoc; /* lines of the first <<EOF, or empty */
	bool has_heredoc;
};

/* An argument list that an instruction gives, as text of the part. */
struct la_docker_command {
	struct la_script_span at; /* of the instruction; empty: none */
	struct la_strbuf text; /* owned: after the keyword and options */
	bool plain;
};

struct la_docker_stage {
	struct la_script_vars vars; /* ENV, and ARG that no ENV beats */
	struct la_script_vars env, args; /* names of either */
	struct la_strbuf name; /* AS name; empty: none */
	int base; /* a stage before it; -1: an image */
	bool scratch; /* nothing comes from the image */
	struct la_docker_command entrypoint, command;
	enum la_script_kind shell;
};

struct la_docker {
	struct la_script *script;
	const struct la_script_part *part;
	char escape;
	size_t at; /* where the next instruction starts */
	struct la_script_vars globals; /* ARG before FROM */
	struct la_docker_stage *stage; /* owned, the current one last */
	int stages;
	int *place; /* owned: the stage of each place, but those before */
	size_t place_room, placed, before;
	struct la_error *err;
	bool failed; /* no memory */
};

/* The next instruction; false at the end. */
bool la_docker_next(struct la_docker *docker, struct la_docker_line *line);

void la_docker_env(struct la_docker *docker, const struct la_docker_line *line,
		   size_t at);
void la_docker_arg(struct la_docker *docker, const struct la_docker_line *line,
		   size_t at);

int la_docker_run(struct la_docker *docker, const struct la_docker_line *line,
		  size_t at);

/* Keep what an instruction starts; start it, once the stage is the last. */
void la_docker_keep(struct la_docker_command *command,
		    const struct la_docker_line *line, size_t at);
int la_docker_start(struct la_docker *docker,
		    const struct la_docker_stage *stage);

/* The shell that SHELL [...] names. */
void la_docker_shell(struct la_docker *docker,
		     const struct la_docker_line *line, size_t at);

#endif /* LA_SCRIPT_DOCKERFILE_H */
