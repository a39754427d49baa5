/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shell that is read, never run: commands as a tree (shell-parse.c,
 * fish-parse.c, tcsh-parse.c), evaluated as far as the text tells
 * (shell-run.c, shell-command.c), with variables whose values are known,
 * unset, or unknown (shell-scope.c).
 */
#ifndef LA_SCRIPT_SHELL_H
#define LA_SCRIPT_SHELL_H

#include "script/launcher.h"
#include "script/token.h"

/* Tree. */

enum node_kind {
	NODE_SIMPLE, /* words, redirects */
	NODE_PIPE, /* children: commands of a pipeline */
	NODE_CHAIN, /* children, each joined to what is before it */
	NODE_NOT, /* one child */
	NODE_SUBSHELL, /* children; also a command in the background */
	NODE_GROUP, /* children */
	NODE_IF, /* child: condition, body, condition, body, ..., else */
	NODE_WHILE, /* condition, body */
	NODE_UNTIL, /* condition, body */
	NODE_FOR, /* name, words, child: body */
	NODE_CASE, /* words: subject; children: CLAUSE */
	NODE_CLAUSE, /* words: patterns; children: body */
	NODE_FUNCTION, /* name, child: body */
	NODE_TEST, /* words of [[ ]] or of an expression of tcsh */
	NODE_ODD /* only running tells: (( )), select */
};

enum joint { JOINT_FIRST, JOINT_AND, JOINT_OR };

struct redirect {
	struct redirect *next;
	char operator[4];
	struct word *target; /* NULL: a here-document */
	struct heredoc *doc;
	size_t start, end;
	bool touches; /* a word stands right before it */
};

struct node {
	struct node *next; /* beside it */
	struct node *child;
	enum node_kind kind;
	enum joint joint; /* in a CHAIN */
	struct word *words;
	struct redirect *redirects, *last_redirect;
	const char *name; /* FOR, FUNCTION */
	bool grouped; /* SIMPLE of tcsh: words stood in ( ) */
	bool listed; /* FOR: has words, even if none */
	bool open; /* SIMPLE: the text ends within it, with a backslash */
	bool posix; /* FUNCTION: f(), not function f */
	size_t start, end;
};

enum { SHELL_TREE_DEPTH = 64 }; /* commands within commands */

struct parser {
	struct lexer lexer;
	struct token token; /* the one at hand */
	unsigned int depth;
	const char *wrong; /* why this is no command; static */
	size_t wrong_at;
};

/*
 * The next complete command at the parser, or NULL: the text ends, or wrong is
 * set.  Its memory is in the lexer's arena.
 */
struct node *la_shell_parse(struct parser *parser);
struct node *la_fish_parse(struct parser *parser);
struct node *la_tcsh_parse(struct parser *parser);

void la_parser_init(struct parser *parser, const struct shell_table *table,
		    const char *text, size_t length, struct arena *arena);
void la_parser_advance(struct parser *parser);
struct node *la_parser_node(struct parser *parser, enum node_kind kind);
void la_parser_fail(struct parser *parser, const char *why);
/* The words and redirects of a simple command into node. */
void la_parser_simple(struct parser *parser, struct node *node);
/* Commands with | between them become the children of a node, the only one its
 * place; newlines: lines may end behind a |. */
struct node *la_parser_pipe(struct parser *parser, struct node *node,
			    struct node *(*command)(struct parser *parser),
			    bool newlines);
bool la_parser_redirect(struct parser *parser, struct node *node);

/* Values and variables. */

enum value_kind { VALUE_UNSET, VALUE_KNOWN, VALUE_UNKNOWN };

/* A variable at one time. */
struct state {
	enum value_kind kind;
	char *text; /* KNOWN: owned */
	bool exported, readonly;
	bool list; /* fish, tcsh: several words, joined by blanks in text */
	unsigned int scope; /* fish: block that has it as its own; 0: none */
	unsigned int process; /* which shell set it; children see exports */
	size_t assignment; /* place that gave it, or LA_SCRIPT_WHOLE */
	size_t unseen; /* index in shell.unseen, if it is there */
	const struct la_script_part *part; /* of the place */
	size_t start, end; /* of the place */
};

struct variable {
	struct variable *next; /* of the bucket */
	struct state state;
	struct function *function; /* of that name, or NULL */
	bool watched;
	unsigned int hidden; /* states in shell.local that this one hides */
	bool tangled; /* what was hidden changed: no longer followed */
	size_t last; /* place reported last, or LA_SCRIPT_WHOLE */
	bool once; /* last was for one command, and said so */
	size_t seen; /* place that the last program found, or LA_SCRIPT_WHOLE */
	bool seen_alone; /* no program behind it finds that place */
	bool seen_maybe; /* only running tells whether that program ran */
	size_t length;
	char name[];
};

/* Text of which a part may be unknown. */
struct text {
	struct la_strbuf bytes;
	bool unknown;
};

