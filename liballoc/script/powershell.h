/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PowerShell, as far as it decides what the environment holds: a parser makes
 * a tree of nodes, which is then walked as the engine would run it.  What the
 * walk does not know becomes an unknown value, and stays one.
 */
#ifndef LA_SCRIPT_POWERSHELL_H
#define LA_SCRIPT_POWERSHELL_H

#include "script/internal.h"

enum {
	PS_HEIGHT = 400, /* of a tree of nodes */
	PS_CALLS = 24, /* functions within functions */
	PS_STRING = 1 << 16, /* longest string that is computed, bytes */
	PS_LIST = 1 << 12, /* longest list that is computed */
	PS_STEPS = 50000, /* statements run, beyond those of the text */
	PS_CALLED = 50000, /* calls of functions and blocks in all */
	PS_FUNCTIONS = 4096, /* and aliases, of one text */
	PS_TRIES = 1 << 22 /* of regular expressions and patterns in all */
};

/* What makes a value doubtful; each is said where it is assigned. */
enum ps_doubt {
	PS_WAS_UNSET = 1 << 0, /* the environment is taken not to have it */
	PS_NO_VARIABLE = 1 << 1, /* a variable that the text never sets */
	PS_COLON = 1 << 2, /* "$key:128" */
	PS_JOINED = 1 << 3, /* a list, joined by blanks */
	PS_PIPED = 1 << 4, /* what a pipeline leaves */
	PS_CULTURE = 1 << 5, /* a number in the style of the country */
	PS_ARGUMENT = 1 << 6, /* a parameter's default */
	PS_TYPE_NAME = 1 << 7 /* the name of a type instead of contents */
};

enum ps_type {
	PS_UNKNOWN, /* only running it could tell */
	PS_NOTHING, /* no output: empty, but not null */
	PS_NULL,
	PS_BOOL,
	PS_INT,
	PS_LONG,
	PS_DOUBLE,
	PS_CHAR,
	PS_TEXT,
	PS_ARRAY,
	PS_HASH,
	PS_BLOCK, /* { } */
	PS_CLASS /* [type]; text is its name */
};

struct ps_value {
	enum ps_type type;
	unsigned int doubt;
	union {
		int64_t number; /* BOOL, INT, LONG, CHAR */
		double real;
		struct {
			const char *text; /* terminated, in the arena */
			size_t length;
		};
		struct ps_list *list;
		struct ps_hash *hash;
		const struct ps_node *block;
	};
};

struct ps_list {
	struct ps_value *item; /* in the arena */
	size_t count, room;
};

enum ps_hash_kind { PS_HASHTABLE, PS_ORDERED, PS_OBJECT, PS_ENTRY };

struct ps_hash {
	struct ps_list key, value; /* of one length */
	enum ps_hash_kind kind;
};

enum ps_kind {
	PS_N_BLOCK, /* statements */
	PS_N_SCRIPT, /* { } : parameters, then statements */
	PS_N_PARAMETERS,
	PS_N_PARAMETER, /* text: name; first: default */
	PS_N_CHAIN, /* op: 0 &&, 1 || */
	PS_N_PIPELINE,
	PS_N_EXPRESSION, /* as an element of a pipeline */
	PS_N_COMMAND, /* op: '&', '.' or 0; words, options */
	PS_N_ASSIGN, /* op; target, statement */
	PS_N_IF, /* condition, block, ..., block */
	PS_N_WHILE,
	PS_N_DO, /* op: until */
	PS_N_FOR, /* start, condition, step, block */
	PS_N_FOREACH, /* variable, list, block */
	PS_N_SWITCH, /* op: flags; value, test, block, ... */
	PS_N_TRY, /* block, catch blocks, finally (op) */
	PS_N_FUNCTION, /* text: name; script */
	PS_N_RETURN,
	PS_N_THROW,
	PS_N_BREAK,
	PS_N_CONTINUE,
	PS_N_EXIT,
	PS_N_OPAQUE, /* a statement whose effect is not known */
	PS_N_NONE, /* no statement */
	PS_N_CONSTANT, /* value */
	PS_N_WORD, /* bare word, value; or EXPAND in argument mode */
	PS_N_OPTION, /* -Name or -Name:value */
	PS_N_EXPAND, /* "..." of pieces */
	PS_N_VARIABLE, /* text; op: 1 splat, 2 within a string */
	PS_N_ARRAY, /* a, b */
	PS_N_LIST, /* @( ) */
	PS_N_SUB, /* $( ) */
	PS_N_PAREN, /* ( ) */
	PS_N_HASH, /* key, statement, ... */
	PS_N_BLOCKVALUE, /* { } as a value; first: script */
	PS_N_CLASS, /* [type] */
	PS_N_CAST, /* text: type; operand */
	PS_N_UNARY,
	PS_N_STEP, /* ++ --; op: the character, + 256 behind */
	PS_N_BINARY,
	PS_N_TERNARY,
	PS_N_MEMBER, /* object, name; op: '.', ':' */
	PS_N_INVOKE, /* object, name, arguments; op likewise */
	PS_N_INDEX
};

