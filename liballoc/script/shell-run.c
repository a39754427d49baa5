// SPDX-License-Identifier: Apache-2.0
/* What runs, and how often, as far as the text tells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/shell.h"
#include "util/error.h"

enum {
	RUN_DEPTH = 32, /* texts and calls within each other */
	RUN_TURNS = 64 /* of a loop */
};

static void run_node(struct shell *shell, const struct node *node);

/* Does what follows still run? */
static bool goes_on(const struct shell *shell)
{
	return shell->flow == FLOW_NEXT && !shell->error;
}

/* What runs in a block: of fish, with variables of its own. */
static void run_block(struct shell *shell, const struct node *list)
{
	size_t locals = shell->local_count;
	unsigned int outer = shell->scope;

	if (!(shell->table->has & SHELL_FISH)) {
		la_shell_run(shell, list);
		return;
	}
	shell->scope = ++shell->scope_count;
	la_shell_run(shell, list);
	la_shell_leave(shell, locals);
	shell->scope = outer;
}

void la_shell_run(struct shell *shell, const struct node *list)
{
	for (; list && goes_on(shell); list = list->next)
		run_node(shell, list);
}

/* Run what may not run at all. */
static void run_maybe(struct shell *shell, const struct node *list)
{
	size_t mark = la_shell_mark(shell);

	shell->doubt++;
	run_block(shell, list);
	shell->doubt--;
	shell->flow = FLOW_NEXT;
	la_shell_blur(shell, mark);
	shell->status = STATUS_MAYBE;
}

static void run_alone(struct shell *shell, const struct node *node)
{
	struct node one = *node;

	one.next = NULL;
	la_shell_run(shell, &one);
}

static void run_alone_maybe(struct shell *shell, const struct node *node)
{
	struct node one = *node;

	one.next = NULL;
	run_maybe(shell, &one);
}

/* A condition: its failure ends nothing. */
static void run_condition(struct shell *shell, const struct node *list)
{
	bool errexit = shell->errexit;

	shell->errexit = false;
	if (!(shell->table->has & SHELL_FISH))
		shell->status = STATUS_TRUE;
	la_shell_run(shell, list);
	shell->errexit = errexit;
}

/* May things still run more than once? */
static bool may_repeat(const struct shell *shell)
{
	return shell->budget > shell->part->length;
}

static void run_chain(struct shell *shell, const struct node *node)
{
	const struct node *one;

	for (one = node->child; one && goes_on(shell); one = one->next) {
		if (one->joint != JOINT_FIRST &&
		    shell->status == STATUS_MAYBE) {
			run_alone_maybe(shell, one);
			continue;
		}
		if ((one->joint == JOINT_AND &&
		     shell->status == STATUS_FALSE) ||
		    (one->joint == JOINT_OR && shell->status == STATUS_TRUE))
			continue;
		if (one->next) {
			struct node alone = *one;

			alone.next = NULL;
			run_condition(shell, &alone);
		} else {
			run_alone(shell, one);
		}
	}
}

/* A child shell ends, and what it made since. */
static void forget_functions(struct shell *shell, struct function *before)
{
	while (shell->function != before) {
		shell->function->of->function = shell->function->older;
		shell->function = shell->function->next;
	}
}

/* Run in a child shell: nothing of it stays. */
static void run_apart(struct shell *shell, const struct node *list,
		      const char *why)
{
	size_t mark = la_shell_mark(shell), unseen = shell->unseen_count;
	bool allexport = shell->allexport, errexit = shell->errexit;
	bool line_ends = shell->line_ends;
	struct function *functions = shell->function;

	la_shell_run(shell, list);
	la_shell_ends(shell, unseen, LA_SCRIPT_CHILD_ENDS, why);
	la_shell_undo(shell, mark);
	forget_functions(shell, functions);
	shell->allexport = allexport;
	shell->errexit = errexit;
	shell->line_ends = line_ends;
	if (shell->flow == FLOW_END)
		shell->flow = FLOW_NEXT;
}

/* fish starts nothing of a pipeline of which a command does not exist. */
static bool may_be_missing(const struct shell *shell, const struct node *node)
{
	const struct node *one;

	if (!(shell->table->has & SHELL_FISH))
		return false;
	for (one = node->child; one; one = one->next)
		if (one->kind == NODE_SIMPLE &&
		    !la_fish_is_own(shell, la_word_plain(one->words)))
			return true;
	return false;
}

