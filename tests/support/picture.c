// SPDX-License-Identifier: Apache-2.0
/* What tests of pictures share: see picture.h. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/picture.h"
#include "util/utf8.h"

const char picture_hostile[] =
	"</title><script>alert('1')</script>\" onload=\"x&lt;"
	"\033]0;owned\a\033[2J\r\n\x01\xff\xc0\x80\xe2\x80\xae\xef\xbf\xbf";

static bool parses(const struct la_strbuf *svg)
{
	FILE *python;

	if (system("python3 -c 'import xml.dom.minidom' 2>/dev/null")) {
		puts("SKIP XML: no python3");
		return true;
	}
	python = popen("python3 -c 'import sys, xml.dom.minidom as m; "
		       "m.parseString(sys.stdin.buffer.read())'",
		       "w");
	if (!python)
		return false;
	fwrite(svg->data, 1, svg->length, python);
	return !pclose(python);
}

size_t picture_count(const struct la_strbuf *buf, const char *needle)
{
	const char *at = la_strbuf_text(buf);
	size_t count = 0;

	for (; (at = strstr(at, needle)); at += strlen(needle))
		count++;
	return count;
}

bool picture_has(const struct la_strbuf *buf, const char *needle)
{
	if (strstr(la_strbuf_text(buf), needle))
		return true;
	printf("no %s in:\n%s\n", needle, la_strbuf_text(buf));
	return false;
}

static bool has_none(const struct la_strbuf *buf, const char *needle)
{
	if (!strstr(la_strbuf_text(buf), needle))
		return true;
	printf("%s is in the picture\n", needle);
	return false;
}

bool picture_is_svg(const struct la_strbuf *svg)
{
	static const char *const never[] = { "=\"nan", "=\"inf", "=\"-nan",
					     "=\"-inf", "Hnan", "Vnan",
					     "<script", " onload=\"" };
	size_t i;

	for (i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (!has_none(svg, never[i]))
			return false;
	return !strncmp(la_strbuf_text(svg), "<svg ", 5) &&
	       picture_has(svg, " role=\"img\"") &&
	       picture_has(svg, "<title>") && picture_has(svg, "<desc>") &&
	       parses(svg);
}

bool picture_is_text(const struct la_strbuf *text, size_t columns)
{
	size_t i, n, used = 0;

	for (i = 0; i < text->length; i += n) {
		n = la_utf8_char(text->data + i, text->length - i);
		if (text->data[i] == '\n') {
			used = 0;
			continue;
		}
		if (!n || (n == 1 && (text->data[i] < ' ' ||
				      text->data[i] == 0x7f)) ||
		    !strncmp(text->data + i, "\xe2\x80\xae", 3)) {
			printf("byte %zu: %02x\n", i,
			       (unsigned char)text->data[i]);
			return false;
		}
		if (++used > columns) {
			printf("too wide at byte %zu\n%s", i, text->data);
			return false;
		}
	}
	return true;
}
