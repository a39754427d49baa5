// SPDX-License-Identifier: Apache-2.0
/* Texts of Python: literals, f-strings, % and the methods of str. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "script/python.h"
#include "util/util.h"

bool py_str(struct la_strbuf *out, const struct py_value *value)
{
	switch (value->kind) {
	case PY_TEXT:
	case PY_FLOAT:
		la_strbuf_add(out, value->text, value->length);
		return true;
	case PY_INT:
		la_strbuf_addf(out, "%" PRId64, value->number);
		return true;
	case PY_BOOL:
		la_strbuf_addstr(out, value->number ? "True" : "False");
		return true;
	case PY_NOTHING:
		la_strbuf_addstr(out, "None");
		return true;
	default:
		return false;
	}
}

/* The text that was built, or unknown; out is released. */
static const struct py_value *built(struct py *py, struct la_strbuf *out,
				    bool known)
{
	const struct py_value *value = &py_unknown;

	if (out->failed)
		py->failed = -ENOMEM;
	else if (known)
		value = py_text(py, la_strbuf_text(out), out->length);
	la_strbuf_release(out);
	return value;
}

static void add_code_point(struct la_strbuf *out, uint32_t c)
{
	char bytes[4];
	int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

	for (i = n - 1; i > 0; i--, c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xf0) | c);
	if (n == 4)
		bytes[0] = (char)(0xf0 | c);
	la_strbuf_add(out, bytes, n);
}

static unsigned int digit_value(unsigned int c)
{
	if (c - '0' < 10u)
		return c - '0';
	if ((c | 32) - 'a' < 6u)
		return (c | 32) - 'a' + 10;
	return 99;
}

/* Digits of an escape, at most n of them; bytes read. */
static size_t read_digits(const char *text, const char *end, unsigned int base,
			  size_t n, uint32_t *value)
{
	size_t i;

	for (*value = i = 0; i < n && text + i < end &&
			     digit_value((unsigned char)text[i]) < base;
	     i++)
		*value = *value * base + digit_value((unsigned char)text[i]);
	return i;
}

/* A numbered escape behind its backslash; bytes read, 0: none. */
static size_t unescape_number(struct la_strbuf *out, const char *text,
			      const char *end)
{
	size_t n = 0, want = *text == 'x' ? 2 : *text == 'u' ? 4 : 8;
	uint32_t c = 0;

	if (*text >= '0' && *text <= '7')
		n = read_digits(text, end, 8, 3, &c);
	else if (*text == 'x' || *text == 'u' || *text == 'U') {
		n = read_digits(text + 1, end, 16, want, &c);
		if (n != want || c > 0x10ffff)
			return 0;
		n++;
	}
	if (n)
		add_code_point(out, c);
	return n;
}

/* One escape; the byte behind it. */
static const char *unescape(struct la_strbuf *out, const char *text,
			    const char *end)
{
	static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
	const char *simple;
	size_t n;

	if (text + 1 >= end) {
		la_strbuf_add(out, text, 1);
		return end;
	}
	if (text[1] == '\n')
		return text + 2;
	if (text[1] == '\r')
		return text + 2 + (text + 2 < end && text[2] == '\n');
	simple = text[1] ? strchr(from, text[1]) : NULL;
	if (simple) {
		la_strbuf_add(out, to + (simple - from), 1);
		return text + 2;
	}
	n = unescape_number(out, text + 1, end);
	if (n)
		return text + 1 + n;
	la_strbuf_add(out, text, 1);
	return text + 1;
}

/* The text between quotes, where escapes count if it is not raw. */
static void add_plain(struct la_strbuf *out, const char *text, const char *end,
		      bool raw)
{
	size_t n;

	while (text < end) {
		if (!raw && *text == '\\') {
			text = unescape(out, text, end);
			continue;
		}
		for (n = 0; text + n < end && (raw || text[n] != '\\'); n++)
			;
		la_strbuf_add(out, text, n);
		text += n;
	}
}

/* What an expression in braces gives as text. */
static bool add_evaluated(struct py *py, struct la_strbuf *out,
			  const char *text, size_t length)
{
	struct py_source outer = py->source;
	const struct py_value *value = &py_unknown;
	bool known;
	int ret;

	ret = py_source_init(&py->source, text, length, false);
	if (ret) {
		py->source = outer;
		py->failed = ret;
		return false;
	}
	value = py_expressions(py);
	known = py_now(&py->source)->type == PY_NEWLINE && py_str(out, value);
	py_source_release(&py->source);
	py->source = outer;
	return known;
}

