// SPDX-License-Identifier: Apache-2.0
/* Words after their expansions, as far as the text tells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/shell.h"
#include "util/array.h"

enum {
	BRACE_WORDS = 256, /* words that one word may become */
	VALUE_BYTES = 64 << 10 /* longest value that is followed */
};

void la_text_add(struct text *text, const char *bytes, size_t length)
{
	if (text->bytes.length + length > VALUE_BYTES)
		text->unknown = true;
	else
		la_strbuf_add(&text->bytes, bytes, length);
}

/* What $( ) prints, without the line ends behind it. */
static void add_command(struct shell *shell, const struct piece *piece,
			struct text *text)
{
	size_t open = piece->exact ? piece->end - piece->length - 1 : 0;
	struct text printed = { 0 };
	size_t length;

	la_shell_run_child(shell, piece->text, piece->length,
			   piece->exact ? open : piece->start, piece->exact,
			   &printed, shell->table);
	length = printed.bytes.length;
	while (length && printed.bytes.data[length - 1] == '\n')
		length--;
	text->unknown |= printed.unknown;
	la_text_add(text, la_strbuf_text(&printed.bytes), length);
	la_strbuf_release(&printed.bytes);
}

/* What one piece gives, not split. */
static void add_piece(struct shell *shell, const struct piece *piece,
		      struct text *text)
{
	switch (piece->kind) {
	case PIECE_TEXT:
		la_text_add(text, piece->text, piece->length);
		break;
	case PIECE_PARAMETER:
		la_shell_parameter(shell, piece, text);
		break;
	case PIECE_COMMAND:
		add_command(shell, piece, text);
		break;
	case PIECE_ODD:
		text->unknown = true;
		break;
	}
}

/* Bytes of a tilde at text that a home takes the place of; 0: none. */
static size_t tilde_length(const char *text, const struct piece *next)
{
	size_t n = strcspn(text, "/:");

	if (text[0] != '~' || (!text[n] && next))
		return 0;
	return n;
}

static void add_home(struct shell *shell, size_t length, struct text *text)
{
	const struct state *home = la_shell_state(shell, "HOME", 4);

	if (length == 1 && home->kind == VALUE_KNOWN)
		la_text_add(text, home->text, strlen(home->text));
	else
		text->unknown = true;
}

/* An unquoted text whose tildes stand for homes: at its start, and behind =
 * and : of an assignment. */
static void add_tildes(struct shell *shell, const struct piece *piece,
		       struct text *text, bool first, bool assignment)
{
	const char *at = piece->text;
	size_t n;

	while (*at) {
		n = first ? tilde_length(at, piece->next) : 0;
		if (n) {
			add_home(shell, n, text);
			at += n;
			first = false;
			continue;
		}
		n = strcspn(at + 1, ":=~") + 1;
		if (at[0] == ':' || (at[0] == '=' && assignment))
			n = 1;
		la_text_add(text, at, n);
		first = assignment && (at[n - 1] == ':' || at[n - 1] == '=');
		at += n;
	}
}

/* Does the word look like V=...? */
static bool is_assignment(const struct word *word)
{
	const struct piece *piece = word->first;

	return piece && piece->kind == PIECE_TEXT && !piece->quoted &&
	       memchr(piece->text, '=', piece->length);
}

void la_shell_text(struct shell *shell, const struct word *word,
		   struct text *text, bool assignment)
{
	const struct piece *piece;

	/* zsh: V==cmd is the path of cmd. */
	if (word && shell->table->has & SHELL_MODIFIERS && assignment &&
	    is_assignment(word) && strstr(word->first->text, "=="))
		text->unknown = true;
	for (piece = word ? word->first : NULL; piece; piece = piece->next)
		if (piece->kind == PIECE_TEXT && !piece->quoted &&
		    memchr(piece->text, '~', piece->length) &&
		    strlen(piece->text) == piece->length)
			add_tildes(shell, piece, text, piece == word->first,
				   assignment);
		else
			add_piece(shell, piece, text);
}

void la_shell_fields_release(struct fields *fields)
{
	size_t i;

	for (i = 0; i < fields->count; i++)
		la_strbuf_release(&fields->at[i].text.bytes);
	free(fields->at);
	*fields = (struct fields){ 0 };
}