static void run_pipe(struct shell *shell, const struct node *node)
{
	const struct node *one;
	struct text *capture = shell->capture;
	struct node alone;
	bool stays, doubt = may_be_missing(shell, node);

	if (la_shell_pipes(shell, node))
		return;
	shell->doubt += doubt;
	for (one = node->child; one && goes_on(shell); one = one->next) {
		alone = *one;
		alone.next = NULL;
		stays = !one->next && shell->table->has & SHELL_LAST_STAYS;
		stays |= shell->table->has & SHELL_FISH;
		if (capture)
			capture->unknown = true;
		shell->capture = NULL;
		if (stays)
			la_shell_run(shell, &alone);
		else
			run_apart(shell, &alone,
				  "a command of a pipeline runs in a child shell that ends");
	}
	shell->capture = capture;
	shell->doubt -= doubt;
}

static void run_if(struct shell *shell, const struct node *node)
{
	const struct node *part = node->child, *body;

	for (; part && goes_on(shell); part = body->next) {
		body = part->next;
		if (!body) { /* else */
			run_block(shell, part->child);
			return;
		}
		run_condition(shell, part->child);
		if (!goes_on(shell))
			return;
		if (shell->status == STATUS_TRUE) {
			run_block(shell, body->child);
			return;
		}
		if (shell->status == STATUS_FALSE) {
			shell->status = STATUS_TRUE;
			continue;
		}
		run_maybe(shell, body->child);
		for (part = body->next; part; part = part->next)
			run_maybe(shell, part->child);
		return;
	}
}

/* Names that commands may set, forgotten before what may run more than once. */
static void forget_word(struct shell *shell, const struct word *word)
{
	const struct piece *piece;
	const char *text;
	size_t n;

	for (piece = word->first; piece; piece = piece->next) {
		text = piece->text;
		n = strspn(text,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "0123456789_");
		if (n && (!text[n] || text[n] == '=' || text[n] == '+')) {
			struct variable *v = la_shell_variable(shell, text, n);
			struct state state;

			if (!v || v->state.kind == VALUE_UNKNOWN)
				continue;
			state = v->state;
			state.kind = VALUE_UNKNOWN;
			state.text = NULL;
			la_shell_set_state(shell, v, state);
		}
	}
}

static void forget(struct shell *shell, const struct node *node)
{
	const struct word *word;

	for (; node; node = node->next) {
		for (word = node->words; word; word = word->next)
			forget_word(shell, word);
		forget(shell, node->child);
	}
}

/* A body that runs some unknown number of times. */
static void run_some(struct shell *shell, const struct node *node,
		     const struct node *body)
{
	struct node one = *node;

	one.next = NULL;
	one.words = NULL;
	forget(shell, &one);
	run_maybe(shell, body);
	shell->status = STATUS_MAYBE;
}

/* After a turn: does the loop go on? */
static bool next_turn(struct shell *shell)
{
	if (shell->flow == FLOW_CONTINUE) {
		shell->flow = FLOW_NEXT;
		return true;
	}
	if (shell->flow == FLOW_BREAK) {
		shell->flow = FLOW_NEXT;
		return false;
	}
	return goes_on(shell);
}

static void run_while(struct shell *shell, const struct node *node)
{
	enum status wanted = node->kind == NODE_WHILE ? STATUS_TRUE :
							STATUS_FALSE;
	int turns = 0;

	do {
		run_condition(shell, node->child->child);
		if (!goes_on(shell) || (shell->status != wanted &&
					shell->status != STATUS_MAYBE))
			break;
		if (shell->status == STATUS_MAYBE || turns++ == RUN_TURNS ||
		    !may_repeat(shell)) {
			run_some(shell, node, node->child->next->child);
			return;
		}
		run_block(shell, node->child->next->child);
	} while (next_turn(shell));
	if (goes_on(shell))
		shell->status = STATUS_TRUE;
}

static void set_loop_variable(struct shell *shell, const struct node *node,
			      const struct text *value)
{
	struct variable *v = la_shell_variable(shell, node->name,
					       strlen(node->name));

	/* In fish, a variable of the loop hides the one there was. */
	if (v && v->watched && shell->table->has & SHELL_FISH)
		la_shell_tangle(shell, v);
	la_shell_assign(shell, node->name, strlen(node->name), value,
			(struct place){ node->start, node->start }, false);
}

static void run_for(struct shell *shell, const struct node *node)
{
	struct fields fields = { 0 };
	size_t i;

	la_shell_fields(shell, node->words, &fields);
	for (i = 0; i < fields.count; i++)
		fields.open |= fields.at[i].pattern;
	if (!node->listed || fields.open || fields.count > RUN_TURNS ||
	    (fields.count > 1 && !may_repeat(shell))) {
		set_loop_variable(shell, node, NULL);
		run_some(shell, node, node->child->child);
		la_shell_fields_release(&fields);
		return;
	}
	for (i = 0; i < fields.count && goes_on(shell); i++) {
		set_loop_variable(shell, node, &fields.at[i].text);
		run_block(shell, node->child->child);
		if (!next_turn(shell))
			break;
	}
	la_shell_fields_release(&fields);
}