/* Where the expression of a field ends: : ! } = outside of brackets. */
static const char *field_end(const char *text, const char *end)
{
	unsigned int depth = 0;
	char quote = 0;

	for (; text < end; text++) {
		if (quote) {
			quote = *text == quote ? 0 : quote;
			continue;
		}
		if (*text == '"' || *text == '\'')
			quote = *text;
		else if (strchr("([{", *text))
			depth++;
		else if (depth && strchr(")]}", *text))
			depth--;
		else if (!depth &&
			 (*text == '}' || *text == ':' ||
			  (*text == '!' && text + 1 < end && text[1] != '=')))
			return text;
	}
	return end;
}

static const char *close_brace(const char *text, const char *end)
{
	unsigned int depth = 0;

	for (; text < end; text++) {
		if (*text == '{')
			depth++;
		if (*text == '}' && !depth--)
			return text;
	}
	return end;
}

/* Conversions and formats that leave str() as it is. */
static bool is_plain_format(const char *text, size_t length)
{
	return !length || (length == 1 && *text == ':') ||
	       (length == 2 &&
		(!memcmp(text, "!s", 2) || !memcmp(text, ":s", 2) ||
		 !memcmp(text, ":d", 2)));
}

/* The inside of an f-string. */
static bool add_formatted(struct py *py, struct la_strbuf *out,
			  const char *text, const char *end, bool raw)
{
	const char *brace, *close;
	bool known = true;

	while (text < end) {
		brace = text;
		while (brace < end && *brace != '{' && *brace != '}')
			brace++;
		add_plain(out, text, brace, raw);
		if (brace >= end)
			break;
		if (brace + 1 < end && brace[1] == *brace) {
			la_strbuf_add(out, brace, 1);
			text = brace + 2;
			continue;
		}
		text = field_end(brace + 1, end);
		close = close_brace(text, end);
		known = is_plain_format(text, close - text) &&
			add_evaluated(py, out, brace + 1, text - brace - 1) &&
			known;
		text = close < end ? close + 1 : end;
	}
	return known;
}

/* Names of characters, lone surrogates and line ends that Python changes. */
static bool is_beyond(const char *text, const char *end, bool raw)
{
	static const char *const escapes[] = { "\\N", "\\ud", "\\uD" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(escapes) && !raw; i++)
		if (memmem(text, end - text, escapes[i], strlen(escapes[i])))
			return true;
	return memchr(text, '\r', end - text);
}

const struct py_value *py_literal(struct py *py, const struct py_token *token)
{
	const char *text = py->source.text + token->start;
	const char *end = py->source.text + token->end;
	struct la_strbuf out = { 0 };
	bool raw = false, format = false, bytes = false, known = !token->cut;
	size_t quotes;

	for (; *text != '"' && *text != '\''; text++) {
		raw = raw || (*text | 32) == 'r';
		format = format || (*text | 32) == 'f';
		bytes = bytes || (*text | 32) == 'b';
		known = known && (*text | 32) != 't';
	}
	quotes =
		end - text >= 6 && text[1] == *text && text[2] == *text ? 3 : 1;
	if (token->cut)
		return &py_unknown;
	text += quotes;
	end -= quotes;
	if (bytes)
		return &py_bytes;
	if (py->depth > 64 || is_beyond(text, end, raw))
		known = false;
	else if (format)
		known = add_formatted(py, &out, text, end, raw) && known;
	else
		add_plain(&out, text, end, raw);
	return built(py, &out, known);
}

const struct py_value *py_percent(struct py *py, const struct py_value *format,
				  const struct py_value *with)
{
	const struct py_value *const *item = &with;
	size_t left = 1, n;
	const char *text = format->text;
	struct la_strbuf out = { 0 };
	bool known = with->kind != PY_DICT;

	if (with->kind == PY_LIST) {
		item = with->item;
		left = with->length;
	}
	for (; known && *text; text += n) {
		n = strcspn(text, "%");
		la_strbuf_add(&out, text, n);
		if (!text[n])
			break;
		n += 2;
		if (text[n - 1] == '%') {
			la_strbuf_addstr(&out, "%");
			continue;
		}
		known = left &&
			(text[n - 1] == 's' ||
			 ((text[n - 1] == 'd' || text[n - 1] == 'i') &&
			  (*item)->kind == PY_INT)) &&
			py_str(&out, *item);
		item++;
		left--;
	}
	return built(py, &out, known && !left);
}

