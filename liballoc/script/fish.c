// SPDX-License-Identifier: Apache-2.0
/* Simple commands of fish: set and its like. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/shell.h"
#include "util/util.h"

/* Options of set. */
struct wish {
	bool export, unexport, local, global, universal, function;
	bool erase, query, append, prepend, path, show, wrong;
};

static const struct {
	const char *name;
	char letter;
} options[] = {
	{ "export", 'x' },    { "unexport", 'u' }, { "local", 'l' },
	{ "global", 'g' },    { "universal", 'U' }, { "function", 'f' },
	{ "erase", 'e' },     { "query", 'q' },	   { "append", 'a' },
	{ "prepend", 'p' },   { "path", 'P' },	   { "unpath", 'N' },
	{ "names", 'n' },     { "show", 'S' },
};

static void read_letter(char letter, struct wish *wish)
{
	bool *const flags[] = { &wish->export,	  &wish->unexport,
				&wish->local,	  &wish->global,
				&wish->universal, &wish->function,
				&wish->erase,	  &wish->query,
				&wish->append,	  &wish->prepend,
				&wish->path };
	static const char letters[] = "xulgUfeqapP";
	const char *at = strchr(letters, letter);

	if (at && letter)
		*flags[at - letters] = true;
	else if (letter == 'S' || letter == 'n')
		wish->show = true;
	else if (letter != 'N' && letter != 'L')
		wish->wrong = true;
}

static void read_long(const char *name, struct wish *wish)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, name)) {
			read_letter(options[i].letter, wish);
			return;
		}
	wish->wrong = true;
}

static size_t read_options(const struct fields *words, struct wish *wish)
{
	const char *option;
	size_t i, k;

	for (i = 1; i < words->count; i++) {
		option = text_at(words, i);
		if (option[0] != '-' || !option[1] || words->at[i].text.unknown)
			break;
		if (!strcmp(option, "--"))
			return i + 1;
		if (option[1] == '-') {
			read_long(option + 2, wish);
			continue;
		}
		for (k = 1; option[k]; k++)
			read_letter(option[k] == 'P' || option[k] == 'N' ?
					    '?' :
					    option[k],
				    wish);
	}
	return i;
}

static bool is_name(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n && !text[n];
}

static void join(const struct fields *words, size_t first, const char *with,
		 struct text *text)
{
	size_t i;

	text->unknown |= words->open;
	for (i = first; i < words->count; i++) {
		if (i > first)
			la_text_add(text, with, 1);
		text->unknown |= words->at[i].text.unknown ||
				 words->at[i].pattern ||
				 (words->at[i].list && *with != ' ');
		la_text_add(text, text_at(words, i),
			    words->at[i].text.bytes.length);
	}
}

static bool is_path(const char *name)
{
	size_t length = strlen(name);

	return length >= 4 && !strcmp(name + length - 4, "PATH");
}

static void tangle(struct shell *shell, const char *name)
{
	struct variable *v = la_shell_variable(shell, name, strlen(name));

	if (v && v->hidden)
		la_shell_tangle(shell, v);
}

static void query(struct shell *shell, const struct fields *words,
		  size_t first);

static void erase(struct shell *shell, const struct fields *words,
		  size_t first, const struct wish *wish)
{
	struct variable *v;
	size_t i;

	query(shell, words, first);
	for (i = first; i < words->count; i++) {
		v = la_shell_variable(shell, text_at(words, i),
				      strlen(text_at(words, i)));
		if (v && (v->hidden || wish->local || wish->function ||
			  wish->universal))
			la_shell_tangle(shell, v);
	}
	for (i = first; i < words->count; i++)
		if (is_name(text_at(words, i)))
			la_shell_unset(shell, text_at(words, i),
				       strlen(text_at(words, i)),
				       (struct place){ words->at[i].start,
						       words->at[i].end });
}

static void query(struct shell *shell, const struct fields *words, size_t first)
{
	const struct state *state;
	size_t i;

	shell->status = STATUS_TRUE;
	for (i = first; i < words->count; i++) {
		state = la_shell_state(shell, text_at(words, i),
				       strlen(text_at(words, i)));
		if (state->kind == VALUE_UNKNOWN || !is_name(text_at(words, i)))
			shell->status = STATUS_MAYBE;
		else if (state->kind == VALUE_UNSET &&
			 shell->status == STATUS_TRUE)
			shell->status = STATUS_FALSE;
	}
}

static void add_state(const struct state *state, struct text *value)
{
	value->unknown |= state->kind == VALUE_UNKNOWN;
	if (state->kind == VALUE_KNOWN)
		la_text_add(value, state->text, strlen(state->text));
}

