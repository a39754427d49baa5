// SPDX-License-Identifier: Apache-2.0
/* One word of a shell: quotes, escapes and what begins with a dollar. */
#include <ctype.h>
#include <string.h>

#include "script/token.h"

enum { WORD_DEPTH = 32 }; /* quotes and braces within each other */

/* Where a run of characters ends. */
enum run {
	RUN_WORD, /* at a character of table.ends */
	RUN_QUOTES, /* at a double quote */
	RUN_BRACE /* at a closing brace */
};

/* A word being made.  Bytes of the piece being made are in lexer.scratch from
 * base on. */
struct build {
	struct lexer *lexer;
	struct piece **tail;
	size_t base, start;
	bool quoted; /* of the piece being made */
	bool empty; /* quotes were seen: the piece stands even if empty */
	bool bracket; /* fish: within [ ] */
};

static char peek(const struct lexer *lexer, size_t ahead)
{
	size_t at = lexer->at + ahead;

	return at < lexer->length ? lexer->text[at] : '\0';
}

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static struct piece *add_piece(struct build *build, enum piece_kind kind,
			       size_t start)
{
	struct piece *piece = la_arena_get(build->lexer->arena, sizeof(*piece));

	if (!piece) {
		build->lexer->wrong = "out of memory";
		return NULL;
	}
	piece->kind = kind;
	piece->start = start;
	piece->end = build->lexer->at;
	piece->text = piece->operator = "";
	*build->tail = piece;
	build->tail = &piece->next;
	return piece;
}

static void flush(struct build *build)
{
	struct la_strbuf *scratch = &build->lexer->scratch;
	size_t length = scratch->length - build->base;
	struct piece *piece;

	if (!length && !build->empty)
		return;
	piece = add_piece(build, PIECE_TEXT, build->start);
	if (piece) {
		piece->quoted = build->quoted;
		piece->length = length;
		piece->text = la_arena_copy(build->lexer->arena,
					    length ? scratch->data +
							     build->base :
						     "",
					    length);
		if (!piece->text)
			piece->text = "";
	}
	scratch->length = build->base;
	build->empty = false;
}

static void become(struct build *build, bool quoted)
{
	if (build->quoted != quoted ||
	    build->lexer->scratch.length == build->base) {
		flush(build);
		build->start = build->lexer->at;
	}
	build->quoted = quoted;
}

static void put(struct build *build, const char *text, size_t length,
		bool quoted)
{
	become(build, quoted);
	la_strbuf_add(&build->lexer->scratch, text, length);
}

/* A piece of another kind comes here. */
static struct piece *put_piece(struct build *build, enum piece_kind kind,
			       size_t start, bool quoted)
{
	struct piece *piece;

	flush(build);
	build->start = build->lexer->at;
	piece = add_piece(build, kind, start);
	if (piece)
		piece->quoted = quoted;
	return piece;
}

/* Skip quotes that begin at at; the byte behind them, 0 if they do not end. */
static size_t skip_quotes(const char *text, size_t length, size_t at)
{
	char quote = text[at++];

	for (; at < length; at++) {
		if (text[at] == quote)
			return at + 1;
		if (text[at] == '\\' && quote != '\'')
			at++;
	}
	return 0;
}

size_t la_lexer_closing(const char *text, size_t length, size_t at, char close)
{
	char open = close == ')' ? '(' : close == '}' ? '{' : '[';
	size_t depth = 1;

	while (at < length) {
		char c = text[at];

		if (c == '\'' || c == '"' || c == '`') {
			at = skip_quotes(text, length, at);
			if (!at)
				return 0;
			continue;
		}
		if (c == '\\')
			at++;
		else if (c == open)
			depth++;
		else if (c == close && !--depth)
			return at + 1;
		at++;
	}
	return 0;
}

