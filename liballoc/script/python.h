/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python as far as it is read: tokens (python-token.c), values and where they
 * are kept (python-value.c), texts (python-text.c), expressions
 * (python-expr.c), calls that act (python-call.c), statements (python.c).
 */
#ifndef LA_SCRIPT_PYTHON_H
#define LA_SCRIPT_PYTHON_H

#include "script/internal.h"
#include "util/strbuf.h"

enum py_token_type {
	PY_NAME,
	PY_NUMBER,
	PY_STRING, /* with prefix and quotes */
	PY_OPERATOR,
	PY_NEWLINE, /* ends a logical line */
	PY_MAGIC, /* a line of IPython: %env, !export */
	PY_OTHER, /* no token of Python */
	PY_END
};

struct py_token {
	uint32_t start, end; /* bytes of the source */
	uint32_t indent; /* columns before its logical line */
	uint8_t type;
	bool cut; /* a string without its end */
};

/* A text and its tokens; what the evaluator stands on. */
struct py_source {
	const char *text; /* not owned */
	size_t length;
	struct py_token *token; /* owned; the last one is PY_END */
	size_t count, room;
	size_t at; /* the token that is read next */
	bool cell; /* of a notebook: has lines of IPython */
	bool open; /* a bracket or string is open at the end */
};

/* cell: with lines of IPython. */
int py_source_init(struct py_source *source, const char *text, size_t length,
		   bool cell);
void py_source_release(struct py_source *source);

/* The token that is read next, and what it is. */
const struct py_token *py_now(const struct py_source *source);
bool py_token_is(const struct py_source *source, size_t index,
		 const char *text);
bool py_is(const struct py_source *source, const char *text);
bool py_take(struct py_source *source, const char *text);
/* Go to the next token of stops ("," and the like, blank-separated) outside
 * of brackets, or the end of the line. */
void py_skip_to(struct py_source *source, const char *stops);

enum py_kind {
	PY_UNKNOWN,
	PY_NOTHING, /* None */
	PY_BOOL,
	PY_INT,
	PY_FLOAT,
	PY_TEXT,
	PY_BYTES, /* not kept */
	PY_LIST, /* and tuple */
	PY_DICT,
	PY_PATH, /* a name that the text does not explain: os.environ */
	PY_MEMBER, /* an attribute of a value */
	PY_FUNCTION /* of the text */
};

struct py_map;

/* Values are made once and never changed, but for the maps of dicts. */
struct py_value {
	enum py_kind kind;
	int64_t number; /* BOOL, INT; FUNCTION: its index */
	const char *text; /* TEXT, PATH, MEMBER, FLOAT (as str() gives it);
			     UNKNOWN: what it may be */
	size_t length; /* of text; of items */
	const struct py_value *const *item; /* LIST */
	const struct py_value *owner; /* MEMBER */
	struct py_map *map; /* DICT */
};

struct py_entry {
	struct py_entry *next; /* of the same bucket */
	struct py_entry *later; /* in the order of the map */
	const char *name;
	size_t length;
	const struct py_value *value; /* NULL: removed */
	bool own; /* not copied from os.environ */
};

enum { PY_BUCKETS = 8 };

struct py_map {
	struct py_entry **bucket;
	size_t buckets, count;
	struct py_entry *first, **last;
	bool environment; /* os.environ or a copy: has names not seen here */
	bool used; /* a program was started with it, or another has it */
	size_t assignment; /* that was noted for it, or LA_SCRIPT_WHOLE */
};

/* A function of the text. */
struct py_function {
	const char *name;
	size_t length;
	size_t parameters; /* token behind its ( */
	size_t body; /* first token of it */
	uint32_t indent; /* of its def */
	bool called;
	bool running;
};

struct py_chunk;

/* A dict that was made with a variable that is watched. */
struct py_pending {
	struct py_map *map;
	const struct py_entry *entry;
};

struct py {
	struct la_script *script;
	const struct la_script_part *part;
	struct la_error *err;
	struct py_source source; /* what is being read */
	struct py_chunk *chunk; /* all values */
	size_t spent; /* bytes of them */
	size_t steps; /* statements run */
	int failed; /* -errno */
	unsigned int depth; /* expressions and blocks within each other */
	unsigned int maybe; /* > 0: in lines that may not run */
	unsigned int calls; /* functions within each other */
	bool dead; /* the lines that follow do not run */
	size_t start, end; /* the statement, bytes of the part */
	struct py_map *variable;
	struct py_map *os_environ; /* os.environ */
	struct py_map *c_environ; /* what putenv() set besides it */
	const struct py_value *returned; /* by the function that ran last */
	/* Names assigned since a branch began, to be forgotten after it */
	struct py_entry **touched;
	size_t touched_count, touched_room;
	struct py_function *function;
	size_t function_count, function_room;
	struct py_pending *pending;
	size_t pending_count, pending_room;
	size_t pending_noted; /* of them */
	size_t torch_line, cuda_line; /* of import, of CUDA's start; 0: none */
	bool cuda_maybe; /* CUDA may not have started there */
	bool imports_torch; /* somewhere in the text */
	bool reads_name; /* a variable of Python with that name is read */
	size_t refused; /* line at which Python refuses the text; 0: none */
	size_t first, last; /* assignments: known to be there, noted last */
	size_t begin; /* the first one of this text */
	unsigned int blocks; /* within each other */
	bool unsure; /* a condition before this branch was not known */
	bool in_class; /* functions are methods */
	bool left; /* the function may have returned before */
	bool returning; /* dead until the function ends */
	struct py_map *called; /* names that are called somewhere */
	/* The subscript that was read last, and the token behind it. */
	const struct py_value *target_owner, *target_key;
	size_t target_end;
};