/* Does a pattern of a clause fit? */
static enum status fits(struct shell *shell, const struct word *pattern,
			const struct text *subject)
{
	struct text text = { 0 };
	enum status status = STATUS_FALSE;

	la_shell_text(shell, pattern, &text, false);
	if (!strcmp(la_strbuf_text(&text.bytes), "*") && !text.unknown)
		status = STATUS_TRUE;
	else if (text.unknown || subject->unknown ||
		 strpbrk(la_strbuf_text(&text.bytes), "\\|(+@"))
		status = STATUS_MAYBE;
	else if (la_shell_matches(la_strbuf_text(&text.bytes),
				  la_strbuf_text(&subject->bytes)))
		status = STATUS_TRUE;
	la_strbuf_release(&text.bytes);
	return status;
}

static void run_case(struct shell *shell, const struct node *node)
{
	const struct node *clause;
	const struct word *pattern;
	struct text subject = { 0 };
	enum status status = STATUS_FALSE;
	bool doubtful = false;

	la_shell_text(shell, node->words, &subject, false);
	for (clause = node->child;
	     clause && status != STATUS_TRUE && goes_on(shell);
	     clause = clause->next) {
		status = STATUS_FALSE;
		for (pattern = clause->words; pattern && status == STATUS_FALSE;
		     pattern = pattern->next)
			status = fits(shell, pattern, &subject);
		if (status == STATUS_FALSE || !goes_on(shell))
			continue;
		doubtful |= status == STATUS_MAYBE;
		if (doubtful)
			run_maybe(shell, clause->child);
		else
			run_block(shell, clause->child);
	}
	la_strbuf_release(&subject.bytes);
}

/* node NULL: an alias. */
static void define(struct shell *shell, const char *name, size_t length,
		   const struct node *node)
{
	struct function *function = la_arena_get(&shell->kept,
						 sizeof(*function));
	struct variable *of = la_shell_variable(shell, name, length);

	if (!function || !of) {
		shell->error = -ENOMEM;
		return;
	}
	*function = (struct function){ .next = shell->function,
				       .older = of->function,
				       .of = of,
				       .node = node,
				       .part = shell->part,
				       .process = shell->process };
	shell->function = of->function = function;
	shell->status = STATUS_TRUE;
}

static void define_function(struct shell *shell, const struct node *node)
{
	struct node *own = la_arena_get(&shell->kept, sizeof(*own));

	if (!own) {
		shell->error = -ENOMEM;
		return;
	}
	*own = *node;
	define(shell, node->name, strlen(node->name), own);
}

void la_shell_alias(struct shell *shell, const char *name, size_t length)
{
	define(shell, name, length, NULL);
}

const struct function *la_shell_function(const struct shell *shell,
					 const char *name)
{
	const struct variable *v = la_shell_find(shell, name, strlen(name));
	const struct function *f = v ? v->function : NULL;

	return f && f->process == shell->process ? f : NULL;
}

void la_shell_call(struct shell *shell, const struct function *function,
		   struct fields *words)
{
	const struct la_script_part *part = shell->part;
	struct fields *arguments = shell->arguments;
	bool inside = shell->in_function, has_locals = shell->has_locals;
	unsigned int scope = shell->scope, around = shell->function_scope;
	size_t locals = shell->local_count, i;

	if (!function->node) {
		for (i = 1; i < words->count; i++)
			la_shell_doubt(shell, words->at[i].start,
				       words->at[i].end);
		shell->status = STATUS_MAYBE;
		return;
	}
	if (shell->depth == RUN_DEPTH || !may_repeat(shell)) {
		forget(shell, function->node->child);
		shell->status = STATUS_MAYBE;
		return;
	}
	shell->depth++;
	shell->part = function->part;
	shell->arguments = words;
	shell->in_function = true;
	shell->has_locals = !(function->node->posix &&
			      !strcmp(shell->table->name, "ksh"));
	shell->scope = shell->function_scope = ++shell->scope_count;
	if (shell->table->has & SHELL_FISH)
		la_fish_enter(shell);
	la_shell_run(shell, function->node->child);
	if (shell->flow == FLOW_RETURN)
		shell->flow = FLOW_NEXT;
	la_shell_leave(shell, locals);
	shell->scope = scope;
	shell->function_scope = around;
	shell->in_function = inside;
	shell->has_locals = has_locals;
	shell->arguments = arguments;
	shell->part = part;
	shell->depth--;
}

