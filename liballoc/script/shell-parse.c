// SPDX-License-Identifier: Apache-2.0
/* Commands of the shells of the Bourne family, as a tree. */
#include <string.h>

#include "script/parser-token.h"
#include "util/util.h"

void la_parser_init(struct parser *parser, const struct shell_table *table,
		    const char *text, size_t length, struct arena *arena)
{
	*parser = (struct parser){ 0 };
	la_lexer_init(&parser->lexer, table, text, length, arena);
}

void la_parser_fail(struct parser *parser, const char *why)
{
	if (parser->wrong)
		return;
	parser->wrong = why;
	parser->wrong_at = parser->token.start;
	parser->token.kind = TOKEN_END;
}

void la_parser_advance(struct parser *parser)
{
	if (parser->wrong)
		return;
	parser->token = la_lexer_next(&parser->lexer);
	if (parser->token.kind == TOKEN_WRONG)
		la_parser_fail(parser, parser->lexer.wrong);
}

struct node *la_parser_node(struct parser *parser, enum node_kind kind)
{
	struct node *node = la_arena_get(parser->lexer.arena, sizeof(*node));

	if (!node) {
		la_parser_fail(parser, "out of memory");
		return NULL;
	}
	node->kind = kind;
	node->start = parser->token.start;
	node->end = parser->token.end;
	return node;
}

static void expect_word(struct parser *parser, const char *word)
{
	if (!take_word(parser, word))
		la_parser_fail(parser, "a word is missing that closes it");
}

/* The word that ends a here-document, not expanded; tcsh keeps its quotes. */
static void add_heredoc(struct parser *parser, struct redirect *redirect)
{
	struct arena *arena = parser->lexer.arena;
	struct heredoc *doc = la_arena_get(arena, sizeof(*doc));
	const struct word *word = parser->token.word;
	struct lexer *lexer = &parser->lexer;
	const struct piece *piece;
	struct la_strbuf end = { 0 };

	if (!doc || parser->token.kind != TOKEN_WORD)
		return;
	for (piece = word->first; piece; piece = piece->next) {
		if (!(lexer->table->has & SHELL_TCSH))
			la_strbuf_add(&end, piece->text, piece->length);
		doc->literal |= piece->quoted;
	}
	if (lexer->table->has & SHELL_TCSH)
		la_strbuf_add(&end, lexer->text + word->start,
			      word->end - word->start);
	doc->end = la_arena_copy(arena, la_strbuf_text(&end), end.length);
	la_strbuf_release(&end);
	doc->tabs = redirect->operator[2] == '-';
	if (!doc->end)
		return;
	if (lexer->pending)
		lexer->last_pending->next = doc;
	else
		lexer->pending = doc;
	lexer->last_pending = doc;
	redirect->doc = doc;
}

bool la_parser_redirect(struct parser *parser, struct node *node)
{
	struct redirect *redirect;
	bool doc;

	if (parser->token.kind != TOKEN_REDIRECT)
		return false;
	redirect = la_arena_get(parser->lexer.arena, sizeof(*redirect));
	if (!redirect)
		return false;
	memcpy(redirect->operator, parser->token.operator, 4);
	doc = !strncmp(redirect->operator, "<<", 2) &&
	      redirect->operator[2] != '<';
	redirect->start = parser->token.start;
	redirect->touches = redirect->start == node->end;
	parser->lexer.wrong = NULL;
	parser->token = la_lexer_next(&parser->lexer);
	if (parser->token.kind == TOKEN_WRONG) {
		la_parser_fail(parser, parser->lexer.wrong);
		return false;
	}
	if (parser->token.kind != TOKEN_WORD) {
		la_parser_fail(parser, "a file is missing");
		return false;
	}
	if (doc)
		add_heredoc(parser, redirect);
	else
		redirect->target = parser->token.word;
	redirect->end = node->end = parser->token.end;
	if (node->redirects)
		node->last_redirect->next = redirect;
	else
		node->redirects = redirect;
	node->last_redirect = redirect;
	la_parser_advance(parser);
	return true;
}

void la_parser_simple(struct parser *parser, struct node *node)
{
	struct word **tail = &node->words;

	while (*tail)
		tail = &(*tail)->next;
	for (;;) {
		if (la_parser_redirect(parser, node))
			continue;
		if (parser->token.kind != TOKEN_WORD)
			break;
		*tail = parser->token.word;
		if (parser->token.word->first || !parser->lexer.open_end)
			tail = &parser->token.word->next;
		else
			*tail = NULL;
		node->end = parser->token.end;
		la_parser_advance(parser);
	}
	node->open = parser->lexer.open_end;
}

