// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "html.h"
#include "svg.h"
#include "util/size.h"

void html_text(struct la_strbuf *out, const char *text)
{
	svg_escaped(out, text, strlen(text));
}

void html_lines(struct la_strbuf *out, const char *text)
{
	size_t length;

	for (; *text; text += length) {
		length = strcspn(text, "\n");
		svg_escaped(out, text, length);
		if (text[length] == '\n') {
			la_strbuf_addstr(out, "\n");
			length++;
		}
	}
}

void html_element(struct la_strbuf *out, const char *tag, const char *text)
{
	la_strbuf_addf(out, "<%s>", tag);
	html_text(out, text);
	la_strbuf_addf(out, "</%s>\n", tag);
}

void html_fact(struct la_strbuf *out, const char *name, const char *text)
{
	la_strbuf_addstr(out, "<div><dt>");
	html_text(out, name);
	la_strbuf_addstr(out, "</dt><dd>");
	html_text(out, text);
	la_strbuf_addstr(out, "</dd></div>\n");
}

void html_section(struct la_strbuf *out, const char *id, const char *title)
{
	la_strbuf_addf(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n"
		       "<h2 id=\"%s-title\">", id, id, id);
	html_text(out, title);
	la_strbuf_addstr(out, "</h2>\n");
}

void html_section_end(struct la_strbuf *out)
{
	la_strbuf_addstr(out, "</section>\n");
}

void html_cell(struct la_strbuf *out, const char *text)
{
	la_strbuf_addstr(out, "<td>");
	html_text(out, text);
	la_strbuf_addstr(out, "</td>");
}

void html_cell_code(struct la_strbuf *out, const char *text)
{
	la_strbuf_addstr(out, "<td><code>");
	html_text(out, text);
	la_strbuf_addstr(out, "</code></td>");
}

void html_cell_bytes(struct la_strbuf *out, uint64_t bytes)
{
	char text[LA_SIZE_TEXT];

	la_strbuf_addf(out, "<td class=\"number\" data-value=\"%" PRIu64 "\">"
		       "%s</td>", bytes, la_size_format(text, bytes));
}

void html_cell_number(struct la_strbuf *out, double value, const char *text)
{
	la_strbuf_addf(out, "<td class=\"number\" data-value=\"%.9g\">",
		       value);
	html_text(out, text);
	la_strbuf_addstr(out, "</td>");
}

void html_columns(struct la_strbuf *out, const char *const *column)
{
	bool number;

	la_strbuf_addstr(out, "<thead><tr>");
	for (; *column; column++) {
		number = **column == '#';
		la_strbuf_addf(out, "<th scope=\"col\"%s>",
			       number ? " class=\"number\"" : "");
		html_text(out, *column + number);
		la_strbuf_addstr(out, "</th>");
	}
	la_strbuf_addstr(out, "</tr></thead>\n");
}