static void say_redirects(struct shell *shell, const struct node *node)
{
	const struct redirect *r;

	for (r = node->redirects; r; r = r->next)
		if (r->touches && r->operator[0] == '>' && node->words)
			la_script_say(shell->script, shell->part,
				      LA_SCRIPT_WHOLE, LA_SCRIPT_REDIRECTED,
				      r->start, r->end, NULL);
}

static void run_simple(struct shell *shell, const struct node *node)
{
	size_t places = la_script_count(shell->script);
	enum status before = shell->status;

	if (shell->budget)
		shell->budget--;
	else
		shell->error = la_error_set(shell->err, -EFBIG, LA_NO_OFFSET,
					    "too many commands");
	if (shell->error)
		return;
	shell->status = STATUS_TRUE;
	if (shell->table->has & SHELL_FISH) {
		shell->status = before;
		la_fish_command(shell, node);
	} else if (shell->table->has & SHELL_TCSH) {
		la_tcsh_command(shell, node);
	} else {
		la_shell_command(shell, node);
	}
	if (la_script_count(shell->script) > places)
		say_redirects(shell, node);
	if (shell->errexit && shell->status == STATUS_FALSE && !shell->doubt)
		shell->flow = FLOW_END;
}

static void run_not(struct shell *shell, const struct node *node)
{
	run_condition(shell, node->child);
	if (shell->status != STATUS_MAYBE)
		shell->status = shell->status == STATUS_TRUE ? STATUS_FALSE :
							       STATUS_TRUE;
}

static void run_test(struct shell *shell, const struct node *node)
{
	struct fields fields = { 0 };
	const struct word *word;
	struct field *field;

	shell->status = STATUS_MAYBE;
	for (word = node->words; word; word = word->next) {
		if (!word->first)
			fields.open = true;
		la_shell_fields_one(shell, word, &fields, true);
		field = fields.count ? &fields.at[fields.count - 1] : NULL;
		if (field && field->text.bytes.length &&
		    strpbrk(field->text.bytes.data, "*?[|("))
			fields.open = true;
	}
	if (!fields.open)
		shell->status = la_shell_test(shell, &fields, 0, fields.count);
	la_shell_fields_release(&fields);
}

/* Of an expression of tcsh: a variable that is not set ends the script. */
static void look_at_words(struct shell *shell, const struct node *node)
{
	struct fields fields = { 0 };

	if (!(shell->table->has & SHELL_TCSH))
		return;
	la_shell_fields(shell, node->words, &fields);
	la_shell_fields_release(&fields);
}

static void run_node(struct shell *shell, const struct node *node)
{
	switch (node->kind) {
	case NODE_SIMPLE:
		run_simple(shell, node);
		break;
	case NODE_PIPE:
		run_pipe(shell, node);
		break;
	case NODE_CHAIN:
		run_chain(shell, node);
		break;
	case NODE_NOT:
		run_not(shell, node);
		break;
	case NODE_SUBSHELL:
		run_apart(shell, node->child, NULL);
		break;
	case NODE_GROUP:
		if (!la_shell_group_writes(shell, node))
			run_block(shell, node->child);
		break;
	case NODE_CLAUSE:
		run_block(shell, node->child);
		break;
	case NODE_IF:
		run_if(shell, node);
		break;
	case NODE_WHILE:
	case NODE_UNTIL:
		run_while(shell, node);
		break;
	case NODE_FOR:
		run_for(shell, node);
		break;
	case NODE_CASE:
		run_case(shell, node);
		break;
	case NODE_FUNCTION:
		define_function(shell, node);
		break;
	case NODE_TEST:
		run_test(shell, node);
		break;
	case NODE_ODD:
		shell->status = STATUS_MAYBE;
		look_at_words(shell, node);
		if (node->child)
			run_some(shell, node, node->child);
		break;
	}
}

static struct node *parse(struct parser *parser)
{
	if (parser->lexer.table->has & SHELL_FISH)
		return la_fish_parse(parser);
	if (parser->lexer.table->has & SHELL_TCSH)
		return la_tcsh_parse(parser);
	return la_shell_parse(parser);
}