static size_t find_closing(struct lexer *lexer, size_t at, char close)
{
	size_t end = la_lexer_closing(lexer->text, lexer->length, at, close);

	if (!end)
		lexer->wrong = close == ')' ? "no closing parenthesis" :
					      "no closing brace";
	return end;
}

/* A piece whose source is [from, to) and which ends at end. */
static void put_source(struct build *build, enum piece_kind kind, size_t from,
		       size_t to, size_t end, bool quoted)
{
	struct lexer *lexer = build->lexer;
	size_t start = lexer->at;
	struct piece *piece;

	lexer->at = end;
	piece = put_piece(build, kind, start, quoted);
	if (!piece)
		return;
	piece->text = la_arena_copy(lexer->arena, lexer->text + from,
				    to - from);
	piece->length = piece->text ? to - from : 0;
	piece->exact = true;
	if (!piece->text)
		piece->text = "";
}

static void put_backquotes(struct build *build, bool quoted)
{
	struct lexer *lexer = build->lexer;
	size_t end = skip_quotes(lexer->text, lexer->length, lexer->at);
	size_t from = lexer->at + 1, start = lexer->at, i;
	struct piece *piece;
	char *to;

	if (!end) {
		lexer->wrong = "no end of the backquotes";
		return;
	}
	lexer->at = end;
	piece = put_piece(build, PIECE_COMMAND, start, quoted);
	to = la_arena_copy(lexer->arena, lexer->text + from, end - 1 - from);
	if (!piece || !to)
		return;
	piece->text = to;
	for (i = from; i < end - 1; i++) {
		char next = i + 2 < end ? lexer->text[i + 1] : '\0';

		if (lexer->text[i] == '\\' && next &&
		    (strchr("$`\\", next) || (quoted && next == '"')))
			i++;
		*to++ = lexer->text[i];
	}
	*to = '\0';
	piece->length = to - piece->text;
}

static bool scan(struct build *build, enum run run, bool quoted);

/* The word up to the brace that closes a parameter. */
static struct word *scan_argument(struct lexer *lexer, bool quoted)
{
	struct word *word = la_arena_get(lexer->arena, sizeof(*word));
	struct build build = { .lexer = lexer,
			       .base = lexer->scratch.length,
			       .start = lexer->at };

	if (!word)
		return NULL;
	build.tail = &word->first;
	word->start = lexer->at;
	if (!scan(&build, RUN_BRACE, quoted))
		return NULL;
	flush(&build);
	word->end = lexer->at;
	return word;
}

static const char *const parameter_operators[] = {
	":-", ":=", ":+", ":?", "##", "%%", "//", "/#", "/%", "^^", ",,",
	"-",  "=",  "+",  "?",  "#",  "%",  "/",  "^",	",",  ":",  "@"
};

static const char *take_operator(struct lexer *lexer)
{
	size_t i, n;

	for (i = 0; i < sizeof(parameter_operators) / sizeof(char *); i++) {
		n = strlen(parameter_operators[i]);
		if (n <= lexer->length - lexer->at &&
		    !memcmp(lexer->text + lexer->at, parameter_operators[i],
			    n)) {
			lexer->at += n;
			return parameter_operators[i];
		}
	}
	return NULL;
}

static size_t name_length(const struct lexer *lexer)
{
	size_t n = 0;
	char c = peek(lexer, 0);

	if (c && strchr("@*#?$!-", c))
		return 1;
	if (isdigit((unsigned char)c)) {
		while (isdigit((unsigned char)peek(lexer, n)))
			n++;
		return n;
	}
	while (is_name_byte(peek(lexer, n)))
		n++;
	return n;
}