static struct node *parse_list(struct parser *parser, const char *const *stop);
static struct node *parse_command(struct parser *parser);

/* A list that must end with one of the words. */
static struct node *parse_body(struct parser *parser, const char *const *stop)
{
	struct node *list = parse_list(parser, stop);

	if (!list && !parser->wrong)
		la_parser_fail(parser, "a command is missing");
	return list;
}

static void parse_if(struct parser *parser, struct node *node)
{
	static const char *const then[] = { "then", NULL };
	static const char *const more[] = { "elif", "else", "fi", NULL };
	static const char *const fi[] = { "fi", NULL };
	struct node **tail = &node->child, *part;

	do {
		part = la_parser_node(parser, NODE_GROUP);
		if (!part)
			return;
		part->child = parse_body(parser, then);
		expect_word(parser, "then");
		*tail = part;
		tail = &part->next;
		part = la_parser_node(parser, NODE_GROUP);
		if (!part)
			return;
		part->child = parse_body(parser, more);
		*tail = part;
		tail = &part->next;
	} while (take_word(parser, "elif"));
	if (take_word(parser, "else")) {
		part = la_parser_node(parser, NODE_GROUP);
		if (!part)
			return;
		part->child = parse_body(parser, fi);
		*tail = part;
	}
	expect_word(parser, "fi");
}

static struct node *parse_do(struct parser *parser)
{
	static const char *const done[] = { "done", NULL };
	static const char *const brace[] = { "}", NULL };
	struct node *node;
	bool braces = take_word(parser, "{");

	if (!braces)
		expect_word(parser, "do");
	node = la_parser_node(parser, NODE_GROUP);
	if (node)
		node->child = parse_body(parser, braces ? brace : done);
	expect_word(parser, braces ? "}" : "done");
	return node;
}

static void parse_loop(struct parser *parser, struct node *node)
{
	static const char *const words[] = { "do", NULL };

	node->child = la_parser_node(parser, NODE_GROUP);
	if (!node->child)
		return;
	node->child->child = parse_body(parser, words);
	node->child->next = parse_do(parser);
}

static void parse_for(struct parser *parser, struct node *node)
{
	struct word **tail = &node->words;

	node->name = plain(parser);
	if (!*node->name) {
		la_parser_fail(parser, "the loop has no variable");
		return;
	}
	la_parser_advance(parser);
	skip_newlines(parser);
	if (take_word(parser, "in")) {
		node->listed = true;
		while (parser->token.kind == TOKEN_WORD) {
			*tail = parser->token.word;
			tail = &(*tail)->next;
			la_parser_advance(parser);
		}
	}
	if (at_operator(parser, ";"))
		la_parser_advance(parser);
	skip_newlines(parser);
	node->child = parse_do(parser);
}

static struct node *parse_clause(struct parser *parser)
{
	static const char *const esac[] = { "esac", NULL };
	struct node *clause = la_parser_node(parser, NODE_CLAUSE);
	struct word **tail;

	if (!clause)
		return NULL;
	if (at_operator(parser, "("))
		la_parser_advance(parser);
	for (tail = &clause->words; parser->token.kind == TOKEN_WORD;
	     la_parser_advance(parser)) {
		*tail = parser->token.word;
		tail = &(*tail)->next;
		la_parser_advance(parser);
		if (!at_operator(parser, "|"))
			break;
	}
	if (!at_operator(parser, ")"))
		la_parser_fail(parser, "a pattern is not closed");
	la_parser_advance(parser);
	clause->child = parse_list(parser, esac);
	if (!at_operator(parser, ";;") && !at_word(parser, "esac"))
		la_parser_fail(parser, "a case is not closed");
	if (at_operator(parser, ";;"))
		la_parser_advance(parser);
	skip_newlines(parser);
	return clause;
}

static void parse_case(struct parser *parser, struct node *node)
{
	struct node **tail = &node->child;

	if (parser->token.kind != TOKEN_WORD) {
		la_parser_fail(parser, "case of nothing");
		return;
	}
	node->words = parser->token.word;
	la_parser_advance(parser);
	skip_newlines(parser);
	expect_word(parser, "in");
	skip_newlines(parser);
	while (!parser->wrong && !at_word(parser, "esac")) {
		*tail = parse_clause(parser);
		if (!*tail)
			return;
		tail = &(*tail)->next;
	}
	expect_word(parser, "esac");
}