/* What the variable will be, its words joined. */
static void make_value(struct shell *shell, const struct fields *words,
		       size_t first, const struct wish *wish,
		       struct text *value)
{
	const char *name = text_at(words, first);
	const struct state *old = la_shell_state(shell, name, strlen(name));
	const char *with = wish->path || is_path(name) ? ":" : " ";

	if ((wish->append || wish->prepend) && old->kind == VALUE_KNOWN &&
	    !*old->text)
		value->unknown = true; /* a list of none, or of one word */
	if (wish->append) {
		add_state(old, value);
		if (old->kind == VALUE_KNOWN && words->count > first + 1)
			la_text_add(value, with, 1);
	}
	join(words, first + 1, with, value);
	if (wish->prepend) {
		if (old->kind == VALUE_KNOWN && words->count > first + 1)
			la_text_add(value, with, 1);
		add_state(old, value);
	}
}

static void set_list(struct shell *shell, const char *name, bool list)
{
	struct variable *v = la_shell_variable(shell, name, strlen(name));

	if (v)
		v->state.list = list;
}

/* Does it make a variable of the block or function?  The scope, 0: no. */
static unsigned int own_scope(const struct shell *shell,
			      const struct variable *v,
			      const struct wish *wish)
{
	if (wish->global || wish->universal)
		return 0;
	if (wish->local)
		return shell->scope;
	if (wish->function)
		return shell->function_scope;
	if (!shell->in_function)
		return 0;
	if (v->state.kind == VALUE_UNSET ||
	    (v->state.kind == VALUE_UNKNOWN &&
	     v->state.assignment == LA_SCRIPT_WHOLE))
		return shell->function_scope;
	return 0;
}

/* Before the variable is set: one of the block's own hides what there is. */
static void choose_scope(struct shell *shell, struct variable *v,
			 const struct wish *wish)
{
	unsigned int scope = own_scope(shell, v, wish);
	struct state state = { .assignment = LA_SCRIPT_WHOLE, .scope = scope };

	if (wish->universal ||
	    (v->hidden && (wish->global || wish->function)))
		la_shell_tangle(shell, v);
	else if (scope && scope != v->state.scope) {
		la_shell_local(shell, v);
		la_shell_set_state(shell, v, state);
	}
}

void la_fish_enter(struct shell *shell)
{
	struct state state = { .assignment = LA_SCRIPT_WHOLE };
	struct variable *v;
	size_t i;

	for (i = 0; i < shell->watched_count; i++) {
		v = shell->watched[i];
		if (!v->hidden || v->tangled)
			continue;
		if (!v->state.exported) {
			la_shell_tangle(shell, v);
			continue;
		}
		la_shell_local(shell, v);
		state = v->state;
		state.scope = shell->scope;
		if (state.text)
			state.text = strdup(state.text);
		la_shell_set_state(shell, v, state);
	}
}

static void assign(struct shell *shell, const struct fields *words,
		   size_t first, const struct wish *wish)
{
	const char *name = text_at(words, first);
	struct variable *v = la_shell_variable(shell, name, strlen(name));
	struct place place = { words->at[0].start,
			       words->at[words->count - 1].end };
	struct text value = { 0 };

	make_value(shell, words, first, wish, &value);
	if (v)
		choose_scope(shell, v, wish);
	if (wish->unexport)
		la_shell_unset(shell, name, strlen(name), place);
	la_shell_assign(shell, name, strlen(name), &value, place,
			wish->export);
	set_list(shell, name, words->count != first + 2 || wish->append ||
				      wish->prepend || is_path(name));
	la_strbuf_release(&value.bytes);
}

static void refuse(struct shell *shell, const struct node *node,
		   enum la_script_code code)
{
	la_shell_lost(shell, node->start, node->end, code, NULL);
	shell->status = STATUS_FALSE;
}

static void run_set(struct shell *shell, const struct node *node,
		    const struct fields *words)
{
	struct wish wish = { 0 };
	size_t first = read_options(words, &wish);
	const char *name = text_at(words, first);
	bool index = strchr(name, '[');

	if (wish.query) {
		query(shell, words, first);
		return;
	}
	if (wish.wrong) {
		refuse(shell, node, LA_SCRIPT_SYNTAX);
		return;
	}
	if (first >= words->count || wish.show)
		return;
	if (wish.erase) {
		erase(shell, words, first, &wish);
	} else if (words->at[first].text.unknown || index) {
		la_shell_assign(shell, name, strcspn(name, "["), NULL,
				(struct place){ node->start, node->end },
				wish.export);
	} else if (!is_name(name)) {
		refuse(shell, node,
		       strchr(name, '=') ? LA_SCRIPT_OTHER_LANGUAGE :
					   LA_SCRIPT_SYNTAX);
	} else {
		assign(shell, words, first, &wish);
	}
}

