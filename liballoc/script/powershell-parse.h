/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the parser of PowerShell. */
#ifndef LA_SCRIPT_POWERSHELL_PARSE_H
#define LA_SCRIPT_POWERSHELL_PARSE_H

#include "script/powershell.h"

struct ps_parser {
	struct ps *ps;
	const char *text;
	size_t at, end;
	unsigned int depth;
	bool no_comma; /* within the arguments of a method */
	bool bad; /* refused: at is the end, bad_at where */
	size_t bad_at;
	const char *why;
	struct ps_node spare; /* where there is no memory for another */
};

/* powershell-scan.c */
int ps_peek(const struct ps_parser *p, size_t ahead);
bool ps_starts(const struct ps_parser *p, const char *text);
size_t ps_newline(const struct ps_parser *p, size_t at);
/* Windows PowerShell does not know what stands here. */
void ps_modern(const struct ps_parser *p, size_t at);
size_t ps_dash(const struct ps_parser *p, size_t at);
/* The quote at a place as '"' or '\'', its bytes in *width; or 0. */
char ps_quote(const struct ps_parser *p, size_t at, size_t *width);
void ps_blanks(struct ps_parser *p); /* and comments */
void ps_lines(struct ps_parser *p); /* line ends, too */
/* Does a token of argument mode end here? */
bool ps_delimiter(const struct ps_parser *p, size_t at);
bool ps_name_char(const struct ps_parser *p, size_t at, size_t *width);
/* Letters at a place: a keyword if nothing else follows. */
bool ps_keyword(const struct ps_parser *p, const char *word);
void ps_refuse(struct ps_parser *p, size_t at, const char *why);
bool ps_take_char(struct ps_parser *p, char c, const char *why);
struct ps_node *ps_node(struct ps_parser *p, enum ps_kind kind, size_t start);
void ps_child(struct ps_parser *p, struct ps_node *node, struct ps_node *child);
bool ps_deeper(struct ps_parser *p);

/* powershell-string.c */
struct ps_node *ps_parse_string(struct ps_parser *p);
struct ps_node *ps_parse_here(struct ps_parser *p);
struct ps_node *ps_parse_variable(struct ps_parser *p, bool in_text);
/* A bare word of argument mode. */
struct ps_node *ps_parse_word(struct ps_parser *p);

/* powershell-number.c: NULL: not one, and nothing is taken */
struct ps_node *ps_parse_number(struct ps_parser *p, bool argument);

/* powershell-expression.c */
struct ps_node *ps_parse_expression(struct ps_parser *p);
struct ps_node *ps_parse_primary(struct ps_parser *p);
bool ps_expression_ahead(struct ps_parser *p);
struct ps_node *ps_postfix(struct ps_parser *p, struct ps_node *node);
/* May it stand before = ? */
bool ps_assignable(const struct ps_node *node);

/* powershell-primary.c */
struct ps_node *ps_parse_operand(struct ps_parser *p);

/* powershell-line.c: commands, pipelines, assignments */
struct ps_node *ps_parse_line(struct ps_parser *p);

/* powershell-parse.c */
struct ps_node *ps_parse_statement(struct ps_parser *p);
struct ps_node *ps_parse_statements(struct ps_parser *p, char closer);
struct ps_node *ps_parse_script(struct ps_parser *p); /* { param() ... } */

#endif /* LA_SCRIPT_POWERSHELL_PARSE_H */