/* ${...}, behind the brace. */
static void put_braced(struct build *build, size_t start, bool quoted)
{
	struct lexer *lexer = build->lexer;
	const char *operator= "";
	struct word *argument = NULL;
	size_t end = find_closing(lexer, lexer->at, '}'), name, length;
	struct piece *piece;
	bool odd = false, size = false;

	if (!end)
		return;
	size = peek(lexer, 0) == '#' && peek(lexer, 1) != '}';
	lexer->at += size;
	name = lexer->at;
	length = name_length(lexer);
	lexer->at += length;
	if (peek(lexer, 0) != '}' && length) {
		operator= take_operator(lexer);
		argument = operator? scan_argument(lexer,
						   quoted &&
							   !strchr("#%/",
								   *operator)) :
				     NULL;
	}
	if (lexer->wrong)
		return;
	odd = !length || !operator|| peek(lexer, 0) != '}';
	lexer->at = odd ? end : lexer->at + 1;
	piece = put_piece(build, PIECE_PARAMETER, start, quoted);
	if (!piece)
		return;
	piece->braced = true;
	piece->index = odd;
	piece->text = la_arena_copy(lexer->arena, lexer->text + name, length);
	piece->length = length;
	piece->operator= size ? "length" : operator? operator: "";
	piece->argument = argument;
	if (!piece->text)
		piece->text = "";
}

/* $name, and $name[1] where that is an index. */
static void put_named(struct build *build, size_t start, size_t length,
		      bool quoted)
{
	struct lexer *lexer = build->lexer;
	size_t name = lexer->at, end = 0;
	struct piece *piece;

	lexer->at += length;
	if (peek(lexer, 0) == '[' &&
	    lexer->table->has & (SHELL_FISH | SHELL_TCSH | SHELL_MODIFIERS))
		end = la_lexer_closing(lexer->text, lexer->length,
				       lexer->at + 1, ']');
	if (end)
		lexer->at = end;
	piece = put_piece(build, PIECE_PARAMETER, start, quoted);
	if (!piece)
		return;
	piece->index = end;
	piece->text = la_arena_copy(lexer->arena, lexer->text + name, length);
	piece->length = length;
	if (!piece->text)
		piece->text = "";
}

/* What $'...' makes of what is behind a backslash; bytes used, 0: none. */
static size_t dollar_escape(const char *text, size_t left, char *to)
{
	static const char from[] = "abefnrtv\\'\"?E";
	static const char into[] = "\a\b\033\f\n\r\t\v\\'\"?\033";
	const char *at = left ? strchr(from, *text) : NULL;
	size_t n = 0;
	int value = 0, base = 8, digit;

	if (left && at && *text) {
		*to = into[at - from];
		return 1;
	}
	if (left && *text == 'x') {
		base = 16;
		n = 1;
	}
	for (; n < 3 && n < left && isxdigit((unsigned char)text[n]); n++) {
		digit = isdigit((unsigned char)text[n]) ?
				text[n] - '0' :
				tolower((unsigned char)text[n]) - 'a' + 10;
		if (digit >= base)
			break;
		value = value * base + digit;
	}
	if (n == (base == 16) || !value)
		return 0;
	*to = (char)value;
	return n;
}

/* '...' with the escapes of $'...' */
static void put_dollar_single(struct build *build)
{
	struct lexer *lexer = build->lexer;
	char c;
	size_t n;

	lexer->at++;
	become(build, true);
	build->empty = true;
	while (lexer->at < lexer->length && peek(lexer, 0) != '\'') {
		c = peek(lexer, 0);
		lexer->at++;
		n = c != '\\' ? 0 :
				dollar_escape(lexer->text + lexer->at,
					      lexer->length - lexer->at, &c);
		if (c == '\\' && !n) {
			put_piece(build, PIECE_ODD, lexer->at, true);
			n = lexer->at < lexer->length;
		} else {
			put(build, &c, 1, true);
		}
		lexer->at += n;
	}
	if (lexer->at == lexer->length)
		lexer->wrong = "no end of the single quotes";
	else
		lexer->at++;
}

