// SPDX-License-Identifier: Apache-2.0
/* Simple commands of the Bourne family. */
#include <ctype.h>
#include <string.h>

#include "script/shell.h"
#include "util/util.h"

/* Length of NAME in NAME= and NAME+= at the start of a word, 0: none. */
static size_t assigned_name(const struct shell *shell, const struct word *word,
			    bool *append)
{
	const struct piece *piece = word->first;
	const char *text = piece ? piece->text : "";
	size_t n = 0;

	*append = false;
	if (!piece || piece->kind != PIECE_TEXT || piece->quoted ||
	    isdigit((unsigned char)*text))
		return 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	if (n && text[n] == '=')
		return n;
	*append = text[n] == '+' && text[n + 1] == '=' &&
		  shell->table->has & SHELL_APPEND;
	return n && *append ? n : 0;
}

/* The value of a word V=x. */
static void value_of(struct shell *shell, const struct word *word, size_t name,
		     bool append, struct text *value)
{
	const struct state *old = la_shell_state(shell, word->first->text,
						 name);
	struct text whole = { 0 };
	size_t skip = name + 1 + append;

	if (append && old->kind == VALUE_UNKNOWN)
		value->unknown = true;
	if (append && old->kind == VALUE_KNOWN)
		la_text_add(value, old->text, strlen(old->text));
	la_shell_text(shell, word, &whole, true);
	value->unknown |= whole.unknown;
	if (whole.bytes.length >= skip)
		la_text_add(value, whole.bytes.data + skip,
			    whole.bytes.length - skip);
	la_strbuf_release(&whole.bytes);
}

/* V=(a b) */
static bool is_array(const struct word *word)
{
	const struct piece *piece;

	for (piece = word->first; piece; piece = piece->next)
		if (piece->kind == PIECE_ODD && piece->text[0] == '(')
			return true;
	return false;
}

/* An array is no longer followed: of its elements, some shells export one. */
static void tangle(struct shell *shell, const char *name, size_t length)
{
	struct variable *v = la_shell_variable(shell, name, length);

	if (v)
		la_shell_tangle(shell, v);
}

static bool assign_word(struct shell *shell, const struct word *word,
			bool export)
{
	struct text value = { 0 };
	bool append, done;
	size_t name = assigned_name(shell, word, &append);

	if (is_array(word))
		tangle(shell, word->first->text, name);
	value_of(shell, word, name, append, &value);
	done = la_shell_assign(shell, word->first->text, name, &value,
			       (struct place){ word->start, word->end },
			       export);
	la_strbuf_release(&value.bytes);
	return done;
}

static bool assign_words(struct shell *shell, const struct word *word,
			 const struct word *end, bool export)
{
	bool done = true;

	for (; word != end; word = word->next)
		done &= assign_word(shell, word, export);
	return done;
}

void la_shell_error(struct shell *shell, struct place place,
		    enum la_script_code code, const char *why)
{
	la_shell_lost(shell, place.start, place.end, code, why);
	shell->status = STATUS_FALSE;
	if (shell->table->has & SHELL_ERRORS_END)
		la_shell_stop(shell, place);
}

void la_shell_stop(struct shell *shell, struct place place)
{
	shell->status = STATUS_FALSE;
	if (shell->doubt)
		la_shell_may_end(shell, place);
	else
		shell->flow = FLOW_END;
}

static void expand(struct shell *shell, const struct word *word,
		   struct fields *fields)
{
	bool declare = la_shell_declares(shell, la_word_plain(word)), append;

	for (; word && shell->flow == FLOW_NEXT; word = word->next)
		la_shell_fields_one(shell, word, fields,
				    declare && assigned_name(shell, word,
							     &append));
}

/* Say that files may take a word's place; true if the command fails. */
static bool check_patterns(struct shell *shell, const struct fields *fields)
{
	size_t i;

	for (i = 0; i < fields->count; i++)
		if (fields->at[i].pattern && !fields->open &&
		    shell->table->has & SHELL_NO_MATCH_FAILS)
			return true;
	return false;
}

