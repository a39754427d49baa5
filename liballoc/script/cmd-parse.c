// SPDX-License-Identifier: Apache-2.0
/* Lines of cmd: quotes, carets, redirections, & && || | ( ) if for. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/cmd.h"

enum {
	DEPTH = 32, /* blocks within blocks */
	OPERATORS = 512 /* && || | of one line or block */
};

/* What is being read. */
struct lines {
	struct cmd_run *run;
	struct cmd_text line; /* expanded; \n at its end */
	size_t at; /* in line */
	size_t next; /* line of the part that follows; SIZE_MAX: none do */
	struct cmd_node *owned; /* all nodes made */
	unsigned int depth; /* commands within commands */
	unsigned int blocks; /* open */
	unsigned int operators; /* met */
	bool wrong; /* cmd refuses it */
};

/* The next line of the part, expanded with what is known now. */
static bool fetch(struct lines *in)
{
	const struct la_script_part *part = in->run->part;
	struct cmd_text raw = { 0 };
	size_t i = in->next;

	if (i == SIZE_MAX || i >= part->length)
		return false;
	cmd_text_free(&in->line);
	in->at = 0;
	for (; i < part->length && part->text[i] != '\n'; i++)
		if (part->text[i] && part->text[i] != '\r')
			cmd_text_put(&raw, part->text[i], i);
	in->next = i + 1;
	cmd_expand_percent(in->run, &in->line, &raw);
	cmd_text_put(&in->line, '\n', i);
	if (raw.failed || in->line.failed)
		in->run->ret = -EFBIG;
	cmd_text_free(&raw);
	return !in->run->ret;
}

static char look(const struct lines *in)
{
	return in->at < in->line.length ? in->line.byte[in->at] : '\n';
}

static size_t here(const struct lines *in)
{
	return cmd_text_first(&in->line, in->at);
}

static void skip_delimiters(struct lines *in)
{
	while (in->at < in->line.length && cmd_is_delimiter(look(in)))
		in->at++;
}

static struct cmd_node *new_node(struct lines *in, enum cmd_type type)
{
	struct cmd_node *node = calloc(1, sizeof(*node));

	if (!node) {
		in->run->ret = -ENOMEM;
		return NULL;
	}
	node->type = type;
	node->start = here(in);
	node->owned = in->owned;
	in->owned = node;
	return node;
}

/* Is this word next?  Then it is passed. */
static bool take_word(struct lines *in, const char *word)
{
	size_t length = strlen(word), end;

	if (in->line.length < in->at + length ||
	    strncasecmp(in->line.byte + in->at, word, length))
		return false;
	end = in->at + length;
	if (end < in->line.length && !cmd_is_delimiter(in->line.byte[end]) &&
	    !strchr("\n()/&|<>@\"", in->line.byte[end]))
		return false;
	in->at = end;
	return true;
}

/* ^: the next byte stands for itself, that of the next line at a line's end. */
static bool take_caret(struct lines *in, struct cmd_text *to)
{
	in->at++;
	if (look(in) == '\n' && !fetch(in))
		return false;
	if (look(in) == '\n')
		return true;
	cmd_text_put(to, look(in), here(in));
	in->at++;
	return true;
}

static void take_quoted(struct lines *in, struct cmd_text *to)
{
	do {
		cmd_text_put(to, look(in), here(in));
		in->at++;
	} while (look(in) != '"' && look(in) != '\n');
	if (look(in) == '"') {
		cmd_text_put(to, '"', here(in));
		in->at++;
	}
}

/* One word into to, up to a delimiter or one of stop. */
static void take_token(struct lines *in, struct cmd_text *to, const char *stop)
{
	char byte;

	while ((byte = look(in)) != '\n' &&
	       (!byte || (!cmd_is_delimiter(byte) && !strchr(stop, byte)))) {
		if (byte == '"') {
			take_quoted(in, to);
		} else if (byte == '^') {
			if (!take_caret(in, to))
				return;
		} else {
			cmd_text_put(to, byte, here(in));
			in->at++;
		}
	}
}

