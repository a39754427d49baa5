// SPDX-License-Identifier: Apache-2.0
/* What launchers, loggers, terminals and people put around a message. */
#include "triage/line.h"

#include <string.h>

#include "triage/pattern.h"
#include "util/util.h"

enum { ESCAPE = 27, BELL = 7, TOKEN_MAX = 96 };

/* A part of a line: the token that may be a prefix, or what is inside it. */
struct piece {
	const char *text;
	size_t length;
};

/* Bytes of the escape sequence at the start of text. */
static size_t escape_length(const char *text, size_t length)
{
	size_t i = 2;

	if (length < 2)
		return length;
	if (text[1] == '[') {
		while (i < length && !(text[i] >= '@' && text[i] <= '~'))
			i++;
	} else if (text[1] == ']') {
		while (i < length && text[i] != BELL && text[i] != ESCAPE)
			i++;
	} else {
		return 2;
	}
	return i < length ? i + 1 : length;
}

size_t la_line_clean(char *to, const char *line, size_t length)
{
	size_t i = 0, n = 0;

	while (i < length) {
		unsigned char c = (unsigned char)line[i];

		if (c == ESCAPE) {
			i += escape_length(line + i, length - i);
			continue;
		}
		to[n++] = c < ' ' || c == 127 ? ' ' : line[i];
		i++;
	}
	return n;
}

static uint64_t mix(uint64_t hash, const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	return hash ? hash : 1;
}

static void belongs_to(struct la_origin *origin, struct piece piece)
{
	origin->parent = origin->source;
	origin->depth++;
	if (!origin->source)
		origin->source = 0xcbf29ce484222325;
	origin->source = mix(origin->source, piece.text, piece.length);
}

static bool begins(struct piece piece, const char *word)
{
	size_t i;

	for (i = 0; word[i]; i++)
		if (i >= piece.length || la_fold(piece.text[i]) != word[i])
			return false;
	return true;
}

/* Digits at the start of a piece; -1 for none or too many. */
static int64_t leading_number(struct piece piece, size_t *digits)
{
	int64_t number = 0;
	size_t i = 0;

	for (; i < piece.length && la_is_digit(piece.text[i]); i++) {
		if (i == 10)
			return -1;
		number = number * 10 + (piece.text[i] - '0');
	}
	*digits = i;
	return i ? number : -1;
}

static struct piece after(struct piece piece, size_t bytes)
{
	return (struct piece){ piece.text + bytes, piece.length - bytes };
}

/* The number behind a word of a piece, as in "pid=12"; -1: there is none. */
static int64_t number_behind(struct piece piece, const char *word)
{
	size_t length = strlen(word), digits;

	for (; piece.length > length; piece = after(piece, 1))
		if (begins(piece, word))
			return leading_number(after(piece, length), &digits);
	return -1;
}

/* "3", "rank3", "rank 3", "default3", "1,3" (mpirun's job and rank). */
static int64_t rank_of(struct piece piece)
{
	static const char *const names[] = { "rank", "default", "local_rank",
					     "worker" };
	size_t i, digits;
	int64_t rank;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (begins(piece, names[i]))
			piece = after(piece, strlen(names[i]));
	while (piece.length && strchr(" :=-", *piece.text))
		piece = after(piece, 1);
	rank = leading_number(piece, &digits);
	if (rank >= 0 && digits < piece.length && piece.text[digits] == ',')
		rank = leading_number(after(piece, digits + 1), &i),
		digits += 1 + i;
	return rank >= 0 && digits == piece.length ? rank : -1;
}

static size_t token_length(struct piece line)
{
	size_t n = 0;

	while (n < line.length && n < TOKEN_MAX && line.text[n] != ' ')
		n++;
	return n;
}

static size_t quote_mark(struct la_origin *origin, struct piece line)
{
	size_t n = 0;

	(void)origin;
	while (n < line.length && strchr(" >#|", line.text[n]))
		n++;
	return n;
}

/* Dates and times of any order: figures and what joins them, twice or more. */
static size_t time_stamp(struct la_origin *origin, struct piece line)
{
	size_t n = token_length(line), i, joints = 0, digits = 0;

	(void)origin;
	for (i = 0; i < n; i++) {
		if (la_is_digit(line.text[i]))
			digits++;
		else if (strchr("-/:.", line.text[i]))
			joints++;
		else if (!strchr(",TZ+", line.text[i]))
			return 0;
	}
	if (n == 5 && line.text[2] == '-' && digits == 4)
		return n;
	return joints >= 2 && digits >= 4 && la_is_digit(line.text[0]) ? n : 0;
}

static bool is_message(struct piece inside)
{
	return begins(inside, "errno") || begins(inside, "enforce");
}

/* [rank3]: [3]: [1,3]<stderr>: [INFO] [file.py:12] [2024-01-01 ...] */
static size_t bracket(struct la_origin *origin, struct piece line)
{
	const char *end;
	struct piece inside;
	int64_t rank;
	size_t n;

	if (line.length < 3 || *line.text != '[')
		return 0;
	n = line.length < TOKEN_MAX ? line.length : TOKEN_MAX;
	end = memchr(line.text, ']', n);
	if (!end)
		return 0;
	inside = (struct piece){ line.text + 1, (size_t)(end - line.text) - 1 };
	if (is_message(inside))
		return 0;
	rank = rank_of(inside);
	if (rank >= 0)
		belongs_to(origin, inside);
	n = inside.length + 2;
	if (begins(after(line, n), "<stderr>:") ||
	    begins(after(line, n), "<stdout>:"))
		n += strlen("<stderr>:");
	else if (n < line.length && line.text[n] == ':')
		n++;
	if (rank >= 0 && line.text[n - 1] == ':')
		origin->rank = rank;
	return n;
}

