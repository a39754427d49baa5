/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd.exe: a line is expanded (cmd-expand.c), parsed into commands
 * (cmd-parse.c), and these are followed (cmd-run.c, cmd-set.c, cmd-other.c)
 * with what is known of the variables (cmd-state.c).
 */
#ifndef LA_SCRIPT_CMD_H
#define LA_SCRIPT_CMD_H

#include <errno.h>

#include "script/internal.h"

enum {
	CMD_VARIABLES = 256, /* of which values are remembered */
	CMD_JUMPS = 512, /* labels and gotos that are looked up */
	CMD_STEPS = 20000, /* commands followed */
	CMD_LINE = 1 << 16, /* bytes of a line, or of a value, at most */
	CMD_ARGUMENTS = 10 /* %0 to %9 */
};

/* Stands in a text for what only running could tell. */
#define CMD_UNKNOWN '\0'

/* Bytes, and where in the part each came from; zero-initialised: empty. */
struct cmd_text {
	char *byte; /* owned, terminated */
	uint32_t *origin; /* owned, one for each byte */
	size_t length, room;
	bool failed; /* no memory, or longer than CMD_LINE */
};

void cmd_text_free(struct cmd_text *text);
void cmd_text_put(struct cmd_text *text, char byte, size_t origin);
void cmd_text_put_all(struct cmd_text *text, const char *bytes, size_t length,
		      size_t origin);
void cmd_text_copy(struct cmd_text *to, const struct cmd_text *from,
		   size_t start, size_t end);
bool cmd_text_known(const struct cmd_text *text);
/* First and behind the last byte of the part that start..end came from. */
size_t cmd_text_first(const struct cmd_text *text, size_t start);
size_t cmd_text_last(const struct cmd_text *text, size_t end);

bool cmd_is_delimiter(char byte); /* between words: blank , ; = */
bool cmd_is_blank(char byte);

/* A variable of which something is known. */
struct cmd_variable {
	char *name; /* owned */
	char *value; /* owned; NULL: there is none, or it is not known */
	bool known;
	bool watched;
	/* Of one that is watched: where it was set last, or LA_SCRIPT_WHOLE;
	 * programs started before that; and whether what it has now is not
	 * what was noted there. */
	size_t assignment;
	size_t programs;
	bool stale;
	size_t stale_start, stale_end;
	enum la_script_code stale_code;
	size_t unit; /* number of the line or block that set it */
};

struct cmd_environment {
	struct cmd_variable variable[CMD_VARIABLES];
	size_t count;
	bool delayed; /* !V! is expanded */
};

enum cmd_type {
	CMD_SIMPLE, /* text */
	CMD_BOTH, /* left & right */
	CMD_AND, /* left && right */
	CMD_OR, /* left || right */
	CMD_PIPE, /* left | right */
	CMD_BLOCK, /* ( left ) */
	CMD_IF, /* if test left else right */
	CMD_FOR /* for text in (list) do left */
};

enum cmd_test {
	CMD_TEST_EQUAL, /* text == other, or by operator */
	CMD_TEST_DEFINED,
	CMD_TEST_RUN /* errorlevel, exist: told by running */
};

struct cmd_node {
	enum cmd_type type;
	struct cmd_node *left, *right;
	struct cmd_node *owned; /* next one of those made with it */
	struct cmd_text text; /* command, left operand, options of for */
	struct cmd_text list; /* right operand, list of for, redirected to */
	size_t start, end; /* bytes of the part */
	/* Of a simple command: where > stands, or 0 bytes long. */
	size_t redirect_start, redirect_end;
	enum cmd_test test;
	char operator[4]; /* "==", "equ"... */
	bool not, fold;
	char letter; /* of for */
};

/* How control goes on. */
enum cmd_flow {
	CMD_NEXT, /* with what follows */
	CMD_JUMP, /* at cmd_run.target */
	CMD_RETURN, /* behind the call */
	CMD_STOP /* nowhere */
};

struct cmd_jump {
	size_t name, length; /* in the part */
	size_t line; /* where its line starts */
	bool label; /* else goto */
};

/* What holds at a place that a jump leads to. */
struct cmd_arrival {
	struct cmd_arrival *next;
	size_t line;
	struct cmd_environment *environment; /* owned */
};

struct cmd_call {
	/* %0 to %9; NULL: not known */
	const char *argument[CMD_ARGUMENTS];
	struct cmd_arrival *arrival; /* owned */
	size_t locals; /* depth of setlocal at its start */
	struct cmd_call *caller;
};

struct cmd_local {
	struct cmd_local *outer;
	struct cmd_environment *environment; /* owned */
};

