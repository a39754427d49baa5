/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grammars of messages: tables of patterns, and the loop that reads one
 * message with them.
 *
 * A start of a grammar tells where a message begins; its clauses then follow
 * in any order, with other words between them, until one comes again or too
 * many bytes say nothing.  So a message may be wrapped, quoted and cut short.
 */
#ifndef LA_TRIAGE_MESSAGE_H
#define LA_TRIAGE_MESSAGE_H

#include <liballoc/triage.h>

#include "triage/line.h"
#include "triage/pattern.h"

enum {
	LA_MESSAGE_TEXT = 4096, /* most bytes of la_facts.text */
	LA_MESSAGE_PROCESSES = 64 /* most of them that are kept */
};

/* One line of a log. */
struct la_line {
	uint64_t number; /* in the log, from 1 */
	struct la_origin origin;
	/* Source of the line above, where this one may go on what was wrapped
	 * there: it lacks but the last prefix; 0: none */
	uint64_t follows;
	size_t offset; /* of its text in the region */
	size_t length;
	size_t width; /* bytes of the line, its prefix included */
	bool taken; /* part of a message that was found */
};

/* Some lines as one text, with '\n' between them. */
struct la_text {
	const char *data;
	size_t length;
	/* Lines and where they start, in order */
	struct la_text_line {
		size_t offset;
		struct la_line *line;
	} * lines;
	size_t count;
};

struct la_message;

/* Where a message may begin. */
struct la_beginning {
	const char *pattern;
	const char *form; /* NULL: finish() says */
	unsigned int seen; /* bits that it sets in la_message */
	enum {
		LA_BEGIN_ALONE = 1, /* the whole line, prefix apart */
		LA_BEGIN_FIRST = 2, /* of the line, prefix apart */
		LA_BEGIN_DETAIL = 4, /* another line has the failure itself */
		LA_BEGIN_LOWER = 8 /* case matters: as the pattern has it */
	} flags;
	const char *backend; /* NULL: the grammar's */
};

/* What may follow. */
struct la_clause {
	const char *pattern;
	unsigned int seen;
};

struct la_grammar {
	const char *framework;
	const char *backend;
	enum la_oom_kind kind;
	bool refines; /* an amount again narrows it; else it ends the message */
	bool lines; /* the text is whole lines */
	bool units; /* all sizes have one: what lacks it was cut short */
	const struct la_beginning *start; /* the last has no pattern */
	const struct la_clause *clause; /* likewise; NULL: none */
	/* Sets what the tables cannot; false: this is no message. */
	bool (*finish)(struct la_message *message);
};

/* A message as it is read. */
struct la_message {
	struct la_facts facts; /* owns nothing yet */
	struct la_process process[LA_MESSAGE_PROCESSES];
	size_t process_count;
	const struct la_grammar *grammar;
	const struct la_beginning *started;
	const struct la_text *text;
	size_t start; /* of the message, its exception's name included */
	size_t body; /* where the pattern of the start begins */
	size_t end; /* behind the last clause that is shown */
	size_t last; /* behind the last clause */
	unsigned int seen;
	struct { /* the word before the body, as "ValueError" */
		const char *text;
		size_t length;
	} exception;
	bool quoted; /* a line of source code that a traceback shows */
};

/* Bit of clauses that people need not see: advice. */
#define LA_SEEN_HINT (1U << 31)

/* Read a message that begins at at; false if none does. */
bool la_message_read(struct la_message *message, const struct la_text *text,
		     size_t at, const struct la_grammar *grammar,
		     const struct la_beginning *start);

/* Index into text->lines of the line at offset. */
size_t la_text_line(const struct la_text *text, size_t offset);

/* A word, a number or a sign begins at offset. */
bool la_text_starts_word(const struct la_text *text, size_t offset);

/* The exception's name ends so. */
bool la_message_raised(const struct la_message *message, const char *name);

static inline bool la_message_knows(const struct la_message *message,
				    enum la_amount_id id)
{
	return message->facts.amount[id].basis != LA_BASIS_NONE;
}

/* The families, NULL behind the last of each. */
extern const struct la_grammar *const la_torch_grammars[];
extern const struct la_grammar *const la_torch_other_grammars[];
extern const struct la_grammar *const la_xla_grammars[];
extern const struct la_grammar *const la_framework_grammars[];
extern const struct la_grammar *const la_host_grammars[];

#endif /* LA_TRIAGE_MESSAGE_H */