/* A digit right before > says which handle, if it is a word of its own. */
static void drop_handle(struct cmd_text *text, size_t base)
{
	size_t n = text->length;

	if (n > base && text->byte[n - 1] >= '0' && text->byte[n - 1] <= '9' &&
	    (n == base + 1 || cmd_is_delimiter(text->byte[n - 2])))
		text->byte[--text->length] = '\0';
}

static bool at_end(const struct lines *in)
{
	char byte = look(in);

	return byte == '\n' || byte == '&' || byte == '|' ||
	       (byte == ')' && in->blocks);
}

static void take_redirection(struct lines *in, struct cmd_node *node)
{
	size_t start = here(in);
	bool output = look(in) == '>';

	drop_handle(&node->text, 0);
	in->at++;
	if (look(in) == '>')
		in->at++;
	if (look(in) == '&') {
		in->at++;
		skip_delimiters(in);
		if (look(in) >= '0' && look(in) <= '9')
			in->at++;
		return;
	}
	skip_delimiters(in);
	if (at_end(in) || look(in) == '<' || look(in) == '>')
		in->wrong = true;
	if (output && !node->redirect_end) {
		node->redirect_start = start;
		cmd_text_free(&node->list);
		take_token(in, &node->list, "<>&|)");
		node->redirect_end = here(in);
	} else {
		struct cmd_text other = { 0 };

		take_token(in, &other, "<>&|)");
		cmd_text_free(&other);
	}
}

static struct cmd_node *read_simple(struct lines *in)
{
	struct cmd_node *node = new_node(in, CMD_SIMPLE);
	char byte;

	while (node && !at_end(in) && !in->wrong) {
		byte = look(in);
		if (byte == '"') {
			take_quoted(in, &node->text);
		} else if (byte == '^') {
			if (!take_caret(in, &node->text))
				break;
		} else if (byte == '>' || byte == '<') {
			take_redirection(in, node);
		} else {
			if (node->text.length || !cmd_is_delimiter(byte))
				cmd_text_put(&node->text, byte, here(in));
			in->at++;
		}
	}
	if (node)
		node->end = here(in);
	return node;
}

/* What is not followed: the rest of the line. */
static struct cmd_node *read_rest(struct lines *in)
{
	struct cmd_node *node = new_node(in, CMD_BLOCK);

	in->at = in->line.length - 1;
	if (node)
		node->end = here(in);
	return node;
}

static struct cmd_node *read_both(struct lines *in);

/* Lines up to the closing parenthesis, which is passed. */
static struct cmd_node *read_block(struct lines *in)
{
	struct cmd_node *node = new_node(in, CMD_BLOCK), *pair;
	struct cmd_node **tail = node ? &node->left : NULL;
	struct cmd_node *command;

	in->at++;
	in->blocks++;
	while (node && !in->wrong && !in->run->ret) {
		skip_delimiters(in);
		if (look(in) == ')')
			break;
		if (look(in) == '\n') {
			if (!fetch(in))
				in->wrong = true;
			continue;
		}
		command = read_both(in);
		pair = new_node(in, CMD_BOTH);
		if (!pair)
			break;
		pair->left = command;
		*tail = pair;
		tail = &pair->right;
	}
	in->blocks--;
	in->at++;
	while (node && (cmd_is_delimiter(look(in)) || look(in) == '>' ||
			look(in) == '<')) {
		if (cmd_is_delimiter(look(in)))
			in->at++;
		else
			take_redirection(in, node);
	}
	return node;
}

static void read_operator(struct lines *in, struct cmd_node *node)
{
	static const char *const words[] = { "equ", "neq", "lss",
					     "leq", "gtr", "geq" };
	size_t i;

	while (cmd_is_blank(look(in)) || look(in) == ',' || look(in) == ';')
		in->at++;
	if (look(in) == '=' && in->line.byte[in->at + 1] == '=') {
		memcpy(node->operator, "==", 3);
		in->at += 2;
		return;
	}
	for (i = 0; i < 6; i++)
		if (take_word(in, words[i])) {
			memcpy(node->operator, words[i], 4);
			return;
		}
	in->wrong = true;
}

