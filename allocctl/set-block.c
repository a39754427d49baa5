// SPDX-License-Identifier: Apache-2.0
/*
 * allocctl set: the lines of ours in a text.  Taking them out again gives back
 * every byte that was there: what had to be added besides the block is told by
 * its first mark.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "set.h"
#include "util/util.h"

static const char after_open_line[] = " (the line before had no end)";
static const char in_new_file[] = " (in a new file)";

enum { MARK_BYTES = 256 };

/* Where a block of ours is, and what was added for it. */
struct found {
	size_t start, end; /* bytes; end: behind the mark, before its newline */
	size_t last; /* of the last mark */
	bool open_line, new_file;
	bool crlf; /* its lines end so */
};

static void make_mark(char *mark, const struct set_block *block,
		      const char *sign)
{
	snprintf(mark, MARK_BYTES, "%s %s allocctl set %s %s",
		 block->target->comment, sign, block->variable, sign);
}

/* The line at a byte: its length without the line's end. */
static size_t line_length(const char *text, size_t length)
{
	const char *newline = memchr(text, '\n', length);
	size_t n = newline ? (size_t)(newline - text) : length;

	return n && text[n - 1] == '\r' ? n - 1 : n;
}

static bool starts(const char *text, size_t length, const char *start)
{
	size_t n = strlen(start);

	return length >= n && !memcmp(text, start, n);
}

static bool has(const char *text, size_t length, const char *part)
{
	size_t n = strlen(part), i;

	for (i = 0; i + n <= length; i++)
		if (!memcmp(text + i, part, n))
			return true;
	return false;
}

/* The start of the next line, or length. */
static size_t next_line(const char *text, size_t length, size_t at)
{
	const char *newline = memchr(text + at, '\n', length - at);

	return newline ? (size_t)(newline + 1 - text) : length;
}

/* 1: found, 0: no block, -EBADMSG: marks that do not match. */
static int find_block(struct found *found, const struct set_block *block,
		      const char *text, size_t length)
{
	char first[MARK_BYTES], last[MARK_BYTES];
	bool open = false, closed = false;
	size_t at, n;

	make_mark(first, block, ">>>");
	make_mark(last, block, "<<<");
	for (at = 0; at < length; at = next_line(text, length, at)) {
		n = line_length(text + at, length - at);
		if (starts(text + at, n, first)) {
			if (open || closed)
				return -EBADMSG;
			open = true;
			found->start = at;
			found->open_line = has(text + at, n, after_open_line);
			found->new_file = has(text + at, n, in_new_file);
			found->crlf = text[at + n] == '\r';
		} else if (n == strlen(last) && starts(text + at, n, last)) {
			if (!open || closed)
				return -EBADMSG;
			closed = true;
			found->last = at;
			found->end = at + n;
		}
	}
	return open == closed ? open : -EBADMSG;
}

/* A line behind which a shell that is no terminal's reads no more. */
static bool returns_early(const char *line, size_t length)
{
	if (starts(line, length, "case $- in") ||
	    (starts(line, length, "return") &&
	     (length == 6 || line[6] == ' ' || line[6] == ';')))
		return true;
	return (has(line, length, "$-") || has(line, length, "PS1")) &&
	       (has(line, length, "return") || has(line, length, "exit"));
}

static bool is_shell(const struct set_block *block)
{
	return block->target->kind <= LA_SCRIPT_MKSH ||
	       block->target->kind == LA_SCRIPT_SLURM;
}

/* Behind the first line and the comments, where a script begins to act. */
static size_t behind_head(const char *text, size_t length)
{
	size_t at = 0, end = 0, n;

	while (at < length) {
		n = line_length(text + at, length - at);
		if (n && text[at] != '#')
			break;
		at = next_line(text, length, at);
		if (n)
			end = at;
	}
	return end;
}

/* Before the comments that stand above a line. */
static size_t above_comments(const char *text, size_t line)
{
	size_t at = line, before;

	while (at) {
		before = at - 1;
		while (before && text[before - 1] != '\n')
			before--;
		if (text[before] != '#')
			break;
		at = before;
	}
	return at;
}

/* Behind a mark of UTF-8, and a line that silences the script. */
static size_t behind_echo(const char *text, size_t length)
{
	static const char off[] = "@echo off";
	size_t at = starts(text, length, "\xef\xbb\xbf") ? 3 : 0;

	return length - at >= strlen(off) &&
			       !strncasecmp(text + at, off, strlen(off)) ?
		       next_line(text, length, at) :
		       at;
}