enum ps_operator {
	PS_OR = 1,
	PS_AND,
	PS_XOR,
	PS_BOR,
	PS_BAND,
	PS_BXOR,
	PS_EQ,
	PS_NE,
	PS_GT,
	PS_GE,
	PS_LT,
	PS_LE,
	PS_LIKE,
	PS_NOTLIKE,
	PS_MATCH,
	PS_NOTMATCH,
	PS_CONTAINS,
	PS_NOTCONTAINS,
	PS_IN,
	PS_NOTIN,
	PS_REPLACE,
	PS_SPLIT,
	PS_JOIN,
	PS_IS,
	PS_ISNOT,
	PS_AS,
	PS_COALESCE,
	PS_ADD,
	PS_SUB,
	PS_MUL,
	PS_DIV,
	PS_REM,
	PS_SHL,
	PS_SHR,
	PS_FORMAT,
	PS_RANGE,
	PS_NOT,
	PS_BNOT,
	PS_COMMA,
	PS_CASED = 256 /* -ceq and the like */
};

/* A tree in the arena; children are a list. */
struct ps_node {
	enum ps_kind kind;
	int op;
	unsigned int height;
	size_t start, end; /* bytes of the part */
	const char *text; /* a name, in the arena */
	struct ps_value value; /* of constants */
	struct ps_node *first, *last, *next;
	size_t place; /* the assignment that it was noted as */
	bool told; /* that it sets nothing */
	bool ran;
	bool silent; /* its output goes to a file */
};

/* What a statement leaves behind. */
enum ps_flow {
	PS_ON, /* go on */
	PS_BROKEN,
	PS_CONTINUED,
	PS_RETURNED,
	PS_EXITED,
	PS_FAILED, /* an error that ends the statement */
	PS_THROWN /* an error that ends the script */
};

struct ps_variable {
	struct ps_variable *next;
	const char *name;
	struct ps_value value;
};

struct ps_scope {
	struct ps_scope *outer;
	struct ps_variable *variable;
	const struct ps_list *input; /* of a process block, or NULL */
	bool function; /* else a plain block that shares its outer's names */
};

/* One variable of the environment. */
struct ps_env {
	struct ps_env *next;
	const char *name;
	struct ps_value value; /* NULL: removed */
	size_t place; /* the last that acted on it, or LA_SCRIPT_WHOLE */
	bool used; /* a program was started since */
	bool watched;
	bool told; /* that nothing is run */
	bool again; /* a child's program saw another: say what it is here */
};

struct ps_function {
	struct ps_function *next;
	const char *name;
	const struct ps_node *script; /* NULL: an alias of target */
	const char *target;
};

struct ps_chunk;