static void read_test(struct lines *in, struct cmd_node *node)
{
	for (skip_delimiters(in);; skip_delimiters(in)) {
		if (take_word(in, "/i"))
			node->fold = true;
		else if (take_word(in, "not"))
			node->not = !node->not;
		else
			break;
	}
	node->test = CMD_TEST_RUN;
	if (take_word(in, "defined"))
		node->test = CMD_TEST_DEFINED;
	else if (!take_word(in, "exist") && !take_word(in, "errorlevel") &&
		 !take_word(in, "cmdextversion"))
		node->test = CMD_TEST_EQUAL;
	skip_delimiters(in);
	take_token(in, &node->text, "&|<>");
	if (node->test != CMD_TEST_EQUAL)
		return;
	read_operator(in, node);
	skip_delimiters(in);
	take_token(in, &node->list, "&|<>");
}

static struct cmd_node *read_if(struct lines *in)
{
	struct cmd_node *node = new_node(in, CMD_IF);

	if (!node)
		return NULL;
	read_test(in, node);
	skip_delimiters(in);
	if (look(in) == '\n')
		in->wrong = true;
	if (in->wrong)
		return node;
	node->left = read_both(in);
	skip_delimiters(in);
	if (take_word(in, "else"))
		node->right = read_both(in);
	node->end = here(in);
	return node;
}

/* ( ... ) of for, whose line ends are blanks. */
static void read_list(struct lines *in, struct cmd_node *node)
{
	in->wrong |= look(in) != '(';
	in->at++;
	while (!in->wrong && look(in) != ')') {
		if (look(in) == '"') {
			take_quoted(in, &node->list);
		} else if (look(in) == '\n') {
			cmd_text_put(&node->list, ' ', here(in));
			in->wrong |= !fetch(in);
		} else if (look(in) == '^') {
			in->wrong |= !take_caret(in, &node->list);
		} else {
			cmd_text_put(&node->list, look(in), here(in));
			in->at++;
		}
	}
	in->at++;
}

static struct cmd_node *read_for(struct lines *in)
{
	struct cmd_node *node = new_node(in, CMD_FOR);

	if (!node)
		return NULL;
	skip_delimiters(in);
	while (look(in) == '/' || look(in) == '"') {
		take_token(in, &node->text, "&|<>(");
		cmd_text_put(&node->text, ' ', here(in));
		skip_delimiters(in);
	}
	while (look(in) != '%' && look(in) != '\n') {
		cmd_text_put(&node->text, look(in), here(in));
		in->at++;
	}
	in->at++;
	node->letter = look(in);
	in->at++;
	skip_delimiters(in);
	in->wrong |= node->letter == '\n' || !take_word(in, "in");
	skip_delimiters(in);
	read_list(in, node);
	skip_delimiters(in);
	in->wrong |= !take_word(in, "do");
	skip_delimiters(in);
	if (!in->wrong)
		node->left = read_both(in);
	node->end = here(in);
	return node;
}

/* rem takes the line, unless an operator follows it at once. */
static bool is_rem(struct lines *in)
{
	size_t at = in->at;

	if (!take_word(in, "rem"))
		return false;
	skip_delimiters(in);
	if (!at_end(in))
		return true;
	in->at = at;
	return false;
}

static struct cmd_node *read_command(struct lines *in)
{
	skip_delimiters(in);
	while (look(in) == '@') {
		in->at++;
		skip_delimiters(in);
	}
	if (look(in) == '(')
		return read_block(in);
	if (look(in) == ':' || (look(in) == ')' && !in->blocks) || is_rem(in))
		return read_rest(in);
	if (take_word(in, "if"))
		return read_if(in);
	if (take_word(in, "for"))
		return read_for(in);
	if (strchr("&|", look(in)) && look(in))
		in->wrong = true;
	return read_simple(in);
}

static struct cmd_node *pair(struct lines *in, enum cmd_type type,
			     struct cmd_node *left)
{
	struct cmd_node *node = new_node(in, type);

	if (!node)
		return NULL;
	node->left = left;
	node->start = left ? left->start : node->start;
	return node;
}