const struct py_value *py_argument(const struct py_arguments *arguments,
				   size_t position, const char *name)
{
	size_t i;

	for (i = 0; i < arguments->count; i++)
		if (arguments->name[i] ?
			    (name &&
			     strlen(name) == arguments->name_length[i] &&
			     !memcmp(arguments->name[i], name, strlen(name))) :
			    i == position)
			return arguments->value[i];
	return NULL;
}

/* One field of str.format(): {}, {0}, {name}. */
static const struct py_value *format_field(const struct py_arguments *arguments,
					   const char *name, size_t length,
					   size_t *next)
{
	char word[64];
	size_t position = SIZE_MAX;

	if (length >= sizeof(word))
		return NULL;
	memcpy(word, name, length);
	word[length] = '\0';
	if (!length)
		position = (*next)++;
	else if (*word >= '0' && *word <= '9')
		position = strtoul(word, NULL, 10);
	return py_argument(arguments, position, word);
}

static const struct py_value *
method_format(struct py *py, const struct py_value *self,
	      const struct py_arguments *arguments)
{
	const char *text = self->text, *end = text + self->length, *brace;
	const struct py_value *value;
	struct la_strbuf out = { 0 };
	bool known = !arguments->more;
	size_t next = 0, n;

	while (known && text < end) {
		n = strcspn(text, "{}");
		la_strbuf_add(&out, text, n);
		brace = text + n;
		if (brace >= end)
			break;
		if (brace[1] == *brace) {
			la_strbuf_add(&out, brace, 1);
			text = brace + 2;
			continue;
		}
		n = strcspn(brace + 1, "{}:!.[");
		value = format_field(arguments, brace + 1, n, &next);
		text = brace + 1 + n;
		known = *brace == '{' && value && py_str(&out, value) &&
			(*text == '}' || !strncmp(text, ":d}", 3) ||
			 !strncmp(text, ":s}", 3));
		text = strchr(text, '}') ? strchr(text, '}') + 1 : end;
	}
	return built(py, &out, known);
}

static const struct py_value *method_join(struct py *py,
					  const struct py_value *self,
					  const struct py_arguments *arguments)
{
	const struct py_value *list = py_argument(arguments, 0, NULL);
	struct la_strbuf out = { 0 };
	bool known = list && list->kind == PY_LIST;
	size_t i;

	for (i = 0; known && i < list->length; i++) {
		if (i)
			la_strbuf_add(&out, self->text, self->length);
		known = list->item[i]->kind == PY_TEXT;
		if (known)
			py_str(&out, list->item[i]);
	}
	return built(py, &out, known);
}

static const struct py_value *method_strip(struct py *py,
					   const struct py_value *self,
					   const struct py_arguments *arguments)
{
	const struct py_value *set = py_argument(arguments, 0, NULL);
	const char *start = self->text, *end = start + self->length;
	const char *what = " \t\n\r\f\v";

	if (set && set->kind != PY_TEXT)
		return &py_unknown;
	what = set ? set->text : what;
	while (start < end && *start && strchr(what, *start))
		start++;
	while (end > start && end[-1] && strchr(what, end[-1]))
		end--;
	return py_text(py, start, end - start);
}

static const struct py_value *
method_replace(struct py *py, const struct py_value *self,
	       const struct py_arguments *arguments)
{
	const struct py_value *from = py_argument(arguments, 0, NULL);
	const struct py_value *to = py_argument(arguments, 1, NULL);
	const char *text = self->text, *hit;
	struct la_strbuf out = { 0 };

	if (!from || !to || from->kind != PY_TEXT || to->kind != PY_TEXT ||
	    !from->length || arguments->count != 2)
		return &py_unknown;
	for (; (hit = strstr(text, from->text)); text = hit + from->length) {
		la_strbuf_add(&out, text, hit - text);
		la_strbuf_add(&out, to->text, to->length);
	}
	la_strbuf_addstr(&out, text);
	return built(py, &out, true);
}

const struct py_value *py_text_method(struct py *py,
				      const struct py_value *text,
				      const char *method,
				      const struct py_arguments *arguments)
{
	static const struct {
		const char *name;
		const struct py_value *(*run)(struct py *,
					      const struct py_value *,
					      const struct py_arguments *);
	} methods[] = { { "format", method_format },
			{ "join", method_join },
			{ "strip", method_strip },
			{ "replace", method_replace } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(methods); i++)
		if (!strcmp(methods[i].name, method))
			return methods[i].run(py, text, arguments);
	return NULL;
}