/* A text being followed. */
struct cmd_run {
	struct la_script *script;
	const struct la_script_part *part;
	struct la_error *err;
	int ret; /* 0 or -errno */
	bool prompt; /* at the prompt, or cmd /c */
	struct cmd_environment *environment; /* owned by cmd_follow() */
	struct cmd_local *local; /* innermost setlocal */
	size_t locals;
	struct cmd_call *call;
	struct cmd_jump jump[CMD_JUMPS];
	size_t jumps;
	bool jumps_full; /* there are more */
	size_t target; /* of CMD_JUMP */
	size_t programs; /* started */
	size_t unit; /* lines and blocks read */
	size_t steps; /* commands left to follow */
	unsigned int depth; /* of calls and texts within texts */
};

/* cmd-state.c */
struct cmd_environment *
cmd_environment_copy(const struct cmd_environment *from);
void cmd_environment_free(struct cmd_environment *environment);
struct cmd_variable *cmd_find(const struct cmd_environment *environment,
			      const char *name, size_t length);
/* The value; *known false: only running could tell.  NULL: there is none. */
const char *cmd_value(struct cmd_run *run, const char *name, size_t length,
		      bool *known);
/* Set (value), remove (NULL) or lose sight of (!known) a variable, and note
 * the place if it is watched; its assignment. */
size_t cmd_assign(struct cmd_run *run, const char *name, size_t length,
		  const char *value, bool known, size_t start, size_t end);
/* Note a place at which a watched variable was meant to be set. */
size_t cmd_lose(struct cmd_run *run, const char *name, size_t length,
		size_t start, size_t end);
bool cmd_watches(struct cmd_run *run, const char *name, size_t length);
/* A program is started: it sees what is set now. */
void cmd_program(struct cmd_run *run);
/* Go on with before and what holds now, whichever it was; takes before. */
void cmd_join(struct cmd_run *run, struct cmd_environment *before);
/* Go back to before; what no program saw is lost.  Takes before. */
void cmd_restore(struct cmd_run *run, struct cmd_environment *before,
		 enum la_script_code code, size_t start, size_t end);
/* What this stretch of the part names is not known any more. */
void cmd_forget(struct cmd_run *run, size_t start, size_t end);
/* What was set and no program saw is lost. */
void cmd_settle(struct cmd_run *run, enum la_script_code code);

/* cmd-expand.c; out is appended to. */
void cmd_expand_percent(struct cmd_run *run, struct cmd_text *out,
			const struct cmd_text *line);
void cmd_expand_letter(struct cmd_text *text, char letter, const char *value);
void cmd_expand_delayed(struct cmd_run *run, struct cmd_text *text);

/* cmd-parse.c */
/* Read the command at *at and move behind its line; NULL: an empty line, or
 * one that cannot be read (*wrong), or no memory (run->ret). */
struct cmd_node *cmd_parse(struct cmd_run *run, size_t *at, bool *wrong);
/* Likewise, of a text that was expanded. */
struct cmd_node *cmd_parse_text(struct cmd_run *run,
				const struct cmd_text *text);
void cmd_node_free(struct cmd_node *node);

/* cmd-run.c */
enum cmd_flow cmd_run_node(struct cmd_run *run, const struct cmd_node *node);
/* Follow text, which another cmd reads. */
void cmd_run_inner(struct cmd_run *run, const struct cmd_text *text);
int cmd_end_locals(struct cmd_run *run);

/* cmd.c: follow the lines from one on. */
int cmd_follow(struct cmd_run *run, size_t at);

/* cmd-jump.c */
void cmd_find_jumps(struct cmd_run *run);
const struct cmd_jump *cmd_label(const struct cmd_run *run, const char *name,
				 size_t length, size_t from);
/* End of the loop whose label stands on line; 0: it is none. */
size_t cmd_loop_end(const struct cmd_run *run, size_t line);

/* cmd-if.c: 1, 0 or -1 */
int cmd_test(struct cmd_run *run, const struct cmd_node *node);

/* cmd-set.c */
void la_cmd_set(struct cmd_run *run, const struct cmd_node *node,
	     const struct cmd_text *text, size_t at);
void cmd_setx(struct cmd_run *run, const struct cmd_text *text, size_t at);

/* cmd-other.c: commands that are not of cmd itself, and lines that cmd does
 * not understand. */
enum cmd_flow cmd_other(struct cmd_run *run, const struct cmd_node *node,
			const struct cmd_text *text);
enum cmd_flow cmd_refuse(struct cmd_run *run, size_t start, size_t end);

#endif /* LA_SCRIPT_CMD_H */