/* The walk. */
struct ps {
	struct la_script *script;
	const struct la_script_part *part;
	struct la_error *err;
	struct ps_chunk *chunk; /* the arena, owned */
	size_t budget; /* bytes that the arena may still take */
	size_t steps; /* statements that may still be run */
	bool windows;
	bool failed; /* no memory */
	bool big; /* a text too long, or nested too deep, to be parsed */
	bool spent; /* budget or steps: from here on all is unknown */
	struct ps_scope *scope;
	struct ps_function *function;
	struct ps_env *env;
	enum ps_flow flow;
	unsigned int unsure; /* run only perhaps */
	unsigned int doubt; /* of the condition under which this is run */
	unsigned int trying; /* try blocks around */
	unsigned int calls; /* at once */
	unsigned int called; /* in all */
	unsigned int functions; /* in the list */
	size_t tries; /* of patterns that may still be made */
	bool stop; /* $ErrorActionPreference is Stop */
	bool risky; /* a command was run that may have thrown */
	bool strict; /* Set-StrictMode: a variable that is not set throws */
	bool preset; /* arguments of commands are given elsewhere */
	size_t modern; /* first byte that 5.1 refuses, and 1; 0: none */
	struct ps_node *now; /* the command or assignment that is run */
	struct ps_node *pin; /* whose text is run, which has no place */
	int ret; /* of a nested reader */
};

/* powershell-arena.c */
void *ps_take(struct ps *ps, size_t size);
char *ps_copy(struct ps *ps, const char *text, size_t length);
void ps_release(struct ps *ps);
void ps_push(struct ps *ps, struct ps_list *list, struct ps_value value);
bool ps_same_word(const char *a, const char *b); /* without case */

/* powershell-parse.c: the tree of a text, or NULL: it is refused, and where
 * and why is told. */
struct ps_node *ps_parse(struct ps *ps, const char *text, size_t start,
			 size_t end, size_t *bad, const char **why);

/* powershell-value.c */
struct ps_value ps_unknown(void);
struct ps_value ps_null(void);
struct ps_value ps_bool(bool truth);
struct ps_value ps_int(int64_t number);
struct ps_value ps_real(double real);
struct ps_value ps_text(struct ps *ps, const char *text, size_t length);
struct ps_value ps_string(const char *text); /* of static life */
struct ps_value ps_array(struct ps *ps);
struct ps_value ps_to_text(struct ps *ps, struct ps_value value);
/* 1, 0, or -1: not known */
int ps_truth(struct ps_value value);
bool ps_number(struct ps *ps, struct ps_value value, struct ps_value *out);
struct ps_value *ps_find(const struct ps_hash *hash, const char *key);
void ps_put(struct ps *ps, struct ps_hash *hash, struct ps_value key,
	    struct ps_value value);
/* What a pipeline makes of its output. */
struct ps_value ps_collected(const struct ps_list *out);
/* Add a value to output, its items if it is a list. */
void ps_spread(struct ps *ps, struct ps_list *out, struct ps_value value);

/* powershell-cast.c */
struct ps_value ps_cast(struct ps *ps, const char *type, struct ps_value v);
bool ps_is(struct ps_value value, const char *type, bool *known);

/* powershell-operator.c */
struct ps_value ps_binary(struct ps *ps, int op, struct ps_value a,
			  struct ps_value b);
struct ps_value ps_unary(struct ps *ps, int op, struct ps_value a);
/* 1, 0 or -1 */
int ps_equal(struct ps *ps, struct ps_value a, struct ps_value b, bool cased);
/* Count tries of a pattern; false: there were too many, all is unknown. */
bool ps_try(struct ps *ps, size_t tries);
struct ps_value ps_join(struct ps *ps, struct ps_value list,
			struct ps_value by);
int ps_like(struct ps *ps, const char *text, const char *pattern, bool cased);

/* powershell-match.c: regular expressions.  1, 0, -1: not known. */
struct ps_span {
	size_t start, end; /* start > end: not part of the match */
};

enum { PS_GROUPS = 10 };

int ps_match(struct ps *ps, struct ps_value text, size_t from,
	     const char *pattern, bool cased, struct ps_span group[PS_GROUPS]);
struct ps_value ps_replace(struct ps *ps, struct ps_value text,
			   struct ps_value pattern, struct ps_value by,
			   bool cased);
struct ps_value ps_split(struct ps *ps, struct ps_value text,
			 struct ps_value by, int64_t most, bool cased);

