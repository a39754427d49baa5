// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "report.h"
#include "util/utf8.h"

const char *const report_formats[] = { "text", "json", NULL };

void report_error(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	fputs("allocctl: ", stderr);
	if (length < 0) {
		fputs("out of memory\n", stderr);
		return;
	}
	report_escaped_to(stderr, text, (size_t)length);
	fputc('\n', stderr);
	free(text);
}

static bool use_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return !(no && *no) && isatty(STDOUT_FILENO);
}

void report_paint(enum report_colour colour, const char *text)
{
	static const char *const codes[] = {
		[REPORT_RED] = "31",
		[REPORT_YELLOW] = "33",
		[REPORT_GREEN] = "32",
		[REPORT_BOLD] = "1",
	};

	if (use_colour())
		printf("\033[%sm%s\033[0m", codes[colour], text);
	else
		fputs(text, stdout);
}

/* Bytes of the character at text that may be printed as it is, or 0. */
static size_t printable(const char *text, size_t length)
{
	unsigned char byte = *text;

	if (byte < 0x20 || byte == 0x7f)
		return 0;
	/* C1 controls: U+0080 to U+009F. */
	if (byte == 0xc2 && length > 1 && (unsigned char)text[1] < 0xa0)
		return 0;
	return la_utf8_char(text, length);
}

void report_escaped_to(FILE *stream, const char *text, size_t length)
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

void report_escaped(const char *text, size_t length)
{
	report_escaped_to(stdout, text, length);
}

size_t report_columns(const char *text, size_t length)
{
	size_t i, n, columns = 0;

	for (i = 0; i < length; i += n ? n : 1) {
		n = printable(text + i, length - i);
		columns += n ? 1 : strlen("\\xNN");
	}
	return columns;
}

void report_wrapped(int indent, const char *text)
{
	int column = 0, length;

	for (; *text; text += length + strspn(text + length, " ")) {
		length = strcspn(text, " ");
		if (column && column + 1 + length <= 80) {
			column += 1 + length;
			printf(" %.*s", length, text);
			continue;
		}
		if (column)
			putchar('\n');
		column = indent + length;
		printf("%*s%.*s", indent, "", length, text);
	}
	putchar('\n');
}

int report_json_sink(void *arg, const char *data, size_t length)
{
	return fwrite(data, 1, length, arg) == length ? 0 : -EIO;
}

int report_finish(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	report_error("cannot write output: %s", strerror(errno));
	return STATUS_CANNOT_TELL;
}