static struct field *add_field(struct shell *shell, struct fields *fields,
			       const struct word *word)
{
	struct field *field;

	if (grow_array(&fields->at, &fields->room, fields->count,
		       sizeof(*fields->at))) {
		shell->error = -ENOMEM;
		return NULL;
	}
	field = &fields->at[fields->count++];
	*field = (struct field){ .start = word->start,
				 .end = word->end,
				 .lexical = is_assignment(word) };
	return field;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Words of an unquoted expansion: the first continues field, the last is
 * returned to be continued. */
static struct field *split(struct shell *shell, struct fields *fields,
			   struct field *field, const struct word *word,
			   const struct text *text)
{
	const char *at = la_strbuf_text(&text->bytes), *from;
	bool gap = false;

	if (text->unknown || la_shell_state(shell, "IFS", 3)->kind ==
				     VALUE_KNOWN)
		fields->open = true;
	if (fields->open) {
		if (!field)
			field = add_field(shell, fields, word);
		if (field)
			field->text.unknown = true;
		return field;
	}
	while (*at) {
		for (; is_blank(*at); at++)
			gap = true;
		for (from = at; *at && !is_blank(*at); at++)
			;
		if (at == from)
			break;
		if (!field || gap)
			field = add_field(shell, fields, word);
		if (!field)
			return NULL;
		la_text_add(&field->text, from, at - from);
		if (strpbrk(from, "*?["))
			field->pattern = true;
		gap = false;
	}
	return gap ? NULL : field;
}

/* May files take the place of an unquoted text? */
static bool is_pattern(const struct shell *shell, const struct piece *piece)
{
	const char *open = strchr(piece->text, '[');
	unsigned int has = shell->table->has;

	if (strpbrk(piece->text, "*?"))
		return true;
	if (!open || has & SHELL_FISH)
		return false;
	return strchr(open, ']') || (has & SHELL_MODIFIERS &&
				     strcmp(piece->text, "["));
}

static bool splits(const struct shell *shell, const struct piece *piece)
{
	if (piece->quoted || piece->kind == PIECE_TEXT)
		return false;
	return piece->kind == PIECE_COMMAND ||
	       shell->table->has & SHELL_SPLITS;
}

static bool is_list(struct shell *shell, const struct piece *piece)
{
	return piece->kind == PIECE_PARAMETER && !piece->quoted &&
	       la_shell_state(shell, piece->text, piece->length)->list;
}

/* Of fish, a list beside other pieces makes a word of each of its own. */
static bool multiplies(struct shell *shell, const struct word *word,
		       const struct piece *piece)
{
	return shell->table->has & SHELL_FISH && word->first->next &&
	       is_list(shell, piece);
}

/* Of fish, no word comes of an unset variable and what stands beside it. */
static bool is_nothing(struct shell *shell, const struct word *word)
{
	const struct piece *piece;

	if (!(shell->table->has & SHELL_FISH))
		return false;
	for (piece = word->first; piece; piece = piece->next)
		if (piece->kind == PIECE_PARAMETER && !piece->quoted &&
		    !piece->index &&
		    la_shell_state(shell, piece->text, piece->length)->kind ==
			    VALUE_UNSET)
			return true;
	return false;
}

/* Lines that a command of fish prints are words; blanks part nothing. */
static struct field *add_lines(struct shell *shell, struct fields *fields,
			       struct field *field, const struct word *word,
			       const struct text *text)
{
	bool lines = memchr(la_strbuf_text(&text->bytes), '\n',
			    text->bytes.length);

	if (!field && (text->unknown || text->bytes.length))
		field = add_field(shell, fields, word);
	if (!field)
		return NULL;
	if (text->unknown)
		fields->open = true;
	field->text.unknown |= text->unknown || lines;
	la_text_add(&field->text, la_strbuf_text(&text->bytes),
		    text->bytes.length);
	return field;
}

/* One word of an argument list, braces already expanded. */
static void expand_one(struct shell *shell, const struct word *word,
		       struct fields *fields)
{
	bool tilde = shell->table->has & SHELL_TILDE_ARGUMENT &&
		     is_assignment(word);
	struct field *field = NULL;
	const struct piece *piece;
	struct text text;

	if (is_nothing(shell, word))
		return;
	for (piece = word->first; piece; piece = piece->next) {
		text = (struct text){ 0 };
		if (splits(shell, piece)) {
			add_piece(shell, piece, &text);
			field = shell->table->has & SHELL_FISH ?
					add_lines(shell, fields, field, word,
						  &text) :
					split(shell, fields, field, word,
					      &text);
			la_strbuf_release(&text.bytes);
			continue;
		}
		if (!field)
			field = add_field(shell, fields, word);
		if (!field)
			return;
		if (piece->kind == PIECE_TEXT && !piece->quoted &&
		    (piece == word->first || tilde) &&
		    strlen(piece->text) == piece->length)
			add_tildes(shell, piece, &field->text,
				   piece == word->first, tilde);
		else
			add_piece(shell, piece, &field->text);
		field->text.unknown |= multiplies(shell, word, piece);
		field->list |= shell->table->has & SHELL_FISH &&
			       is_list(shell, piece);
		if (piece->kind != PIECE_TEXT || piece->quoted)
			continue;
		field->pattern |= is_pattern(shell, piece);
		field->text.unknown |= shell->table->has & SHELL_FISH &&
				       !strcmp(piece->text, "%self");
	}
	if (shell->table->has & SHELL_MODIFIERS && field && fields->count &&
	    word->first && !word->first->next && !word->first->quoted &&
	    word->first->kind == PIECE_PARAMETER) {
		/* zsh: no word comes of an empty value. */
		fields->open |= field->text.unknown;
		if (!field->text.unknown && !field->text.bytes.length)
			la_strbuf_release(
				&fields->at[--fields->count].text.bytes);
	}
}

void la_shell_fields_one(struct shell *shell, const struct word *word,
			 struct fields *fields, bool assignment)
{
	struct word *list, *w;
	struct field *field;

	if (assignment && !(shell->table->has & SHELL_EXPORT_BRACES)) {
		field = add_field(shell, fields, word);
		if (field)
			la_shell_text(shell, word, &field->text, true);
		return;
	}
	list = la_shell_braces(shell, word);
	for (w = list; w; w = w->next) {
		if (!assignment) {
			expand_one(shell, w, fields);
			continue;
		}
		field = add_field(shell, fields, w);
		if (field)
			la_shell_text(shell, w, &field->text, true);
	}
}

void la_shell_fields(struct shell *shell, const struct word *words,
		     struct fields *fields)
{
	for (; words; words = words->next)
		la_shell_fields_one(shell, words, fields, false);
}

/* Braces: pieces of a word with { , } apart. */

struct parts {
	struct piece **at; /* owned */
	size_t count, room;
};

static void add_part(struct shell *shell, struct parts *parts,
		     const struct piece *piece, const char *text, size_t length)
{
	struct piece *copy = la_arena_get(&shell->kept, sizeof(*copy));

	if (!copy || grow_array(&parts->at, &parts->room, parts->count,
				sizeof(*parts->at))) {
		shell->error = -ENOMEM;
		return;
	}
	*copy = *piece;
	copy->next = NULL;
	if (piece->kind == PIECE_TEXT) {
		copy->text = la_arena_copy(&shell->kept, text, length);
		copy->length = length;
		if (!copy->text)
			copy->text = "";
	}
	parts->at[parts->count++] = copy;
}

static void take_apart(struct shell *shell, const struct word *word,
		       struct parts *parts)
{
	const struct piece *piece;
	const char *at;
	size_t n;

	for (piece = word->first; piece; piece = piece->next) {
		if (piece->kind != PIECE_TEXT || piece->quoted) {
			add_part(shell, parts, piece, piece->text,
				 piece->length);
			continue;
		}
		for (at = piece->text; *at; at += n) {
			n = strcspn(at, "{,}");
			n = n ? n : 1;
			add_part(shell, parts, piece, at, n);
		}
	}
}

static bool is_mark(const struct piece *piece, char mark)
{
	return piece->kind == PIECE_TEXT && !piece->quoted &&
	       piece->text[0] == mark && piece->length == 1;
}

struct braces {
	struct shell *shell;
	struct word **tail;
	const struct word *word;
	size_t words; /* made so far */
};

static void emit(struct braces *braces, const struct parts *parts)
{
	struct arena *arena = &braces->shell->kept;
	struct word *word = la_arena_get(arena, sizeof(*word));
	struct piece **tail, *copy;
	size_t i;

	if (!word || braces->words++ >= BRACE_WORDS)
		return;
	word->start = braces->word->start;
	word->end = braces->word->end;
	tail = &word->first;
	for (i = 0; i < parts->count; i++) {
		copy = la_arena_get(arena, sizeof(*copy));
		if (!copy)
			return;
		*copy = *parts->at[i];
		copy->next = NULL;
		*tail = copy;
		tail = &copy->next;
	}
	*braces->tail = word;
	braces->tail = &word->next;
}

/* Where the group at from closes, and how many commas it has. */
static size_t group_end(const struct parts *parts, size_t from, size_t *commas)
{
	size_t i, depth = 0;

	*commas = 0;
	for (i = from; i < parts->count; i++) {
		if (is_mark(parts->at[i], '{'))
			depth++;
		else if (is_mark(parts->at[i], '}') && !--depth)
			return i;
		else if (is_mark(parts->at[i], ',') && depth == 1)
			++*commas;
	}
	return 0;
}

static void expand_parts(struct braces *braces, const struct parts *parts,
			 size_t from);

/* One word for each alternative between from and to. */
static void alternatives(struct braces *braces, const struct parts *parts,
			 size_t from, size_t to)
{
	struct parts one = { 0 };
	size_t i = from + 1, depth, k;

	while (i <= to && braces->words < BRACE_WORDS) {
		one.count = 0;
		for (k = 0; k < from; k++)
			add_part(braces->shell, &one, parts->at[k],
				 parts->at[k]->text, parts->at[k]->length);
		for (depth = 0; i < to; i++) {
			if (!depth && is_mark(parts->at[i], ','))
				break;
			depth += is_mark(parts->at[i], '{');
			depth -= is_mark(parts->at[i], '}');
			add_part(braces->shell, &one, parts->at[i],
				 parts->at[i]->text, parts->at[i]->length);
		}
		i++;
		for (k = to + 1; k < parts->count; k++)
			add_part(braces->shell, &one, parts->at[k],
				 parts->at[k]->text, parts->at[k]->length);
		expand_parts(braces, &one, from);
	}
	free(one.at);
}

static void expand_parts(struct braces *braces, const struct parts *parts,
			 size_t from)
{
	size_t i, end, commas;

	for (i = from; i < parts->count; i++) {
		if (!is_mark(parts->at[i], '{'))
			continue;
		end = group_end(parts, i, &commas);
		if (end && commas) {
			alternatives(braces, parts, i, end);
			return;
		}
		if (end == i + 2 && strstr(parts->at[i + 1]->text, ".."))
			parts->at[i + 1]->kind = PIECE_ODD;
		if (!end)
			break;
	}
	emit(braces, parts);
}

static bool has_braces(const struct word *word)
{
	const struct piece *piece;

	for (piece = word->first; piece; piece = piece->next)
		if (piece->kind == PIECE_TEXT && !piece->quoted &&
		    strchr(piece->text, '{'))
			return true;
	return false;
}

struct word *la_shell_braces(struct shell *shell, const struct word *word)
{
	struct word *first = NULL, *one;
	struct parts parts = { 0 };
	struct braces braces = { shell, &first, word, 0 };

	one = la_arena_get(&shell->kept, sizeof(*one));
	if (!one) {
		shell->error = -ENOMEM;
		return NULL;
	}
	*one = *word;
	one->next = NULL;
	if (!(shell->table->has & SHELL_BRACES) || !has_braces(word))
		return one;
	take_apart(shell, word, &parts);
	if (parts.count < BRACE_WORDS)
		expand_parts(&braces, &parts, 0);
	free(parts.at);
	return first ? first : one;
}
