/* SPDX-License-Identifier: Apache-2.0 */
/* HTML around text that nobody vouches for. */
#ifndef ALLOCCTL_REPORT_HTML_H
#define ALLOCCTL_REPORT_HTML_H

#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

/* Text between tags or in a quoted attribute. */
void html_text(struct la_strbuf *out, const char *text);

/* The same where lines end, as in <pre>. */
void html_lines(struct la_strbuf *out, const char *text);

/* <TAG>text</TAG> and a newline. */
void html_element(struct la_strbuf *out, const char *tag, const char *text);

/* <dt>name</dt><dd>text</dd> */
void html_fact(struct la_strbuf *out, const char *name, const char *text);

/* <section id="id">, with a heading that names it; html_section_end() ends
 * it. */
void html_section(struct la_strbuf *out, const char *id, const char *title);
void html_section_end(struct la_strbuf *out);

/* Cells of a table: of text, of bytes, of another number as `text` has it. */
void html_cell(struct la_strbuf *out, const char *text);
void html_cell_code(struct la_strbuf *out, const char *text);
void html_cell_bytes(struct la_strbuf *out, uint64_t bytes);
void html_cell_number(struct la_strbuf *out, double value, const char *text);

/* <thead> of columns, up to NULL; those with a # in front have numbers. */
void html_columns(struct la_strbuf *out, const char *const *column);

#endif /* ALLOCCTL_REPORT_HTML_H */
