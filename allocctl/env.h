/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl env and doctor found out, for their forms. */
#ifndef ALLOCCTL_ENV_H
#define ALLOCCTL_ENV_H

#include <liballoc/env.h>

#include "torch-find.h"
#include "util/json.h"

/* What torch makes of a value, of one variable. */
struct env_check {
	const struct la_env_variable *variable;
	/* Owned; NULL: torch does not read it. */
	struct la_setting_check *check;
};

/* An environment and what it means. */
struct env_view {
	const char *source; /* "own", "process" or "core" */
	const char *file; /* core file; NULL: none */
	struct la_env_process *process; /* owned; NULL: none */
	const struct la_env *env; /* the one that counts */
	struct la_env *own; /* owned, where env is no process's */
	struct la_setting_context context;
	const char *release; /* of the context, as the table names it */
	struct torch_found torch; /* why is filled where none was found */
	bool torch_asked; /* --torch told it, so that none was sought */
	struct la_env_choice *choice; /* owned */
	struct env_check *check; /* owned, as many as the choice's variables */
	struct la_env_origins *origins; /* owned; NULL: not asked for */
};

/* What the environment is asked about. */
struct env_query {
	uint64_t pid; /* 0: the calling process */
	const char *core; /* NULL: none */
	const char *torch, *python;
	int build; /* -1: as found */
	bool show_origin;
	const char *const *files; /* NULL at the end */
};

/* In the order of enum la_build. */
extern const char *const env_builds[];

/* In the order of enum la_env_scope. */
extern const char *const env_scopes[];

/* A status: anything but STATUS_DONE after a line on stderr. */
int env_view_open(struct env_view *view, const struct env_query *query);
void env_view_close(struct env_view *view);

/* 0 fine, 1 findings, 3 cannot tell. */
int env_view_status(const struct env_view *view);

/* Why what is set cannot be told for sure; NULL: it can. */
const char *env_view_doubt(const struct env_view *view);

/* The environment of a core file, or of the last of systemd-coredump's records
 * in a file of journalctl -o json ("-": standard input); a status. */
int env_core(struct la_env **out, const char *path);
int env_record(struct la_env **out, const char *path);

void env_print_text(const struct env_view *view);
void env_print_json(const struct env_view *view);

/* Parts that doctor has too. */
void env_json_variables(struct la_json *json, const struct env_view *view);
void env_json_findings(struct la_json *json, const struct env_view *view);
void env_json_origins(struct la_json *json,
		      const struct la_env_origins *origins);

/* When torch reads a setting, and the line that shows what is in force. */
extern const char env_when[], env_line[];

#endif /* ALLOCCTL_ENV_H */