static void put_single(struct build *build)
{
	struct lexer *lexer = build->lexer;
	unsigned int has = lexer->table->has;
	char c;

	lexer->at++;
	become(build, true);
	build->empty = true;
	while (lexer->at < lexer->length && peek(lexer, 0) != '\'') {
		c = peek(lexer, 0);
		if (has & SHELL_FISH && c == '\\' &&
		    (peek(lexer, 1) == '\\' || peek(lexer, 1) == '\''))
			c = lexer->text[++lexer->at];
		if (has & SHELL_TCSH && c == '\n')
			break;
		if (has & SHELL_TCSH && c == '\\' &&
		    (peek(lexer, 1) == '\n' || peek(lexer, 1) == '!'))
			c = lexer->text[++lexer->at];
		put(build, &c, 1, true);
		lexer->at++;
	}
	if (peek(lexer, 0) != '\'')
		lexer->wrong = "no end of the single quotes";
	else
		lexer->at++;
}

static void put_double(struct build *build)
{
	struct lexer *lexer = build->lexer;

	lexer->at++;
	become(build, true);
	build->empty = true;
	if (!scan(build, RUN_QUOTES, true))
		return;
	if (peek(lexer, 0) != '"')
		lexer->wrong = "no end of the double quotes";
	else
		lexer->at++;
}

/* $( ), $(( )), $[ ]: true if it was one. */
static bool put_dollar_group(struct build *build, bool quoted)
{
	struct lexer *lexer = build->lexer;
	unsigned int has = lexer->table->has;
	size_t at = lexer->at, end;

	if (peek(lexer, 1) == '[' && has & SHELL_DOLLAR_BRACKET) {
		end = find_closing(lexer, at + 2, ']');
		if (end)
			put_source(build, PIECE_ODD, at, end, end, quoted);
		return true;
	}
	if (peek(lexer, 1) != '(')
		return false;
	end = find_closing(lexer, at + 2, ')');
	if (!end)
		return true;
	if (peek(lexer, 2) == '(' && lexer->text[end - 2] == ')' &&
	    !(has & SHELL_FISH))
		put_source(build, PIECE_ODD, at, end, end, quoted);
	else
		put_source(build, PIECE_COMMAND, at + 2, end - 1, end, quoted);
	return true;
}

/* $$name of fish */
static void put_dollars(struct build *build, bool quoted)
{
	struct lexer *lexer = build->lexer;
	size_t start = lexer->at, length = 0;

	while (peek(lexer, length) == '$')
		length++;
	while (is_name_byte(peek(lexer, length)))
		length++;
	put_source(build, PIECE_ODD, start, start + length, start + length,
		   quoted);
}

/* Bytes of the name at hand. */
static size_t dollar_name(const struct lexer *lexer)
{
	unsigned int has = lexer->table->has;
	size_t length = name_length(lexer);

	if (has & SHELL_FISH && !is_name_byte(peek(lexer, 0)))
		return 0;
	if (!(has & SHELL_TCSH) && length &&
	    isdigit((unsigned char)peek(lexer, 0)))
		return 1;
	return length;
}

/* $?name of tcsh: the operator of the piece that was put last. */
static void operate_on_last(struct build *build, const char *operator)
{
	struct piece *last = (struct piece *)((char *)build->tail -
					      offsetof(struct piece, next));

	last->operator = operator;
}