static void say_patterns(struct shell *shell, const struct fields *fields,
			 size_t before)
{
	size_t i;

	if (la_script_count(shell->script) == before)
		return;
	for (i = 0; i < fields->count; i++)
		if (fields->at[i].pattern)
			la_script_say(shell->script, shell->part,
				      la_script_count(shell->script) - 1,
				      LA_SCRIPT_GLOB, fields->at[i].start,
				      fields->at[i].end, NULL);
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const struct slip {
	const char *start; /* of the first word */
	enum la_script_code code;
	bool whole; /* the word is just that */
} slips[] = {
	{ "$env:", LA_SCRIPT_OTHER_LANGUAGE, false },
	{ "${env:", LA_SCRIPT_OTHER_LANGUAGE, false },
	{ "setx", LA_SCRIPT_OTHER_LANGUAGE, true },
	{ "SETX", LA_SCRIPT_OTHER_LANGUAGE, true },
	{ "SET", LA_SCRIPT_OTHER_LANGUAGE, true },
	{ "Set", LA_SCRIPT_OTHER_LANGUAGE, true },
	{ "[Environment]", LA_SCRIPT_OTHER_LANGUAGE, false },
	{ "[System.Environment]", LA_SCRIPT_OTHER_LANGUAGE, false },
	{ "os.environ", LA_SCRIPT_OTHER_LANGUAGE, false },
	{ "%env", LA_SCRIPT_OTHER_LANGUAGE, true },
	{ "ENV", LA_SCRIPT_OTHER_LANGUAGE, true },
	{ "RUN", LA_SCRIPT_OTHER_LANGUAGE, true },
	{ "Environment=", LA_SCRIPT_OTHER_LANGUAGE, false },
	{ "!", LA_SCRIPT_CHILD_ENDS, false },
	{ "$", LA_SCRIPT_NOT_FOUND, true },
	{ "%", LA_SCRIPT_NOT_FOUND, true },
	{ "PS", LA_SCRIPT_NOT_FOUND, true },
	{ ">>>", LA_SCRIPT_NOT_FOUND, true },
	{ "setenv", LA_SCRIPT_NOT_FOUND, true },
	{ "declare", LA_SCRIPT_NOT_FOUND, true },
	{ "typeset", LA_SCRIPT_NOT_FOUND, true },
	{ "local", LA_SCRIPT_NOT_FOUND, true },
	{ "global", LA_SCRIPT_NOT_FOUND, true },
	{ "builtin", LA_SCRIPT_NOT_FOUND, true },
	{ "export", LA_SCRIPT_NOT_FOUND, true },
	{ "\xef\xbb\xbf", LA_SCRIPT_BYTE_ORDER_MARK, false },
	{ "export\xc2\xa0", LA_SCRIPT_LOOKALIKE, false },
	{ "export\xe2\x80", LA_SCRIPT_LOOKALIKE, false },
};

/* The first word as it is written. */
static bool slip_of(const struct shell *shell, const struct field *first,
		    enum la_script_code *code)
{
	const char *text = la_strbuf_text(&first->text.bytes);
	const char *written = shell->part->text + first->start;
	size_t length = first->end - first->start, i, n;

	for (i = 0; i < ARRAY_SIZE(slips); i++) {
		if (!length || *written != *slips[i].start)
			continue;
		n = strlen(slips[i].start);
		if (n > length || memcmp(written, slips[i].start, n) ||
		    (slips[i].whole && n != length))
			continue;
		if (slips[i].whole && la_shell_has_command(shell->table, text))
			continue;
		*code = slips[i].code;
		return true;
	}
	*code = LA_SCRIPT_NOT_FOUND;
	n = strlen(text);
	if (first->text.unknown || !n)
		return false;
	return (strchr(text, '@') && strchr("$#%>", text[n - 1])) ||
	       (strchr(text, '=') && strchr(text, '=') != text &&
		!strchr(text, '/'));
}

/* V = x: the shell takes the name for a command. */
static bool is_name_alone(struct shell *shell, const struct fields *words)
{
	const struct text *text = &words->at[0].text;
	size_t length = text->bytes.length;

	if (text->unknown || !length)
		return false;
	length -= text->bytes.data[length - 1] == ':';
	return la_script_watches(shell->script, text->bytes.data, length,
				 false);
}

bool la_shell_slip(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	enum la_script_code code;

	if (is_name_alone(shell, words)) {
		code = words->count > 1 &&
				       starts(la_strbuf_text(
						      &words->at[1].text.bytes),
					      "=") ?
			       LA_SCRIPT_BLANKS :
			       LA_SCRIPT_OTHER_LANGUAGE;
	} else if (!slip_of(shell, &words->at[0], &code)) {
		return false;
	}
	la_shell_lost(shell, node->start, node->end, code, NULL);
	/* fish also drops what && and || join to it. */
	shell->status = shell->table->has & SHELL_FISH ? STATUS_MAYBE :
							 STATUS_FALSE;
	return true;
}

static const char *name_of(const struct fields *words)
{
	return !words->count || words->at[0].text.unknown ?
		       "" :
		       la_strbuf_text(&words->at[0].text.bytes);
}

/* In ksh, V=x stays set behind a function that f() made. */
static bool keeps_prefix(const struct shell *shell, const struct function *f)
{
	return f->node && f->node->posix &&
	       !(shell->table->has & SHELL_FUNCTION_PREFIX);
}

static size_t count_words(const struct word *word, const struct word *end)
{
	size_t count = 0;

	for (; word != end; word = word->next)
		count++;
	return count;
}

/* What export did to V in f is there behind V=x f in some shells. */
static void doubt_words(struct shell *shell, const struct word *word,
			const struct word *end)
{
	bool append;

	for (; word != end; word = word->next)
		la_shell_assign(shell, word->first->text,
				assigned_name(shell, word, &append), NULL,
				(struct place){ word->start, word->end }, true);
}

/* V=x before a function or program: set while it runs. */
static void run_with(struct shell *shell, const struct node *node,
		     const struct word *end, struct fields *words)
{
	const struct function *f = la_shell_function(shell, name_of(words));
	size_t mark = la_shell_mark(shell), exports = shell->export_count;
	bool set = assign_words(shell, node->words, end,
				!f || shell->table->has &
					       SHELL_FUNCTION_PREFIX);
	bool changed;

	shell->status = STATUS_MAYBE;
	if (!set && shell->table->has & SHELL_ERRORS_END) {
		shell->status = STATUS_FALSE;
		if (!(shell->table->has & SHELL_LAST_STAYS))
			shell->flow = FLOW_END;
	} else if (f) {
		la_shell_call(shell, f, words);
	} else if (!la_shell_nested_shell(shell, node, words)) {
		la_shell_program(shell, words, node);
	}
	if (f && keeps_prefix(shell, f)) {
		la_shell_keep(shell, mark);
		return;
	}
	changed = f && shell->table->has & SHELL_EXPORT_APPEND &&
		  (shell->change_count > mark + count_words(node->words, end) ||
		   shell->export_count > exports);
	la_shell_undo(shell, mark);
	/* busybox keeps the mark of an export that set -a made. */
	if (changed || (shell->allexport &&
			!strcmp(shell->table->name, "busybox sh")))
		doubt_words(shell, node->words, end);
}

static bool is_special(const char *name)
{
	static const char *const names[] = { "eval",   "export", "readonly",
					     "set",    "unset",	 ".",
					     ":",      "exec",	 "shift",
					     "return", "exit",	 "trap" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (la_is_word(names[i], name))
			return true;
	return false;
}

/* V=x before a builtin: some shells keep it. */
static void run_builtin(struct shell *shell, const struct node *node,
			const struct word *end, const struct fields *words)
{
	const char *name = name_of(words);
	bool special = is_special(name);
	const struct word *word;
	size_t mark;

	if (special && shell->table->has & SHELL_PREFIX_STAYS &&
	    node->words != end) {
		/* ksh exports it behind some of them, but not behind eval. */
		if (!strcmp(shell->table->name, "ksh"))
			doubt_words(shell, node->words, end);
		else
			assign_words(shell, node->words, end, false);
	} else if (!strcmp(name, "eval") || !strcmp(name, "exec")) {
		mark = la_shell_mark(shell);
		assign_words(shell, node->words, end,
			     !strcmp(name, "exec") ||
				     strcmp(shell->table->name, "zsh"));
		la_shell_builtin(shell, node, words);
		if (node->words == end)
			la_shell_keep(shell, mark);
		else
			la_shell_undo(shell, mark);
		return;
	}
	for (word = node->words; !special && word != end; word = word->next)
		la_shell_lost(shell, word->start, word->end,
			      LA_SCRIPT_ONE_COMMAND, NULL);
	la_shell_builtin(shell, node, words);
}

static void dispatch(struct shell *shell, const struct node *node,
		     const struct word *end, struct fields *words)
{
	const struct function *f = la_shell_function(shell, name_of(words));

	if (node->words == end && f) {
		la_shell_call(shell, f, words);
		return;
	}
	if (!f && la_shell_is_builtin(shell, name_of(words))) {
		run_builtin(shell, node, end, words);
		return;
	}
	if (!f && la_shell_writes(shell, node, words)) {
		shell->status = STATUS_MAYBE;
		return;
	}
	if (!f && la_shell_slip(shell, node, words))
		return;
	run_with(shell, node, end, words);
	if (shell->capture)
		shell->capture->unknown = true;
}

/* V[0]=x: only running tells. */
static bool assign_element(struct shell *shell, const struct word *word)
{
	const char *text = word && word->first ? word->first->text : "";
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	if (!n || text[n] != '[' || !strstr(text + n, "]=") ||
	    !(shell->table->has & SHELL_ARRAYS))
		return false;
	tangle(shell, text, n);
	la_shell_assign(shell, text, n, NULL,
			(struct place){ word->start, word->end }, true);
	return true;
}

void la_shell_may_end(struct shell *shell, struct place place)
{
	if (shell->said_may_end)
		return;
	shell->said_may_end = true;
	la_script_say(shell->script, shell->part, LA_SCRIPT_WHOLE,
		      LA_SCRIPT_NEEDS_RUNNING, place.start, place.end,
		      "the shell may end here, before what is behind");
}

void la_shell_command(struct shell *shell, const struct node *node)
{
	size_t places = la_script_count(shell->script);
	const struct word *end = node->words;
	struct fields words = { 0 };
	bool append;

	if (assign_element(shell, end))
		return;
	while (end && assigned_name(shell, end, &append))
		end = end->next;
	expand(shell, end, &words);
	if (shell->flow != FLOW_NEXT) {
		la_shell_fields_release(&words);
		return;
	}
	if (!words.count && !words.open && (!node->open || !node->words)) {
		if (!assign_words(shell, node->words, end, false)) {
			la_shell_stop(shell, (struct place){ node->start,
							     node->end });
		}
	} else if (!words.count) {
		run_with(shell, node, end, &words);
	} else if (check_patterns(shell, &words)) {
		la_shell_lost(shell, node->start, node->end, LA_SCRIPT_GLOB,
			      "no file matches: the command does not run");
		shell->status = STATUS_FALSE;
		if (la_shell_is_builtin(shell, name_of(&words)) &&
		    !shell->doubt)
			shell->flow = FLOW_END;
	} else {
		dispatch(shell, node, end, &words);
		say_patterns(shell, &words, places);
	}
	la_shell_fields_release(&words);
}