/* export NAME=value, a function of fish. */
static void run_export(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	const struct field *field;
	const char *text, *equals;
	struct place place;
	struct text value;
	size_t i;

	for (i = 1; i < words->count; i++) {
		field = &words->at[i];
		text = text_at(words, i);
		equals = strchr(text, '=');
		place = (struct place){ field->start, field->end };
		value = (struct text){ .unknown = field->text.unknown };
		if (equals && equals > text) {
			char *name = strndup(text, equals - text);
			bool fine = name && is_name(name);

			la_text_add(&value, equals + 1, strlen(equals + 1));
			if (fine)
				tangle(shell, name);
			if (fine)
				la_shell_assign(shell, name, strlen(name),
						&value, place, true);
			else
				refuse(shell, node, LA_SCRIPT_SYNTAX);
			free(name);
		} else if (is_name(text)) {
			tangle(shell, text);
			add_state(la_shell_state(shell, text, strlen(text)),
				  &value);
			la_shell_assign(shell, text, strlen(text), &value,
					place, true);
		} else if (*text != '-' && shell->status == STATUS_TRUE) {
			refuse(shell, node,
			       *text == '=' ? LA_SCRIPT_BLANKS :
					      LA_SCRIPT_SYNTAX);
		}
		la_strbuf_release(&value.bytes);
	}
}

static void run_setenv(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	struct wish wish = { .export = true, .global = true };

	if (words->count > 3 || (words->count > 1 &&
				 !is_name(text_at(words, 1)))) {
		refuse(shell, node,
		       strchr(text_at(words, 1), '=') ?
			       LA_SCRIPT_OTHER_LANGUAGE :
			       LA_SCRIPT_SYNTAX);
	} else if (words->count > 1) {
		assign(shell, words, 1, &wish);
		shell->status = STATUS_MAYBE; /* releases differ */
	}
}

static void run_read(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	bool export = false;
	size_t i;

	(void)node;
	for (i = 1; i < words->count; i++) {
		const char *text = text_at(words, i);

		export |= text[0] == '-' && strchr(text, 'x');
		if (is_name(text))
			la_shell_assign(shell, text, strlen(text), NULL,
					(struct place){ words->at[i].start,
							words->at[i].end },
					export);
	}
	shell->status = STATUS_MAYBE;
}

static void run_eval(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	(void)node;
	la_shell_eval(shell, words, 1);
}

static void run_string(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	struct text text = { 0 };

	shell->status = STATUS_MAYBE;
	if (!shell->capture)
		return;
	if (strcmp(text_at(words, 1), "join") || words->count < 4 ||
	    node->redirects || text_at(words, 2)[1]) {
		shell->capture->unknown = true;
		return;
	}
	join(words, 3, text_at(words, 2), &text);
	shell->capture->unknown |= text.unknown;
	la_text_add(shell->capture, la_strbuf_text(&text.bytes),
		    text.bytes.length);
	la_strbuf_release(&text.bytes);
}

static void run_alias(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	const char *name = text_at(words, 1);

	(void)node;
	if (words->count > 1)
		la_shell_alias(shell, name, strcspn(name, "="));
}

static const struct {
	const char *name;
	void (*run)(struct shell *shell, const struct node *node,
		    const struct fields *words);
} commands[] = {
	{ "set", run_set },	  { "export", run_export },
	{ "setenv", run_setenv }, { "read", run_read },
	{ "eval", run_eval },	  { "string", run_string },
	{ "alias", run_alias },
};