/* fish runs nothing of a text with an error anywhere. */
static bool is_whole(struct shell *shell, const struct la_script_part *part)
{
	struct arena arena = { 0 };
	struct parser parser;
	bool more = true;

	if (!(shell->table->has & SHELL_FISH))
		return true;
	la_parser_init(&parser, shell->table, part->text, part->length, &arena);
	while (more) {
		more = parse(&parser);
		la_arena_reset(&arena);
	}
	la_arena_release(&arena);
	la_lexer_release(&parser.lexer);
	if (!parser.wrong)
		return true;
	la_shell_lost(shell, 0, part->length, LA_SCRIPT_SYNTAX, parser.wrong);
	shell->status = STATUS_FALSE;
	if (shell->capture)
		shell->capture->unknown = true;
	else if (!shell->depth)
		shell->flow = FLOW_END;
	return false;
}

/* Functions stay after the line that made them. */
static void keep_arena(struct shell *shell, struct arena *arena,
		       const struct function *before)
{
	if (shell->function != before)
		la_arena_join(&shell->kept, arena);
	else
		la_arena_reset(arena);
}

void la_shell_run_text(struct shell *shell, const struct la_script_part *part)
{
	const struct la_script_part *outer = shell->part;
	const struct function *functions;
	struct arena arena = { 0 };
	struct parser parser;
	const struct node *node;
	size_t from = 0;
	bool whole;

	shell->part = part;
	la_parser_init(&parser, shell->table, part->text, part->length, &arena);
	whole = is_whole(shell, part);
	while (whole && goes_on(shell)) {
		from = parser.lexer.at;
		node = parse(&parser);
		if (!node)
			break;
		if (shell->line_ends &&
		    memchr(part->text + from, '\n', node->start - from)) {
			shell->flow = FLOW_END;
			break;
		}
		from = parser.lexer.at;
		functions = shell->function;
		la_shell_run(shell, node);
		keep_arena(shell, &arena, functions);
	}
	if (arena.failed || parser.lexer.scratch.failed)
		shell->error = -ENOMEM;
	if (shell->line_ends)
		shell->flow = FLOW_END;
	la_arena_release(&arena);
	la_lexer_release(&parser.lexer);
	if (parser.wrong && goes_on(shell)) {
		la_shell_lost(shell, from, part->length, LA_SCRIPT_SYNTAX,
			      parser.wrong);
		shell->status = STATUS_FALSE;
		shell->flow = FLOW_END;
	} else if (whole && shell->flow == FLOW_END) {
		la_shell_lost(shell, from, part->length, LA_SCRIPT_SYNTAX,
			      "the shell ends before this line");
	}
	shell->part = outer;
}

/* ( ) of fish: in the shell itself, as a block. */
static void run_captured(struct shell *shell, const struct la_script_part *part)
{
	struct la_script_part *own = la_arena_get(&shell->kept, sizeof(*own));
	size_t locals = shell->local_count;
	unsigned int scope = shell->scope;

	if (!own) {
		shell->error = -ENOMEM;
		return;
	}
	*own = *part;
	shell->scope = ++shell->scope_count;
	la_shell_run_text(shell, own);
	la_shell_leave(shell, locals);
	shell->scope = scope;
}

static void run_child(struct shell *shell, const struct la_script_part *part)
{
	size_t mark = la_shell_mark(shell), unseen = shell->unseen_count;
	const struct la_script_part *now = shell->part;

	la_shell_run_text(shell, part);
	shell->part = part;
	la_shell_ends(shell, unseen, LA_SCRIPT_CHILD_ENDS, NULL);
	la_shell_undo(shell, mark);
	shell->part = now;
}

void la_shell_run_child(struct shell *shell, const char *text, size_t length,
			size_t offset, bool exact, struct text *capture,
			const struct shell_table *table)
{
	const struct la_script_part *now = shell->part;
	struct la_script_part part = { .text = text, .length = length };
	struct shell outer = *shell;

	part.exact = exact && now->exact;
	part.offset = la_script_offset(now, offset);
	if (shell->depth == RUN_DEPTH) {
		if (capture)
			capture->unknown = true;
		return;
	}
	shell->depth++;
	shell->capture = capture;
	if (!capture) {
		shell->process = ++shell->process_count;
		shell->table = table;
		shell->allexport = shell->errexit = shell->nounset = false;
		shell->in_function = false;
	} else if (shell->errexit) { /* in some shells it goes on */
		capture->unknown = true;
		shell->errexit = false;
	}
	if (capture && table->has & SHELL_FISH)
		run_captured(shell, &part);
	else
		run_child(shell, &part);
	forget_functions(shell, outer.function);
	shell->depth--;
	shell->capture = outer.capture;
	shell->process = outer.process;
	shell->table = outer.table;
	shell->allexport = outer.allexport;
	shell->errexit = outer.errexit;
	shell->nounset = outer.nounset;
	shell->in_function = outer.in_function;
	if (outer.errexit)
		shell->status = STATUS_MAYBE;
	shell->flow = outer.flow;
}
