/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a real shell is run: verify-posix.c and verify-windows.c, of which the
 * Build file takes one, and verify-shell.c, which knows what to ask it.
 */
#ifndef ALLOCCTL_VERIFY_RUN_H
#define ALLOCCTL_VERIFY_RUN_H

#include <liballoc/script.h>

#include "print-child.h"
#include "util/strbuf.h"
#include "verify.h"

enum { VERIFY_MS = 10000, VERIFY_OUTPUT_BYTES = 1 << 20 };

/* A shell that this system may have. */
struct verify_program {
	const char *name;
	const char *program;
	const char *version; /* an expression of the shell; "": it has none */
	const char *login, *interactive; /* options; NULL: it needs none */
	const char *option; /* before the command */
	const char *call; /* before the words of a command, and no alias */
	const char *then; /* between two commands */
	const char *never; /* bytes that it does not leave between quotes */
	enum la_script_kind kind;
	char quote; /* around a word */
	bool login_alone; /* then commands are read from standard input */
};

/* Up to one without a name. */
extern const struct verify_program verify_programs[];

struct verify_run {
	const struct verify_program *program;
	enum verify_start start;
	char *command; /* owned */
	char mark[PRINT_MARK_BYTES]; /* before what is asked for */
	struct la_strbuf output;
	size_t looked; /* bytes of it: no answer begins before */
};

/* Why nothing is known. */
#define VERIFY_MISSING "it is not installed here"
#define VERIFY_NO_PROGRAM "the shell ended before it started a program"
#define VERIFY_UNSTARTED "cannot start a process"
#define VERIFY_UNENDED "the shell did not end in time, or printed too much"

/*
 * Run the shell without a terminal and with nothing to read, up to an answer
 * or its end, and leave nothing of it behind.  NULL, or why nothing is known.
 */
const char *verify_run(struct verify_run *run);

/*
 * Behind the mark of a line that is whole and was printed by this program, not
 * by a shell that shows its commands; NULL: not there yet.
 */
const char *verify_answer(struct verify_run *run);

#endif /* ALLOCCTL_VERIFY_RUN_H */