/* (worker pid=12) (RayTrainWorker pid=12, ip=...) (VllmWorker rank=3 pid=1) */
static size_t parenthesis(struct la_origin *origin, struct piece line)
{
	const char *end;
	struct piece inside;
	int64_t rank;

	if (line.length < 3 || *line.text != '(')
		return 0;
	end = memchr(line.text, ')',
		     line.length < TOKEN_MAX ? line.length : TOKEN_MAX);
	if (!end)
		return 0;
	inside = (struct piece){ line.text + 1, (size_t)(end - line.text) - 1 };
	if (number_behind(inside, "pid=") < 0)
		return 0;
	belongs_to(origin, inside);
	origin->pid = number_behind(inside, "pid=");
	rank = number_behind(inside, "rank=");
	if (rank < 0)
		rank = number_behind(inside, "_tp");
	if (rank >= 0)
		origin->rank = rank;
	return inside.length + 2;
}

/* In capitals: a message may have "error:" at the start of a wrapped line. */
static size_t level(struct la_origin *origin, struct piece line)
{
	static const char *const levels[] = {
		"ERROR",  "WARNING",	 "WARN",	"INFO",
		"DEBUG",  "CRITICAL",	 "FATAL",	"E",
		"W",	  "I",		 "F",		"stderr",
		"stdout", "stdout/INFO", "stderr/INFO", "stderr/ERROR",
	};
	size_t n = token_length(line), length, i;

	(void)origin;
	length = n && line.text[n - 1] == ':' ? n - 1 : n;
	for (i = 0; i < ARRAY_SIZE(levels) && n < line.length; i++)
		if (strlen(levels[i]) == length &&
		    memcmp(line.text, levels[i], length) == 0)
			return n;
	return 0;
}

/* file.cc:239]  E0102  12:34] : glog's, with the tokens between them. */
static size_t source_file(struct la_origin *origin, struct piece line)
{
	size_t n = token_length(line), i;

	(void)origin;
	if (n > 3 && line.text[n - 1] == ']' && line.text[0] != '[' &&
	    memchr(line.text, ':', n) && la_is_digit(line.text[n - 2]))
		return n;
	if (n != 5 || !strchr("IWEF", line.text[0]))
		return 0;
	for (i = 1; i < n; i++)
		if (!la_is_digit(line.text[i]))
			return 0;
	return n;
}

/* "3: " of srun -l, ahead of everything else. */
static size_t task(struct la_origin *origin, struct piece line)
{
	size_t n = token_length(line), digits;
	int64_t rank;

	if (n < 2 || n > 6 || line.text[n - 1] != ':' || n == line.length)
		return 0;
	rank = leading_number(line, &digits);
	if (rank < 0 || digits != n - 1)
		return 0;
	belongs_to(origin, (struct piece){ line.text, n });
	origin->rank = rank;
	return n;
}

/* "trainer-1  | " of docker compose and its like. */
static size_t container(struct la_origin *origin, struct piece line)
{
	size_t n = token_length(line), end = n;

	while (end < line.length && line.text[end] == ' ')
		end++;
	if (n == 0 || end == n || end + 1 >= line.length ||
	    line.text[end] != '|' || line.text[end + 1] != ' ')
		return 0;
	belongs_to(origin, (struct piece){ line.text, n });
	return end + 1;
}

/* "host:392:494 [2] " of NCCL: process, thread, device. */
static size_t nccl(struct la_origin *origin, struct piece line)
{
	size_t n = token_length(line), i, digits, more;
	struct piece rest;
	int64_t pid, device;

	for (i = 0; i < n && line.text[i] != ':'; i++)
		;
	rest = after(line, i);
	if (i == 0 || rest.length < 5)
		return 0;
	rest = after(rest, 1);
	pid = leading_number(rest, &digits);
	if (pid < 0 || digits >= rest.length || rest.text[digits] != ':' ||
	    leading_number(after(rest, digits + 1), &more) < 0)
		return 0;
	rest = after(rest, digits + 1 + more);
	if (!begins(rest, " ["))
		return 0;
	device = leading_number(after(rest, 2), &more);
	if (device < 0 || !begins(after(rest, 2 + more), "] "))
		return 0;
	belongs_to(origin, (struct piece){ line.text, n });
	origin->pid = pid;
	origin->device = device;
	return (size_t)(rest.text + 3 + more - line.text);
}

size_t la_line_prefix(struct la_origin *origin, const char *line, size_t length)
{
	static size_t (*const kinds[])(struct la_origin *, struct piece) = {
		quote_mark,  nccl,  time_stamp,	 bracket,
		parenthesis, level, source_file, container,
	};
	struct piece rest = { line, length };
	size_t i, n;

	*origin = (struct la_origin){ .rank = -1, .pid = -1, .device = -1 };
	rest = after(rest, task(origin, rest));
	do {
		for (i = 0, n = 0; i < ARRAY_SIZE(kinds) && n == 0; i++)
			n = kinds[i](origin, rest);
		rest = after(rest, n);
	} while (n > 0 && rest.length > 0);
	return length - rest.length;
}
