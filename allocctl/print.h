/* SPDX-License-Identifier: Apache-2.0 */
/* What every command's output shares. */
#ifndef ALLOCCTL_PRINT_H
#define ALLOCCTL_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/strbuf.h"

/* The name of this program; its main.c has it. */
extern const char print_program[];

enum print_format { PRINT_TEXT, PRINT_JSON };

/* Words of --format, in the order of enum print_format. */
extern const char *const print_formats[];

/* Names of policies, in the order of enum la_heap_policy. */
extern const char *const print_policies[];

enum print_colour { PRINT_RED, PRINT_YELLOW, PRINT_GREEN, PRINT_BOLD };

/* The program's name and the message as one line on stderr. */
void print_error(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* "out of memory"; returns STATUS_CANNOT_TELL. */
int print_no_memory(void);

/* Is stdout a terminal, and NO_COLOR not set? */
bool print_has_colours(void);

/* Print text to stdout, in a colour if it has colours. */
void print_paint(enum print_colour colour, const char *text);

/*
 * Bytes as they are, but what would control a terminal, cannot be seen or is
 * not UTF-8 as \xNN; and the columns of a terminal that this takes.
 */
void print_escaped(const char *text);
void print_escaped_bytes(const char *text, size_t length);
void print_escaped_add(struct la_strbuf *out, const char *text, size_t length);
size_t print_columns(const char *text, size_t length);

/* Characters, as editors count them; a byte that is not UTF-8 is one. */
size_t print_characters(const char *text, size_t length);

/* Text in lines of at most 80 columns, each after indent blanks; lines may
 * end at blanks, and beside characters that are two columns wide. */
void print_wrapped(int indent, const char *text);

/* The same where so many columns of the first line are taken already. */
void print_wrapped_from(size_t column, int indent, const char *text);

/*
 * The text, and ^~~~ under the bytes that are meant; of a long text, what
 * stands around them.
 */
void print_caret(const char *text, size_t text_length, size_t offset,
		 size_t length);

/* "LA123". */
const char *print_code(char text[16], int code);

/* A la_json_sink; arg: a FILE. */
int print_json_sink(void *arg, const char *data, size_t length);

/*
 * Flush stdout; status, or STATUS_CANNOT_TELL after a message if output was
 * lost.
 */
int print_finish(int status);

#endif /* ALLOCCTL_PRINT_H */