/* Is this operator next?  Then it is passed. */
static bool take_operator(struct lines *in, char byte, bool twice)
{
	bool two;

	skip_delimiters(in);
	if (look(in) != byte)
		return false;
	two = in->line.byte[in->at + 1] == byte;
	if (two != twice)
		return false;
	in->at += twice ? 2 : 1;
	return true;
}

/* One more operator of the unit; commands hang on each other by them. */
static bool too_many(struct lines *in)
{
	if (++in->operators > OPERATORS)
		in->run->ret = -EFBIG;
	return in->run->ret;
}

static struct cmd_node *read_pipe(struct lines *in)
{
	struct cmd_node *node = read_command(in);

	while (node && !in->wrong && take_operator(in, '|', false)) {
		node = too_many(in) ? NULL : pair(in, CMD_PIPE, node);
		if (node)
			node->right = read_command(in);
	}
	return node;
}

/* a && ( b && c ): what is behind runs if all before it succeed. */
static struct cmd_node *read_and(struct lines *in)
{
	struct cmd_node *node = read_pipe(in);

	if (!node || in->wrong || !take_operator(in, '&', true))
		return node;
	node = too_many(in) ? NULL : pair(in, CMD_AND, node);
	if (node)
		node->right = read_and(in);
	return node;
}

static struct cmd_node *read_or(struct lines *in)
{
	struct cmd_node *node = read_and(in);

	while (node && !in->wrong && take_operator(in, '|', true)) {
		node = too_many(in) ? NULL : pair(in, CMD_OR, node);
		if (node)
			node->right = read_and(in);
	}
	return node;
}

/* a & b & c, each on the right of the one before. */
static struct cmd_node *read_list_of_both(struct lines *in)
{
	struct cmd_node *first = pair(in, CMD_BOTH, read_or(in));
	struct cmd_node *node = first;

	while (node && !in->wrong && !in->run->ret &&
	       take_operator(in, '&', false)) {
		skip_delimiters(in);
		if (look(in) == '\n' || look(in) == ')')
			break;
		node->right = pair(in, CMD_BOTH, read_or(in));
		node = node->right;
	}
	return first;
}

static struct cmd_node *read_both(struct lines *in)
{
	struct cmd_node *node;

	if (++in->depth > DEPTH)
		in->run->ret = -EFBIG;
	if (in->run->ret)
		return NULL;
	node = read_list_of_both(in);
	in->depth--;
	if (node)
		node->end = here(in);
	return node;
}

void cmd_node_free(struct cmd_node *node)
{
	struct cmd_node *next;

	for (; node; node = next) {
		next = node->owned;
		cmd_text_free(&node->text);
		cmd_text_free(&node->list);
		free(node);
	}
}

/* All nodes hang on the one returned. */
static struct cmd_node *read_unit(struct lines *in)
{
	struct cmd_node *root = NULL, *command = read_both(in);

	skip_delimiters(in);
	if (look(in) != '\n')
		in->wrong = true;
	if (command && !in->run->ret)
		root = new_node(in, CMD_BLOCK);
	if (root) {
		root->left = command;
		root->start = command->start;
		root->end = here(in);
	} else {
		cmd_node_free(in->owned);
	}
	cmd_text_free(&in->line);
	return root;
}

struct cmd_node *cmd_parse(struct cmd_run *run, size_t *at, bool *wrong)
{
	struct lines in = { .run = run, .next = *at };
	struct cmd_node *root = NULL;

	run->unit++;
	if (fetch(&in))
		root = read_unit(&in);
	cmd_text_free(&in.line);
	*wrong = in.wrong;
	*at = in.next;
	return root;
}

struct cmd_node *cmd_parse_text(struct cmd_run *run,
				const struct cmd_text *text)
{
	struct lines in = { .run = run, .next = SIZE_MAX };
	struct cmd_node *root;

	cmd_text_copy(&in.line, text, 0, text->length);
	cmd_text_put(&in.line, '\n', cmd_text_last(text, text->length));
	root = read_unit(&in);
	if (in.wrong) {
		cmd_node_free(root);
		return NULL;
	}
	return root;
}