extern const struct py_value py_unknown, py_none, py_bytes;

/* Values; py_unknown when memory or the budget is at its end. */
void *py_alloc(struct py *py, size_t size);
const struct py_value *py_int(struct py *py, int64_t number);
const struct py_value *py_bool(struct py *py, bool is);
const struct py_value *py_text(struct py *py, const char *text, size_t length);
const struct py_value *py_path(struct py *py, const char *text, size_t length);
const struct py_value *
py_list(struct py *py, const struct py_value *const *item, size_t count);
const struct py_value *py_dict(struct py *py, struct py_map *map);
bool py_is_path(const struct py_value *value, const char *path);

struct py_map *py_map_new(struct py *py);
struct py_entry *py_map_find(const struct py_map *map, const char *name,
			     size_t length);
/* The entry set, or NULL without memory. */
struct py_entry *py_map_set(struct py *py, struct py_map *map, const char *name,
			    size_t length, const struct py_value *value);
void py_map_merge(struct py *py, struct py_map *into, struct py_map *from);
void py_release(struct py *py);
/* To be forgotten when the branch ends. */
void py_touch(struct py *py, struct py_entry *entry);

/* str() of a value into out; false: not known. */
bool py_str(struct la_strbuf *out, const struct py_value *value);
/* The literal of a token, prefix and quotes included. */
const struct py_value *py_literal(struct py *py, const struct py_token *token);
/* "%d" % x */
const struct py_value *py_percent(struct py *py, const struct py_value *format,
				  const struct py_value *with);

struct py_arguments {
	const struct py_value **value;
	const char **name; /* NULL: by position */
	size_t *name_length;
	size_t count;
	bool more; /* *x or **x that is not known */
};

const struct py_value *py_argument(const struct py_arguments *arguments,
				   size_t position, const char *name);
/* A method of str, or NULL: no such one. */
const struct py_value *py_text_method(struct py *py,
				      const struct py_value *text,
				      const char *method,
				      const struct py_arguments *arguments);

/* An expression with its conditional part but without commas. */
const struct py_value *py_expression(struct py *py);
/* A list of them: a tuple if there is a comma. */
const struct py_value *py_expressions(struct py *py);
/* a operation b, each one character; "/" stands for "//". */
const struct py_value *py_apply(struct py *py, char operation,
				const struct py_value *a,
				const struct py_value *b);
/* Is it true?  -1: not known. */
int py_truth(const struct py_value *value);
/* What a name of the text stands for. */
const struct py_value *py_lookup(struct py *py, const char *name,
				 size_t length);
void py_assign(struct py *py, const char *name, size_t length,
	       const struct py_value *value);

/* The first name between text and end that is watched, and its length; or
 * NULL. */
const char *py_find_watched(const struct py *py, const char *text,
			    const char *end, size_t *length);
/* Note a place of the statement. */
size_t py_note(struct py *py, const char *name, size_t length,
	       const char *value, enum la_script_fate fate);
/* os.environ[name] = value, with all that follows from it. */
void py_environ_set(struct py *py, const struct py_value *name,
		    const struct py_value *value);
void py_putenv(struct py *py, const struct py_value *name,
	       const struct py_value *value);
void py_unsetenv(struct py *py, const char *name, size_t length);
void py_environ_delete(struct py *py, const char *name, size_t length);
/* The key of a dict other than os.environ. */
void py_dict_set(struct py *py, struct py_map *map, const struct py_value *key,
		 const struct py_value *value);
void py_environ_update(struct py *py, struct py_map *from);
/* A program is started with a dict as its environment. */
void py_start_with(struct py *py, struct py_map *map);
/* Note the dicts that the statement made. */
void py_pending_note(struct py *py);

/* Indices below it are of assignments that exist. */
size_t py_count(struct py *py);

/* A shell runs a text and ends. */
void py_run_shell(struct py *py, enum la_script_kind kind, const char *text,
		  size_t length);

/* Find what a call does and what it gives. */
const struct py_value *py_call(struct py *py, const struct py_value *callee,
			       const struct py_arguments *arguments);
const struct py_value *py_subscript(struct py *py, const struct py_value *value,
				    const struct py_value *key);
void py_subscript_set(struct py *py, const struct py_value *owner,
		      const struct py_value *key, const struct py_value *value);
void py_subscript_delete(struct py *py, const struct py_value *owner,
			 const struct py_value *key);
/* Make a function of the text run; what it returns. */
const struct py_value *py_run(struct py *py, size_t function,
			      const struct py_arguments *arguments);

#endif /* LA_SCRIPT_PYTHON_H */