/* [[ ... ]]: its words, operators among them. */
static void parse_test(struct parser *parser, struct node *node)
{
	struct word **tail = &node->words, *word;

	while (!parser->wrong && !at_word(parser, "]]")) {
		if (parser->token.kind == TOKEN_END ||
		    parser->token.kind == TOKEN_NEWLINE) {
			la_parser_fail(parser, "no ]]");
			return;
		}
		word = parser->token.word;
		if (parser->token.kind != TOKEN_WORD) {
			word = la_arena_get(parser->lexer.arena, sizeof(*word));
			if (!word)
				return;
			word->start = parser->token.start;
			word->end = parser->token.end;
		}
		*tail = word;
		tail = &word->next;
		la_parser_advance(parser);
	}
	la_parser_advance(parser);
}

/* (( ... )), at its first bracket, or false: a child shell. */
static bool skip_arithmetic(struct parser *parser)
{
	struct lexer *lexer = &parser->lexer;
	size_t end;

	if (!(lexer->table->has & SHELL_ARITHMETIC) ||
	    lexer->at >= lexer->length || lexer->text[lexer->at] != '(')
		return false;
	end = la_lexer_closing(lexer->text, lexer->length, lexer->at + 1, ')');
	if (!end || end >= lexer->length || lexer->text[end] != ')')
		return false;
	lexer->at = end + 1;
	la_parser_advance(parser);
	return true;
}

static void parse_function(struct parser *parser, struct node *node)
{
	skip_newlines(parser);
	node->child = parse_command(parser);
	if (!node->child)
		la_parser_fail(parser, "the function has no body");
}

static void parse_brackets(struct parser *parser, struct node *node)
{
	if (skip_arithmetic(parser)) {
		node->kind = NODE_ODD;
		return;
	}
	la_parser_advance(parser);
	node->child = parse_list(parser, NULL);
	if (!node->child)
		la_parser_fail(parser, "a command is missing");
	if (!at_operator(parser, ")"))
		la_parser_fail(parser, "no closing parenthesis");
	la_parser_advance(parser);
}

static void parse_braces(struct parser *parser, struct node *node)
{
	static const char *const brace[] = { "}", NULL };

	node->child = parse_body(parser, brace);
	expect_word(parser, "}");
}

static void parse_named_function(struct parser *parser, struct node *node)
{
	node->name = plain(parser);
	la_parser_advance(parser);
	if (at_operator(parser, "(")) {
		la_parser_advance(parser);
		if (!at_operator(parser, ")"))
			la_parser_fail(parser, "no closing parenthesis");
		la_parser_advance(parser);
	}
	parse_function(parser, node);
}

static const struct compound {
	const char *word;
	enum node_kind kind;
	void (*parse)(struct parser *parser, struct node *node);
	unsigned int needs; /* shell_feature */
} compounds[] = {
	{ "if", NODE_IF, parse_if, 0 },
	{ "while", NODE_WHILE, parse_loop, 0 },
	{ "until", NODE_UNTIL, parse_loop, 0 },
	{ "for", NODE_FOR, parse_for, 0 },
	{ "select", NODE_ODD, parse_for, SHELL_ARITHMETIC },
	{ "case", NODE_CASE, parse_case, 0 },
	{ "{", NODE_GROUP, parse_braces, 0 },
	{ "[[", NODE_TEST, parse_test, SHELL_DOUBLE_BRACKET },
	{ "function", NODE_FUNCTION, parse_named_function,
	  SHELL_FUNCTION_WORD },
};

static const struct compound *compound_at(const struct parser *parser)
{
	unsigned int has = parser->lexer.table->has;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(compounds); i++)
		if (at_word(parser, compounds[i].word) &&
		    (has & compounds[i].needs) == compounds[i].needs)
			return &compounds[i];
	return NULL;
}

static struct node *parse_simple(struct parser *parser)
{
	struct node *node = la_parser_node(parser, NODE_SIMPLE);

	if (!node)
		return NULL;
	la_parser_simple(parser, node);
	if (!at_operator(parser, "("))
		return node;
	if (!node->words || node->words->next || node->redirects) {
		la_parser_fail(parser, "a parenthesis out of place");
		return node;
	}
	la_parser_advance(parser);
	if (!at_operator(parser, ")")) {
		la_parser_fail(parser, "a parenthesis out of place");
		return node;
	}
	la_parser_advance(parser);
	node->kind = NODE_FUNCTION;
	node->posix = true;
	node->name = la_word_plain(node->words);
	parse_function(parser, node);
	return node;
}

static bool is_reserved(const char *word)
{
	static const char *const words[] = { "then", "elif", "else", "fi", "do",
					     "done", "esac", "}",    "in" };
	size_t i;

	for (i = 0; i + 1 < ARRAY_SIZE(words); i++)
		if (la_is_word(words[i], word))
			return true;
	return false;
}

static struct node *parse_command(struct parser *parser)
{
	const struct compound *compound = compound_at(parser);
	struct node *node;

