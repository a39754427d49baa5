// SPDX-License-Identifier: Apache-2.0
/* What tests of pictures share: see picture.h. */

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "support/picture.h"
#include "util/utf8.h"

const char picture_hostile[] =
	"</title><script>alert('1')</script>\" onload=\"x&lt;"
	"\033]0;owned\a\033[2J\r\n\x01\xff\xc0\x80\xe2\x80\xae\xef\xbf\xbf";

/* What a shell returns for a program that is not there. */
enum { NOT_FOUND = 127 };

bool picture_parses(const struct la_strbuf *svg)
{
	int status;
	FILE *python = popen("python3 -c 'import sys, xml.dom.minidom as m; "
			     "m.parseString(sys.stdin.buffer.read())'",
			     "w");

	if (!python)
		return false;
	fwrite(svg->data, 1, svg->length, python);
	status = pclose(python);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
		puts("SKIP XML: no python3");
		return true;
	}
	return !status;
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

static bool is_entity(const char *text)
{
	static const char *const known[] = { "&lt;", "&gt;", "&amp;", "&quot;",
					     "&#39;" };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(text, known[i], strlen(known[i])))
			return true;
	return false;
}

/* Names of elements that are open, up to a depth that no picture has. */
struct nesting {
	const char *name[8];
	size_t depth;
};

/* At "<"; returns the end of the tag, or NULL. */
static const char *take_tag(struct nesting *open, const char *tag)
{
	const char *name = tag + 1 + (tag[1] == '/');
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
	const char *end = name + length;

	if (!length)
		return NULL;
	for (; *end && *end != '>'; end++) {
		if (*end == '"')
			end = strchr(end + 1, '"');
		if (!end || *end == '<' || *end == '&')
			return NULL;
	}
	if (tag[1] == '/')
		return open->depth-- && !strncmp(open->name[open->depth], name,
						 length) ?
			       end :
			       NULL;
	if (end[-1] == '/')
		return end;
	if (open->depth == sizeof(open->name) / sizeof(*open->name))
		return NULL;
	open->name[open->depth++] = name;
	return end;
}

static bool is_well_formed(const struct la_strbuf *svg)
{
	const char *at = la_strbuf_text(svg), *last = at;
	struct nesting open = { .depth = 0 };

	for (; at && *at; at++) {
		last = at;
		if ((unsigned char)*at < ' ' && *at != '\n')
			break;
		if (*at == '&' && !is_entity(at))
			break;
		if (*at == '<')
			at = take_tag(&open, at);
		if (!at)
			break;
	}
	if (at && !*at && !open.depth)
		return true;
	printf("not well-formed: %.200s\n", last);
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
	       is_well_formed(svg);
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