/* A word after all expansions. */
struct field {
	struct text text;
	bool pattern; /* may be replaced by names of files */
	bool lexical; /* V=... was seen before expansions */
	bool list; /* fish: stands for several words, joined by blanks */
	size_t start, end;
};

struct fields {
	struct field *at; /* owned */
	size_t count, room;
	bool open; /* there may be others among them */
};

/* A word's bytes, or "" past the end. */
static inline const char *text_at(const struct fields *words, size_t index)
{
	return index < words->count ?
		       la_strbuf_text(&words->at[index].text.bytes) :
		       "";
}

enum status { STATUS_TRUE, STATUS_FALSE, STATUS_MAYBE };
enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_END };

struct shell {
	struct la_script *script;
	const struct la_script_part *part; /* being evaluated */
	const struct shell_table *table;
	struct la_error *err;
	int error; /* -errno that ends the reading */

	struct variable **bucket; /* owned */
	size_t bucket_count, variable_count;
	struct variable **watched; /* owned: those seen so far */
	size_t watched_count, watched_room;

	struct change { /* undone when a child shell ends */
		struct variable *variable;
		struct state old;
	} *change;
	size_t change_count, change_room;
	unsigned int marks; /* open: changes must be kept */

	size_t first; /* place of the script that came from this shell */
	size_t *unseen; /* owned: places no program has seen yet */
	size_t unseen_count, unseen_room;
	size_t *plain; /* owned: places that are not exported yet */
	size_t plain_count, plain_room;

	struct function {
		struct function *next; /* made before it */
		struct function *older; /* of that name */
		struct variable *of; /* its name */
		/* NULL: an alias, of what is not known */
		const struct node *node;
		const struct la_script_part *part;
		unsigned int process; /* that made it; others have it not */
	} *function;
	struct arena kept; /* functions and texts that eval reads */

	struct text *capture; /* what $( ) prints goes here, or NULL */
	struct fields *arguments; /* $1 ... of a function; NULL: unknown */
	bool in_function;
	bool has_locals; /* the function's own variables end with it */

	struct change *local; /* owned: what functions give back */
	size_t local_count, local_room;
	/* fish: serial numbers of the block and the function at hand */
	unsigned int scope, function_scope, scope_count;

	size_t budget; /* commands that may still be evaluated */
	unsigned int depth; /* texts and calls within each other */
	unsigned int process, process_count;
	unsigned int doubt; /* only running tells whether this runs */
	enum status status; /* of the command before */
	enum flow flow;
	bool line_ends; /* tcsh: the script ends with the line at hand */
	bool allexport, errexit, nounset, failed_glob;
	bool said_may_end;
	size_t program_count; /* programs started so far */
	size_t export_count; /* export and its like that ran so far */
};

/* shell-scope.c */
struct variable *la_shell_variable(struct shell *shell, const char *name,
				   size_t length);
/* The same, or NULL: it was not asked for yet. */
struct variable *la_shell_find(const struct shell *shell, const char *name,
			       size_t length);
/* What the shell that runs now has; never NULL. */
const struct state *la_shell_state(struct shell *shell, const char *name,
				   size_t length);
void la_shell_set_state(struct shell *shell, struct variable *variable,
			struct state state);
size_t la_shell_mark(struct shell *shell);
/* Undo all changes since a mark. */
void la_shell_undo(struct shell *shell, size_t mark);
/* Keep them, though they may not have happened. */
void la_shell_blur(struct shell *shell, size_t mark);
void la_shell_keep(struct shell *shell, size_t mark);
/* The variable gets its state back when the function ends. */
void la_shell_local(struct shell *shell, struct variable *variable);
void la_shell_leave(struct shell *shell, size_t locals);
/* A state that another hides changes: neither is followed from here on. */
void la_shell_tangle(struct shell *shell, struct variable *variable);
void la_shell_scope_release(struct shell *shell);

/* shell-report.c */
struct place {
	size_t start, end;
};
/* V=x; value NULL: unknown.  False: it is read-only. */
bool la_shell_assign(struct shell *shell, const char *name, size_t length,
		     const struct text *value, struct place place, bool export);
void la_shell_export(struct shell *shell, const char *name, size_t length,
		     struct place place);
void la_shell_unexport(struct shell *shell, const char *name, size_t length,
		       struct place place);
void la_shell_unset(struct shell *shell, const char *name, size_t length,
		    struct place place);
/* Watched names that the bytes name with a = or blank behind: lost. */
void la_shell_lost(struct shell *shell, size_t start, size_t end,
		   enum la_script_code code, const char *why);
/* Watched names that stand there: only running tells what becomes of them. */
void la_shell_doubt(struct shell *shell, size_t start, size_t end);
/* Places from before on, which others noted, are the last of their
 * variables. */
void la_shell_adopt(struct shell *shell, size_t before);
/* A program starts, with these words. */
void la_shell_program(struct shell *shell, const struct fields *words,
		      const struct node *node);