	if (parser->depth == SHELL_TREE_DEPTH) {
		la_parser_fail(parser, "nested too deep");
		return NULL;
	}
	if (!compound && !at_operator(parser, "(")) {
		if ((parser->token.kind != TOKEN_WORD &&
		     parser->token.kind != TOKEN_REDIRECT) ||
		    is_reserved(plain(parser)))
			return NULL;
		return parse_simple(parser);
	}
	node = la_parser_node(parser,
			      compound ? compound->kind : NODE_SUBSHELL);
	if (!node)
		return NULL;
	parser->depth++;
	if (compound) {
		la_parser_advance(parser);
		compound->parse(parser, node);
	} else {
		parse_brackets(parser, node);
	}
	parser->depth--;
	while (la_parser_redirect(parser, node))
		;
	node->end = parser->token.start;
	return node;
}

struct node *la_parser_pipe(struct parser *parser, struct node *node,
			    struct node *(*command)(struct parser *parser),
			    bool newlines)
{
	struct node **tail;

	for (tail = &node->child;; tail = &(*tail)->next) {
		*tail = command(parser);
		if (!*tail) {
			if (node->child)
				la_parser_fail(parser, "a command is missing");
			return node->child ? node : NULL;
		}
		if (!at_operator(parser, "|") && !at_operator(parser, "|&"))
			return node->child->next ? node : node->child;
		la_parser_advance(parser);
		if (newlines)
			skip_newlines(parser);
	}
}

static struct node *parse_pipe(struct parser *parser)
{
	struct node *node, *one;
	bool not = false;

	while (at_word(parser, "!") ||
	       (at_word(parser, "time") &&
		parser->lexer.table->has & SHELL_ARITHMETIC)) {
		not ^= at_word(parser, "!");
		la_parser_advance(parser);
	}
	node = la_parser_node(parser, NODE_PIPE);
	if (!node)
		return NULL;
	node = la_parser_pipe(parser, node, parse_command, true);
	if (!node || !not)
		return node;
	one = la_parser_node(parser, NODE_NOT);
	if (one) {
		one->start = node->start;
		one->child = node;
	}
	return one;
}

static struct node *parse_chain(struct parser *parser)
{
	struct node *chain = la_parser_node(parser, NODE_CHAIN), *one, **tail;
	enum joint joint = JOINT_FIRST;

	if (!chain)
		return NULL;
	for (tail = &chain->child;; tail = &one->next) {
		one = *tail = parse_pipe(parser);
		if (!one) {
			if (chain->child)
				la_parser_fail(parser, "a command is missing");
			return chain->child ? chain : NULL;
		}
		one->joint = joint;
		if (!at_operator(parser, "&&") && !at_operator(parser, "||"))
			break;
		joint = at_operator(parser, "&&") ? JOINT_AND : JOINT_OR;
		la_parser_advance(parser);
		skip_newlines(parser);
	}
	chain->end = chain->child == one ? one->end : parser->token.start;
	return chain->child->next ? chain : chain->child;
}

static bool at_stop(const struct parser *parser, const char *const *stop)
{
	for (; stop && *stop; stop++)
		if (at_word(parser, *stop))
			return true;
	return false;
}

/* One chain and the ; or & behind it. */
static struct node *parse_one(struct parser *parser)
{
	struct node *node = parse_chain(parser), *child;

	if (!node)
		return NULL;
	if (at_operator(parser, "&") || at_operator(parser, "&!") ||
	    at_operator(parser, "&|")) {
		child = la_parser_node(parser, NODE_SUBSHELL);
		if (!child)
			return NULL;
		child->start = node->start;
		child->child = node;
		node = child;
		la_parser_advance(parser);
	} else if (at_operator(parser, ";")) {
		la_parser_advance(parser);
	}
	return node;
}

/* Commands up to one of the words, or to what is no command. */
static struct node *parse_list(struct parser *parser, const char *const *stop)
{
	struct node *first = NULL, **tail = &first;

	skip_newlines(parser);
	while (!parser->wrong && !at_stop(parser, stop)) {
		*tail = parse_one(parser);
		if (!*tail)
			break;
		tail = &(*tail)->next;
		skip_newlines(parser);
	}
	return first;
}

struct node *la_shell_parse(struct parser *parser)
{
	struct node *first = NULL, **tail = &first;

	la_parser_advance(parser);
	skip_newlines(parser);
	while (!parser->wrong && parser->token.kind != TOKEN_END &&
	       parser->token.kind != TOKEN_NEWLINE) {
		*tail = parse_one(parser);
		if (!*tail) {
			la_parser_fail(parser, "a word out of place");
			return NULL;
		}
		tail = &(*tail)->next;
	}
	return parser->wrong ? NULL : first;
}
