// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/heap.h>

#include "cmd.h"
#include "print.h"
#include "util/utf8.h"
#include "util/util.h"

/* Bytes before and after what is marked; most texts have fewer. */
enum { AROUND = 200 };

const char *const print_formats[] = { "text", "json", NULL };

const char *const print_policies[] = {
	[LA_HEAP_TORCH] = "torch",
	[LA_HEAP_COMPACT] = "compact",
	[LA_HEAP_POLICIES] = NULL,
};

bool print_has_colours(void)
{
	const char *no = getenv("NO_COLOR");

	return !(no && *no) && isatty(STDOUT_FILENO);
}

void print_paint(enum print_colour colour, const char *text)
{
	static const char *const codes[] = {
		[PRINT_RED] = "31",
		[PRINT_YELLOW] = "33",
		[PRINT_GREEN] = "32",
		[PRINT_BOLD] = "1",
	};

	if (print_has_colours())
		printf("\033[%sm%s\033[0m", codes[colour], text);
	else
		fputs(text, stdout);
}

struct range {
	uint32_t first, last;
};

/* Of no width, or turning the order of what follows: not to be seen. */
static const struct range unseen[] = {
	{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0xad, 0xad },
	{ 0x61c, 0x61c },   { 0x200b, 0x200f }, { 0x2028, 0x202e },
	{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xe0000, 0xe0fff },
};

/* Drawn over the character before. */
static const struct range combining[] = {
	{ 0x300, 0x36f },
	{ 0x20d0, 0x20ff },
	{ 0xfe00, 0xfe0f },
};

/* Two columns of a terminal wide: East Asian ones, and pictures. */
static const struct range wide[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },
	{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },
	{ 0xff01, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f },
	{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static bool is_in(const struct range *range, size_t nr, uint32_t c)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (c >= range[i].first && c <= range[i].last)
			return true;
	return false;
}

static uint32_t decode(const char *text, size_t length)
{
	uint32_t c = (unsigned char)*text;
	size_t i;

	if (length > 1)
		c &= 0x7f >> length;
	for (i = 1; i < length; i++)
		c = c << 6 | (text[i] & 0x3f);
	return c;
}

/* Bytes of the character at text that may be printed as it is, or 0. */
static size_t printable(const char *text, size_t length)
{
	size_t n = la_utf8_char(text, length);

	return n && !is_in(unseen, ARRAY_SIZE(unseen), decode(text, n)) ? n : 0;
}

static void escape_to(FILE *stream, const char *text, size_t length)
{
	size_t i, n;

	for (i = 0; i < length; i += n ? n : 1) {
		n = printable(text + i, length - i);
		if (n)
			fwrite(text + i, 1, n, stream);
		else
			fprintf(stream, "\\x%02x", (unsigned char)text[i]);
	}
}

void print_error(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	fprintf(stderr, "%s: ", print_program);
	if (length < 0) {
		fputs("out of memory\n", stderr);
		return;
	}
	escape_to(stderr, text, (size_t)length);
	fputc('\n', stderr);
	free(text);
}

int print_no_memory(void)
{
	print_error("out of memory");
	return STATUS_CANNOT_TELL;
}

void print_escaped_add(struct la_strbuf *out, const char *text, size_t length)
{
	size_t i, n;

	for (i = 0; i < length; i += n ? n : 1) {
		n = printable(text + i, length - i);
		if (n)
			la_strbuf_add(out, text + i, n);
		else
			la_strbuf_addf(out, "\\x%02x", (unsigned char)text[i]);
	}
}

void print_escaped_bytes(const char *text, size_t length)
{
	escape_to(stdout, text, length);
}

void print_escaped(const char *text)
{
	print_escaped_bytes(text, strlen(text));
}

size_t print_columns(const char *text, size_t length)
{
	size_t i, n, columns = 0;
	uint32_t c;

	for (i = 0; i < length; i += n ? n : 1) {
		n = printable(text + i, length - i);
		c = n ? decode(text + i, n) : 0;
		if (!n)
			columns += strlen("\\xNN");
		else if (is_in(wide, ARRAY_SIZE(wide), c))
			columns += 2;
		else if (!is_in(combining, ARRAY_SIZE(combining), c))
			columns++;
	}
	return columns;
}

size_t print_characters(const char *text, size_t length)
{
	size_t i, n, characters = 0;

	for (i = 0; i < length; i += n ? n : 1) {
		n = la_utf8_char(text + i, length - i);
		characters++;
	}
	return characters;
}

static bool is_wide(const char *text, size_t length)
{
	return is_in(wide, ARRAY_SIZE(wide), decode(text, length));
}

/* Punctuation that no line begins with. */
static bool is_closing(const char *text)
{
	static const char *const marks[] = { "，", "。", "；", "：",
					     "、", "）", "”",  "？" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++)
		if (!strncmp(text, marks[i], strlen(marks[i])))
			return true;
	return false;
}

/* Bytes up to where a line may end. */
static size_t unbroken(const char *text)
{
	size_t i, n, length = strcspn(text, " ");
	bool was_wide = false, now_wide;

	for (i = 0; i < length; i += n ? n : 1) {
		n = la_utf8_char(text + i, length - i);
		now_wide = n > 1 && is_wide(text + i, n);
		if (i && (was_wide || now_wide) && !is_closing(text + i))
			return i;
		was_wide = now_wide;
	}
	return length;
}

void print_wrapped_from(size_t column, int indent, const char *text)
{
	size_t length, blanks = 0, width;
	bool fresh = column <= (size_t)indent;

	for (; *text; text += length) {
		length = unbroken(text);
		width = print_columns(text, length);
		if (!fresh && column + blanks + width > 80) {
			printf("\n%*s", indent, "");
			column = (size_t)indent;
			blanks = 0;
		}
		printf("%*s%.*s", (int)blanks, "", (int)length, text);
		column += blanks + width;
		fresh = false;
		text += length;
		length = strspn(text, " ");
		blanks = length > 0;
	}
	putchar('\n');
}

void print_wrapped(int indent, const char *text)
{
	printf("%*s", indent, "");
	print_wrapped_from((size_t)indent, indent, text);
}

static void repeat(char c, size_t times)
{
	while (times--)
		putchar(c);
}

void print_caret(const char *text, size_t text_length, size_t offset,
		 size_t length)
{
	size_t from = offset > AROUND ? offset - AROUND : 0;
	size_t to = text_length, columns;

	while (from && from < offset && (text[from] & 0xc0) == 0x80)
		from++;
	if (to - offset > AROUND)
		to = offset +
		     la_utf8_prefix(text + offset, to - offset, AROUND);
	if (length > to - offset)
		length = to - offset;
	printf("    %s", from ? "..." : "");
	print_escaped_bytes(text + from, to - from);
	printf("%s\n    %s", to < text_length ? "..." : "", from ? "   " : "");
	repeat(' ', print_columns(text + from, offset - from));
	putchar('^');
	columns = print_columns(text + offset, length);
	repeat('~', columns ? columns - 1 : 0);
	putchar('\n');
}

const char *print_code(char text[16], int code)
{
	snprintf(text, 16, "LA%d", code);
	return text;
}

int print_json_sink(void *arg, const char *data, size_t length)
{
	return fwrite(data, 1, length, arg) == length ? 0 : -EIO;
}

int print_finish(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	print_error("cannot write output: %s", strerror(errno));
	return STATUS_CANNOT_TELL;
}