/* The shell since these ends: what no program saw is lost. */
void la_shell_ends(struct shell *shell, size_t unseen,
		   enum la_script_code code, const char *why);
/* The same of one variable's state. */
void la_shell_state_ends(struct shell *shell, const struct state *state,
			 const char *why);
/* The text ends, and with it the shell or not. */
void la_shell_finish(struct shell *shell, bool ends);

/* shell-expand.c */
void la_shell_text(struct shell *shell, const struct word *word,
		   struct text *text, bool assignment);
void la_shell_fields(struct shell *shell, const struct word *words,
		     struct fields *fields);
void la_shell_fields_one(struct shell *shell, const struct word *word,
			 struct fields *fields, bool assignment);
void la_shell_fields_release(struct fields *fields);
void la_text_add(struct text *text, const char *bytes, size_t length);
/* Words from first on, with blanks between them. */
void la_shell_join(const struct fields *words, size_t first, struct text *text);
struct word *la_shell_braces(struct shell *shell, const struct word *word);

/* shell-parameter.c */
/* The value of $x into text; false: there is none (unset). */
bool la_shell_parameter(struct shell *shell, const struct piece *piece,
			struct text *text);
bool la_shell_matches(const char *pattern, const char *text);

/* shell-run.c */
void la_shell_run(struct shell *shell, const struct node *list);
void la_shell_run_text(struct shell *shell, const struct la_script_part *part);
/* Run a text in a child shell; capture may be NULL. */
void la_shell_run_child(struct shell *shell, const char *text, size_t length,
			size_t offset, bool exact, struct text *capture,
			const struct shell_table *table);
void la_shell_call(struct shell *shell, const struct function *function,
		   struct fields *words);
const struct function *la_shell_function(const struct shell *shell,
					 const char *name);
/* alias NAME: only running tells what that does. */
void la_shell_alias(struct shell *shell, const char *name, size_t length);

/* shell-command.c, fish.c, tcsh.c */
void la_shell_command(struct shell *shell, const struct node *node);
void la_fish_command(struct shell *shell, const struct node *node);
/* Does fish run it in itself? */
bool la_fish_is_own(const struct shell *shell, const char *name);
/* The function that is called has no variables of the blocks around. */
void la_fish_enter(struct shell *shell);
void la_tcsh_command(struct shell *shell, const struct node *node);

/* What is meant for another shell, or no command at all: true, and said. */
bool la_shell_slip(struct shell *shell, const struct node *node,
		   const struct fields *words);

/* shell-builtin.c */
/* Does the command take V=x as an assignment, not as a word? */
bool la_shell_declares(const struct shell *shell, const char *name);
bool la_shell_is_builtin(const struct shell *shell, const char *name);
void la_shell_builtin(struct shell *shell, const struct node *node,
		      const struct fields *words);
/* An error that ends scripts of most shells. */
void la_shell_error(struct shell *shell, struct place place,
		    enum la_script_code code, const char *why);
/* An error that ends the shell, if this runs at all. */
void la_shell_stop(struct shell *shell, struct place place);
/* Where only running tells whether the shell ends: say so, once. */
void la_shell_may_end(struct shell *shell, struct place place);
enum status la_shell_test(struct shell *shell, const struct fields *words,
			  size_t first, size_t last);
void la_shell_echo(struct shell *shell, const struct fields *words);
void la_shell_printf(struct shell *shell, const struct fields *words);
/* eval: the words from first on, joined by blanks. */
void la_shell_eval(struct shell *shell, const struct fields *words,
		   size_t first);
/* Evaluate a copy of a text that start, a byte of the part, gave. */
void la_shell_read_copy(struct shell *shell, const char *text, size_t length,
			size_t start);
/* sh -c 'text', sh FILE, ./FILE: true if it was that. */
bool la_shell_nested_shell(struct shell *shell, const struct node *node,
			   const struct fields *words);

/* shell-write.c */
/* echo and printf: true if they wrote a file, not to standard output. */
bool la_shell_prints(struct shell *shell, const struct node *node,
		     const struct fields *words);
/* The same of other commands: cat and tee; true: that is all they do. */
bool la_shell_writes(struct shell *shell, const struct node *node,
		     const struct fields *words);
bool la_shell_pipes(struct shell *shell, const struct node *node);
bool la_shell_group_writes(struct shell *shell, const struct node *node);
/* The file that a word names, if all of its text is known; or NULL. */
struct la_script_file;
const struct la_script_file *la_shell_file(const struct shell *shell,
					   const struct field *word);
/* A program may change the files that its words name. */
void la_shell_touches(struct shell *shell, const struct fields *words);
/* source FILE: true if the text wrote it. */
bool la_shell_reads_written(struct shell *shell, const struct fields *words);

/* shell-export.c: export, declare, local, readonly, unset. */
void la_shell_declare(struct shell *shell, const struct node *node,
		      const struct fields *words);
void la_shell_unset_words(struct shell *shell, const struct fields *words);

#endif /* LA_SCRIPT_SHELL_H */