static void put_dollar(struct build *build, bool quoted)
{
	struct lexer *lexer = build->lexer;
	unsigned int has = lexer->table->has;
	size_t start = lexer->at, length;
	char next = peek(lexer, 1);
	bool asks = has & SHELL_TCSH &&
		    (next == '?' || next == '#' || next == '%');

	if (has & SHELL_TCSH && next == '(') {
		lexer->wrong = "no name behind the dollar sign";
		return;
	}
	if (put_dollar_group(build, quoted))
		return;
	if (!quoted && has & SHELL_DOLLAR_SINGLE && next == '\'') {
		lexer->at++;
		put_dollar_single(build);
		return;
	}
	if (has & SHELL_FISH && next == '$') {
		put_dollars(build, quoted);
		return;
	}
	lexer->at++;
	if (!quoted && has & SHELL_BRACES && next == '"' &&
	    !(has & (SHELL_FISH | SHELL_TCSH)))
		return;
	if (next == '{' && !(has & SHELL_FISH)) {
		lexer->at++;
		put_braced(build, start, quoted);
		return;
	}
	if (asks && is_name_byte(peek(lexer, 1)))
		lexer->at++;
	length = dollar_name(lexer);
	if (length) {
		put_named(build, start, length, quoted);
		if (asks)
			operate_on_last(build, next == '?' ? "set" : "length");
	} else if (has & SHELL_FISH ||
		   (has & SHELL_TCSH && quoted)) {
		lexer->wrong = "no name behind the dollar sign";
	} else {
		put(build, "$", 1, quoted);
	}
}

/* What a backslash makes in fish. */
static bool put_fish_escape(struct build *build, char next)
{
	struct lexer *lexer = build->lexer;
	char c;
	size_t n;

	if (!strchr("abefnrtvxX01234567", next))
		return false;
	n = dollar_escape(lexer->text + lexer->at + 1,
			  lexer->length - lexer->at - 1, &c);
	if (!n)
		put_piece(build, PIECE_ODD, lexer->at, true);
	else
		put(build, &c, 1, true);
	lexer->at += 1 + (n ? n : 1);
	return true;
}

static void put_escape(struct build *build, enum run run, bool quoted)
{
	struct lexer *lexer = build->lexer;
	unsigned int has = lexer->table->has;
	char next = peek(lexer, 1);

	if (lexer->at + 1 == lexer->length) {
		lexer->open_end = !quoted;
		lexer->at++;
		if (quoted)
			put(build, "\\", 1, true);
		return;
	}
	if (quoted && !strchr(lexer->table->escaped, next) &&
	    !(run == RUN_BRACE && next == '}')) {
		put(build, "\\", 1, true);
		lexer->at++;
		return;
	}
	if (next == '\n' && !(has & SHELL_TCSH)) {
		lexer->at += 2;
		lexer->open_end = lexer->at == lexer->length;
		return;
	}
	if (!quoted && has & SHELL_FISH && put_fish_escape(build, next))
		return;
	put(build, lexer->text + lexer->at + 1, 1, true);
	lexer->at += 2;
}

/* V=( at the bracket: a list of words. */
static bool put_array(struct build *build)
{
	struct lexer *lexer = build->lexer;
	size_t end;

	if (!(lexer->table->has & SHELL_ARRAYS) || !lexer->at ||
	    lexer->text[lexer->at - 1] != '=' ||
	    lexer->scratch.length == build->base)
		return false;
	end = find_closing(lexer, lexer->at + 1, ')');
	if (end)
		put_source(build, PIECE_ODD, lexer->at, end, end, false);
	return true;
}

/* A group of a pattern of zsh, within a word: a(b|c). */
static bool put_group(struct build *build)
{
	struct lexer *lexer = build->lexer;
	size_t end;

	if (!(lexer->table->has & SHELL_MODIFIERS) ||
	    lexer->scratch.length == build->base || peek(lexer, 1) == ')')
		return false;
	end = find_closing(lexer, lexer->at + 1, ')');
	if (end)
		put_source(build, PIECE_ODD, lexer->at, end, end, false);
	return true;
}

/* The parentheses of fish, and <( ) and >( ). */
static bool put_parentheses(struct build *build)
{
	struct lexer *lexer = build->lexer;
	bool fish = lexer->table->has & SHELL_FISH;
	size_t open = lexer->at + !fish, end;

	if (!fish && (!(lexer->table->has & SHELL_PROCESS) ||
		      peek(lexer, 1) != '(' || peek(lexer, 0) == '('))
		return false;
	end = find_closing(lexer, open + 1, ')');
	if (end)
		put_source(build, fish ? PIECE_COMMAND : PIECE_ODD, open + 1,
			   end - 1, end, false);
	return true;
}