/* Where a new block goes. */
static size_t choose_place(const struct set_block *block, const char *text,
			   size_t length)
{
	size_t at, n;

	if (starts(text, length, "#!") || starts(text, length, "#%Module") ||
	    block->target->kind == LA_SCRIPT_SLURM)
		return behind_head(text, length);
	if (block->target->kind == LA_SCRIPT_CMD)
		return behind_echo(text, length);
	for (at = 0; is_shell(block) && at < length;
	     at = next_line(text, length, at)) {
		n = line_length(text + at, length - at);
		if (returns_early(text + at, n))
			return above_comments(text, at);
	}
	return length;
}

/* Shells take the carriage return of a line's end for a part of it. */
static bool wants_crlf(const struct set_block *block, const char *text,
		       size_t length)
{
	const char *newline = memchr(text, '\n', length);

	return block->target->kind > LA_SCRIPT_TCSH &&
	       block->target->kind != LA_SCRIPT_SLURM && newline &&
	       newline > text && newline[-1] == '\r';
}

static void add_line(struct la_strbuf *out, const char *line, size_t length,
		     bool crlf)
{
	la_strbuf_add(out, line, length);
	la_strbuf_addstr(out, crlf ? "\r\n" : "\n");
}

/* Up to the last mark, without the end of its line. */
static void add_block(struct la_strbuf *out, const struct set_block *block,
		      const struct found *how)
{
	const char *line = block->lines;
	char mark[MARK_BYTES];
	size_t n;

	make_mark(mark, block, ">>>");
	la_strbuf_addstr(out, mark);
	if (how->open_line)
		la_strbuf_addstr(out, after_open_line);
	if (how->new_file)
		la_strbuf_addstr(out, in_new_file);
	add_line(out, "", 0, how->crlf);
	if (block->target->header)
		add_line(out, block->target->header,
			 strlen(block->target->header), how->crlf);
	for (; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		add_line(out, line, n, how->crlf);
	}
	make_mark(mark, block, "<<<");
	la_strbuf_addstr(out, mark);
}

static size_t count_lines(const char *text, size_t length)
{
	size_t lines = 1, i;

	for (i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

static void insert(struct set_edit *edit, const struct set_block *block,
		   const char *text, size_t length, bool is_new)
{
	size_t at = choose_place(block, text, length);
	struct found how = { .new_file = is_new,
			     .crlf = wants_crlf(block, text, length) };

	how.open_line = at == length && at && text[at - 1] != '\n';
	la_strbuf_add(&edit->text, text, at);
	if (how.open_line)
		la_strbuf_addstr(&edit->text, how.crlf ? "\r\n" : "\n");
	edit->line =
		count_lines(la_strbuf_text(&edit->text), edit->text.length);
	add_block(&edit->text, block, &how);
	if (!how.open_line)
		la_strbuf_addstr(&edit->text, how.crlf ? "\r\n" : "\n");
	la_strbuf_add(&edit->text, text + at, length - at);
}

static void remove_block(struct set_edit *edit, const struct found *found,
			 const char *text, size_t length)
{
	size_t start = found->start;
	size_t end = next_line(text, length, found->end);

	if (found->open_line) {
		end = found->end;
		start -= start > 0;
		start -= found->crlf && start;
	}
	la_strbuf_add(&edit->text, text, start);
	la_strbuf_add(&edit->text, text + end, length - end);
	edit->empty = found->new_file && !edit->text.length;
}

/* Lines that would be taken for marks. */
static bool holds_marks(const struct set_block *block)
{
	struct found found = { 0 };

	return block->lines &&
	       find_block(&found, block, block->lines, strlen(block->lines));
}

int set_block_edit(struct set_edit *edit, const struct set_block *block,
		   const char *text, size_t length, bool is_new)
{
	struct found found = { 0 };
	int there = find_block(&found, block, text, length);

	if (there < 0)
		return there;
	if (holds_marks(block))
		return -EINVAL;
	edit->had_block = there;
	edit->old_lines = there ? next_line(text, length, found.start) : 0;
	edit->old_length = there ? found.last - edit->old_lines : 0;
	if (!block->lines && there) {
		remove_block(edit, &found, text, length);
	} else if (!block->lines) {
		la_strbuf_add(&edit->text, text, length);
	} else if (there) {
		la_strbuf_add(&edit->text, text, found.start);
		edit->line = count_lines(text, found.start);
		add_block(&edit->text, block, &found);
		la_strbuf_add(&edit->text, text + found.end,
			      length - found.end);
	} else {
		insert(edit, block, text, length, is_new);
	}
	la_strbuf_add(&edit->text, "", 0);
	if (edit->line)
		edit->last_line =
			edit->line + (block->target->header != NULL) +
			count_lines(block->lines, strlen(block->lines)) + 1;
	return edit->text.failed ? -ENOMEM : 0;
}