/* powershell-format.c */
struct ps_value ps_format(struct ps *ps, struct ps_value format,
			  const struct ps_list *args);
struct ps_value ps_format_one(struct ps *ps, struct ps_value value,
			      const char *format);

/* powershell-member.c */
struct ps_value ps_member(struct ps *ps, struct ps_value object,
			  const char *name);
struct ps_value ps_index(struct ps *ps, struct ps_value object,
			 struct ps_value index);
struct ps_value ps_invoke(struct ps *ps, struct ps_value object,
			  const char *name, const struct ps_list *args);

/* powershell-static.c */
struct ps_value ps_static(struct ps *ps, const char *type, const char *name);
struct ps_value ps_static_call(struct ps *ps, const char *type,
			       const char *name, const struct ps_list *args);

/* powershell-eval.c */
struct ps_value ps_eval(struct ps *ps, struct ps_node *node);
struct ps_value ps_read(struct ps *ps, const char *name, bool in_text);
void ps_write(struct ps *ps, const char *name, struct ps_value value);
void ps_assign(struct ps *ps, struct ps_node *target, struct ps_value value);

/* powershell-run.c */
void ps_run_each(struct ps *ps, struct ps_node *node,
		 const struct ps_list *input, struct ps_list *out);
void ps_run_block(struct ps *ps, struct ps_node *node, struct ps_list *out);
/* The statement as a value. */
struct ps_value ps_run_value(struct ps *ps, struct ps_node *node);
void ps_fail(struct ps *ps); /* an error that ends the statement */

/* powershell-call.c */
struct ps_argument {
	const char *option; /* NULL: by position */
	struct ps_value value;
	const struct ps_node *node;
};

struct ps_arguments {
	struct ps_argument *item;
	size_t count, room;
	const struct ps_list *input; /* of the pipeline; NULL: none */
};

/* A function or alias more; NULL: no memory, or too many. */
struct ps_function *ps_function(struct ps *ps);
void ps_call(struct ps *ps, const struct ps_node *script,
	     const struct ps_arguments *args, bool scoped, struct ps_list *out);

/* powershell-command.c */
void ps_command(struct ps *ps, struct ps_node *node,
		const struct ps_list *input, struct ps_list *out);
const char *ps_builtin_name(const struct ps *ps, const char *name);
struct ps_value ps_argument(const struct ps_arguments *args, const char *option,
			    size_t position, bool *given);

/* powershell-item.c: commands on Env: and on variables; false: not one. */
bool ps_item_command(struct ps *ps, const char *name,
		     const struct ps_arguments *args, struct ps_list *out);

/* powershell-pipe.c: commands that work on what comes; likewise. */
bool ps_pipe_command(struct ps *ps, const char *name,
		     const struct ps_arguments *args, struct ps_list *out);

/* powershell-child.c: commands that start programs; likewise. */
bool ps_child_command(struct ps *ps, const char *name,
		      const struct ps_arguments *args, struct ps_list *out);
void ps_started(struct ps *ps);
/* A text, or blocks among the arguments, that may be run later, or never. */
void ps_perhaps_text(struct ps *ps, struct ps_value text);
void ps_perhaps_blocks(struct ps *ps, const struct ps_arguments *args);

/* powershell-env.c */
struct ps_env *ps_env(struct ps *ps, const char *name, bool make);
struct ps_value ps_env_get(struct ps *ps, const char *name);
void ps_env_set(struct ps *ps, const char *name, struct ps_value value);
void ps_env_unset(struct ps *ps, const char *name);
/* Note once more what it is. */
void ps_env_say(struct ps *ps, struct ps_env *env);
/* Watched names in this stretch of the part are not known any more. */
void ps_env_doubt(struct ps *ps, size_t start, size_t end);
/* Means to set a variable, and does not. */
void ps_lose(struct ps *ps, const char *name, enum la_script_code code,
	     const char *format, ...) __attribute__((format(printf, 4, 5)));
bool ps_watched(const struct ps *ps, const char *name);
void ps_finish(struct ps *ps);

#endif /* LA_SCRIPT_POWERSHELL_H */