/* Does the character at hand end the run? */
static bool ends(const struct build *build, enum run run)
{
	const struct lexer *lexer = build->lexer;
	char c = peek(lexer, 0);

	if (run == RUN_QUOTES)
		return c == '"';
	if (run == RUN_BRACE)
		return c == '}';
	if (build->bracket)
		return c == '\n';
	if (lexer->table->has & SHELL_TCSH && c == '#')
		return true;
	if (lexer->table->has & SHELL_FISH && c == '&' &&
	    is_name_byte(peek(lexer, 1)))
		return false;
	return c && strchr(lexer->table->ends, c);
}

static void put_plain(struct build *build, bool quoted)
{
	struct lexer *lexer = build->lexer;
	char c = peek(lexer, 0);

	if (lexer->table->has & SHELL_FISH && !quoted) {
		if (c == '[' && lexer->at > build->start)
			build->bracket = true;
		else if (c == ']')
			build->bracket = false;
	}
	if (lexer->table->has & SHELL_TCSH && c == '!' &&
	    peek(lexer, 1) && !strchr(" \t\n=(\"", peek(lexer, 1)))
		lexer->wrong = "no such event in the history";
	if (lexer->table->has & SHELL_TCSH && quoted && c == '\n')
		lexer->wrong = "no end of the double quotes";
	put(build, lexer->text + lexer->at, 1, quoted);
	lexer->at++;
}

/* One step of a run. */
static void step(struct build *build, enum run run, bool quoted)
{
	struct lexer *lexer = build->lexer;
	char c = peek(lexer, 0);

	if (c == '\\')
		put_escape(build, run, quoted);
	else if (c == '\'' && !quoted)
		put_single(build);
	else if (c == '"' && run != RUN_QUOTES)
		put_double(build);
	else if (c == '$')
		put_dollar(build, quoted);
	else if (c == '`' && !(lexer->table->has & SHELL_FISH))
		put_backquotes(build, quoted);
	else
		put_plain(build, quoted);
}

/* Characters up to where the run ends, or the text; false when wrong. */
static bool scan(struct build *build, enum run run, bool quoted)
{
	struct lexer *lexer = build->lexer;

	if (lexer->depth == WORD_DEPTH)
		lexer->wrong = "nested too deep";
	lexer->depth++;
	while (!lexer->wrong && lexer->at < lexer->length) {
		char c = peek(lexer, 0);

		if (run == RUN_WORD && !build->bracket &&
		    ((c == '(' && (put_array(build) || put_group(build) ||
				   (lexer->table->has & SHELL_FISH &&
				    put_parentheses(build)))) ||
		     ((c == '<' || c == '>') &&
		      !(lexer->table->has & SHELL_FISH) &&
		      put_parentheses(build))))
			continue;
		if (ends(build, run))
			break;
		step(build, run, quoted);
	}
	lexer->depth--;
	return !lexer->wrong;
}

struct word *la_lexer_word(struct lexer *lexer)
{
	struct word *word = la_arena_get(lexer->arena, sizeof(*word));
	struct build build = { .lexer = lexer,
			       .base = lexer->scratch.length,
			       .start = lexer->at };

	if (!word) {
		lexer->wrong = "out of memory";
		return NULL;
	}
	build.tail = &word->first;
	word->start = lexer->at;
	if (!scan(&build, RUN_WORD, false))
		return NULL;
	if (build.bracket) {
		lexer->wrong = "no closing bracket";
		return NULL;
	}
	flush(&build);
	word->end = lexer->at;
	if (lexer->at == word->start && lexer->at < lexer->length) {
		lexer->wrong = "a character out of place";
		return NULL;
	}
	return word;
}