/* Builtins that the Bourne family has too, alike enough. */
static bool is_shared(const char *name)
{
	static const char *const names[] = {
		"true",	 "false", ":",	    "echo",   "printf", "test",
		"[",	 "cd",	  "source", ".",      "exit",	"return",
		"break", "continue", "exec", "jobs",  "wait",	"pwd",
		"type",	 "ulimit", "umask"
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (la_is_word(names[i], name))
			return true;
	return false;
}

bool la_fish_is_own(const struct shell *shell, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (la_is_word(commands[i].name, name))
			return true;
	return is_shared(name) || la_shell_function(shell, name);
}

/* Words that stand for several: what they are one by one is not known. */
static void doubt_lists(struct fields *words)
{
	const char *name = text_at(words, 0);
	size_t i;

	if (!strcmp(name, "set") || !strcmp(name, "echo") ||
	    !strcmp(name, "string"))
		return;
	for (i = 1; i < words->count; i++)
		words->at[i].text.unknown |= words->at[i].list;
}

/* set does not change the status: that of a command in its words stays. */
static bool has_command(const struct node *node)
{
	const struct word *word;
	const struct piece *piece;

	for (word = node->words; word; word = word->next)
		for (piece = word->first; piece; piece = piece->next)
			if (piece->kind == PIECE_COMMAND)
				return true;
	return false;
}

static bool run_own(struct shell *shell, const struct node *node,
		    const struct fields *words)
{
	const char *name = text_at(words, 0);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (la_is_word(commands[i].name, name)) {
			if (commands[i].run != run_set)
				shell->status = STATUS_TRUE;
			else if (has_command(node))
				shell->status = STATUS_MAYBE;
			commands[i].run(shell, node, words);
			return true;
		}
	if (!is_shared(name))
		return false;
	shell->status = STATUS_TRUE;
	la_shell_builtin(shell, node, words);
	return true;
}

/* Length of NAME in NAME=value before a command. */
static size_t prefix_name(const struct word *word)
{
	const char *text = word->first && !word->first->quoted &&
				       word->first->kind == PIECE_TEXT ?
			       word->first->text :
			       "";
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return text[n] == '=' ? n : 0;
}

static void assign_prefix(struct shell *shell, const struct word *word)
{
	struct text text = { 0 }, value = { 0 };
	size_t n = prefix_name(word);

	const struct word *list = la_shell_braces(shell, word);

	la_shell_text(shell, word, &text, false);
	value.unknown = text.unknown || (list && list->next) ||
			strchr(la_strbuf_text(&text.bytes), '\n');
	if (text.bytes.length > n)
		la_text_add(&value, text.bytes.data + n + 1,
			    text.bytes.length - n - 1);
	la_shell_assign(shell, word->first->text, n, &value,
			(struct place){ word->start, word->end }, true);
	la_strbuf_release(&text.bytes);
	la_strbuf_release(&value.bytes);
}

static void run_program(struct shell *shell, const struct node *node,
			const struct fields *words)
{
	shell->status = STATUS_MAYBE;
	if (la_shell_writes(shell, node, words))
		return;
	if (shell->capture)
		shell->capture->unknown = true;
	if (!words->count || !la_shell_nested_shell(shell, node, words))
		la_shell_program(shell, words, node);
}

/* builtin X and command X: only what is that. */
static void run_named(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	struct fields rest = { words->at + 1, words->count - 1, 0, false };
	const char *name = text_at(words, 1);
	bool builtin = !strcmp(text_at(words, 0), "builtin");
	bool function = !strcmp(name, "export") || !strcmp(name, "setenv");

	if (function || (!builtin && !strcmp(name, "set")))
		refuse(shell, node, LA_SCRIPT_NOT_FOUND);
	else if (!builtin || !run_own(shell, node, &rest))
		run_program(shell, node, &rest);
}

static void run_words(struct shell *shell, const struct node *node,
		      struct fields *words)
{
	const char *name = text_at(words, 0);
	const struct function *f = la_shell_function(shell, name);

	doubt_lists(words);
	if (words->count && f) {
		shell->status = STATUS_TRUE;
		la_shell_call(shell, f, words);
	} else if (words->count > 1 && (!strcmp(name, "builtin") ||
					!strcmp(name, "command"))) {
		run_named(shell, node, words);
	} else if (!words->count || words->at[0].text.unknown ||
		   (!run_own(shell, node, words) &&
		    !la_shell_slip(shell, node, words))) {
		run_program(shell, node, words);
	}
}

/* What a function did to a variable that was set for it alone. */
static void doubt_prefixes(struct shell *shell, const struct word *word,
			   const struct word *end)
{
	for (; word != end; word = word->next)
		la_shell_assign(shell, word->first->text, prefix_name(word),
				NULL, (struct place){ word->start, word->end },
				true);
}

void la_fish_command(struct shell *shell, const struct node *node)
{
	const struct word *word = node->words;
	struct fields words = { 0 };
	size_t mark = la_shell_mark(shell), set, i;
	bool patterns = false, changed;

	while (word && prefix_name(word) && (word->next || node->open)) {
		assign_prefix(shell, word);
		word = word->next;
	}
	set = shell->change_count;
	la_shell_fields(shell, word, &words);
	for (i = 0; i < words.count; i++)
		patterns |= words.at[i].pattern;
	if (patterns && strcmp(text_at(&words, 0), "set") &&
	    strcmp(text_at(&words, 0), "builtin")) {
		la_shell_lost(shell, node->start, node->end, LA_SCRIPT_GLOB,
			      NULL);
		shell->status = STATUS_FALSE;
	} else if (shell->flow == FLOW_NEXT) {
		run_words(shell, node, &words);
	}
	changed = la_shell_function(shell, text_at(&words, 0)) &&
		  shell->change_count > set;
	la_shell_fields_release(&words);
	if (node->words == word) {
		la_shell_keep(shell, mark);
		return;
	}
	la_shell_undo(shell, mark);
	if (changed)
		doubt_prefixes(shell, node->words, word);
}
