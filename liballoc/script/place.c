// SPDX-License-Identifier: Apache-2.0
/* Places of files, what is odd about them, and programs that files start. */
#include <errno.h>
#include <string.h>

#include "script/place.h"
#include "util/error.h"
#include "util/util.h"

/* Characters that only look like one of ASCII. */
static const char *const lookalikes[] = {
	"\xe2\x80\x98", "\xe2\x80\x99", "\xe2\x80\x9a", "\xe2\x80\x9b",
	"\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x9f",
	"\xc2\xa0",	"\xe2\x80\x8b", "\xef\xbc\x9a", "\xef\xbc\x8c",
	"\xef\xbc\x9d", "\xe2\x80\x93", "\xe2\x80\x94", "\xc2\xab",
	"\xc2\xbb",	"\xef\xbb\xbf",
};

size_t la_script_mark(const char *text, size_t length)
{
	return length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

size_t la_script_odd_blank(const char *text, size_t length)
{
	const unsigned char *c = (const unsigned char *)text;

	if (length >= 2 && c[0] == 0xc2 && (c[1] == 0xa0 || c[1] == 0x85))
		return 2;
	if (length < 3)
		return 0;
	if (c[0] == 0xe2 && c[1] == 0x80 &&
	    ((c[2] >= 0x80 && c[2] <= 0x8a) || c[2] == 0xa8 || c[2] == 0xa9 ||
	     c[2] == 0xaf))
		return 3;
	if (!memcmp(c, "\xe2\x81\x9f", 3) || !memcmp(c, "\xe3\x80\x80", 3) ||
	    !memcmp(c, "\xe1\x9a\x80", 3))
		return 3;
	return 0;
}

size_t la_script_places(const struct la_script *script)
{
	size_t count;

	la_script_assignments(script, &count);
	return count;
}

static bool has_lookalike(const char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lookalikes); i++)
		if (strstr(value, lookalikes[i]))
			return true;
	return false;
}

/* A dollar sign that a reader with expansions would have expanded. */
static bool has_dollar(const char *value)
{
	const char *at;

	for (at = value; (at = strchr(at, '$')); at++)
		if (strchr("{(", at[1]) ? at[1] != '\0' :
					  la_script_name(at + 1, 1) > 0)
			return true;
	return false;
}

static bool has_comment(const char *value)
{
	const char *at = strchr(value, '#');

	return at && at > value && (at[-1] == ' ' || at[-1] == '\t');
}

/* What is odd about a value, if something is. */
static void inspect(struct la_script *script, const struct la_script_part *part,
		    size_t index, const char *value, struct la_script_span at)
{
	size_t length = strlen(value);
	char first = value[0], last = length ? value[length - 1] : '\0';

	if (length > 1 && first == last && strchr("'\"`", first))
		la_script_say(script, part, index, LA_SCRIPT_QUOTES_KEPT,
			      at.start, at.end, NULL);
	if (has_lookalike(value))
		la_script_say(script, part, index, LA_SCRIPT_LOOKALIKE,
			      at.start, at.end, NULL);
	if (last == ' ' || last == '\t')
		la_script_say(script, part, index, LA_SCRIPT_TRAILING_BLANK,
			      at.start, at.end, NULL);
	if (last == '\r')
		la_script_say(script, part, index, LA_SCRIPT_CARRIAGE_RETURN,
			      at.start, at.end, NULL);
	if (strchr(value, '\n'))
		la_script_say(script, part, index, LA_SCRIPT_NEWLINE_KEPT,
			      at.start, at.end, NULL);
	if (has_comment(value))
		la_script_say(script, part, index, LA_SCRIPT_COMMENT_KEPT,
			      at.start, at.end, NULL);
	if (has_dollar(value))
		la_script_say(script, part, index, LA_SCRIPT_NOT_EXPANDED,
			      at.start, at.end, NULL);
}

static void say_unknown(struct la_script *script,
			const struct la_script_part *part, size_t index,
			const struct la_script_value *value,
			struct la_script_span at)
{
	if (value->too_long)
		la_script_say(script, part, index, LA_SCRIPT_NEEDS_RUNNING,
			      at.start, at.end,
			      "with %s it is longer than the %d bytes that a "
			      "program can be given",
			      value->because, LA_SCRIPT_VALUE);
	else if (value->because[0])
		la_script_say(script, part, index, LA_SCRIPT_NEEDS_RUNNING,
			      at.start, at.end,
			      "what %s is there is not known from this text",
			      value->because);
	else
		la_script_say(script, part, index, LA_SCRIPT_NEEDS_RUNNING,
			      at.start, at.end, NULL);
}

size_t la_script_give(struct la_script *script,
		      const struct la_script_part *part, const char *name,
		      size_t length, const struct la_script_value *value,
		      struct la_script_span at)
{
	const char *text = la_strbuf_text(&value->text);
	size_t index;

	if (!la_script_watches(script, name, length, false))
		return LA_SCRIPT_WHOLE;
	if (value->unknown) {
		index = la_script_add(script, part, name, length, NULL,
				      LA_SCRIPT_UNKNOWN, at.start, at.end);
		say_unknown(script, part, index, value, at);
		return index;
	}
	if (memchr(text, '\0', value->text.length))
		return la_script_lose(script, part, name, length,
				      LA_SCRIPT_SYNTAX, at,
				      "no variable can hold a NUL byte");
	index = la_script_add(script, part, name, length, text,
			      LA_SCRIPT_ARRIVES, at.start, at.end);
	inspect(script, part, index, text, at);
	if (value->assumed[0])
		la_script_say(script, part, index, LA_SCRIPT_OVERRIDDEN,
			      at.start, at.end,
			      "this is the default; it differs where %s is set",
			      value->assumed);
	return index;
}

size_t la_script_lose(struct la_script *script,
		      const struct la_script_part *part, const char *name,
		      size_t length, enum la_script_code code,
		      struct la_script_span at, const char *why)
{
	size_t index;

	if (!la_script_watches(script, name, length, false))
		return LA_SCRIPT_WHOLE;
	index = la_script_add(script, part, name, length, NULL, LA_SCRIPT_LOST,
			      at.start, at.end);
	if (why)
		la_script_say(script, part, index, code, at.start, at.end,
			      "%s", why);
	else
		la_script_say(script, part, index, code, at.start, at.end,
			      NULL);
	return index;
}

struct la_script_span la_script_mention(const struct la_script *script,
					const char *text,
					struct la_script_span in)
{
	size_t i = in.start, n;

	while (i < in.end) {
		n = la_script_name(text + i, in.end - i);
		if (n && la_script_watches(script, text + i, n, false))
			return (struct la_script_span){ i, i + n };
		i += n ? n : 1;
	}
	return (struct la_script_span){ in.end, in.end };
}

bool la_script_lose_mention(struct la_script *script,
			    const struct la_script_part *part,
			    enum la_script_code code, struct la_script_span in,
			    const char *why)
{
	struct la_script_span at = la_script_mention(script, part->text, in);

	if (at.start == at.end)
		return false;
	la_script_lose(script, part, part->text + at.start, at.end - at.start,
		       code, at, why);
	return true;
}

/* Every second byte, from the first or the second one. */
static void narrow(struct la_strbuf *buf, const char *text, size_t length,
		   size_t first)
{
	size_t i;

	for (i = first; i < length; i += 2)
		la_strbuf_add(buf, text + i, 1);
}

bool la_script_is_utf16(struct la_script *script,
			const struct la_script_part *part)
{
	const char *text = part->text;
	struct la_strbuf buf = { 0 };
	struct la_script_span at;
	bool big;

	if (part->length < 4)
		return false;
	big = !memcmp(text, "\xfe\xff", 2) || (!text[0] && text[1]);
	if (!big && memcmp(text, "\xff\xfe", 2) && (!text[0] || text[1]))
		return false;
	narrow(&buf, text, part->length, big);
	at = la_script_mention(script, la_strbuf_text(&buf),
			       (struct la_script_span){ 0, buf.length });
	if (at.start < at.end)
		la_script_lose(script, part, buf.data + at.start,
			       at.end - at.start, LA_SCRIPT_BYTE_ORDER_MARK,
			       (struct la_script_span){ 2 * at.start,
							2 * at.end },
			       "the file is in UTF-16, as > of Windows "
			       "PowerShell writes it, and sets nothing");
	la_strbuf_release(&buf);
	return true;
}

static const struct {
	const char *name;
	enum la_script_kind kind;
} shells[] = {
	{ "sh", LA_SCRIPT_SH },	    { "bash", LA_SCRIPT_BASH },
	{ "dash", LA_SCRIPT_SH },   { "ash", LA_SCRIPT_BUSYBOX },
	{ "zsh", LA_SCRIPT_ZSH },   { "ksh", LA_SCRIPT_KSH },
	{ "mksh", LA_SCRIPT_MKSH }, { "fish", LA_SCRIPT_FISH },
	{ "tcsh", LA_SCRIPT_TCSH }, { "csh", LA_SCRIPT_TCSH },
	{ "pwsh", LA_SCRIPT_POWERSHELL },
	{ "powershell", LA_SCRIPT_POWERSHELL },
};

static bool shell_of(const char *word, enum la_script_kind *kind)
{
	const char *base = strrchr(word, '/');
	size_t i;

	base = base ? base + 1 : word;
	for (i = 0; i < ARRAY_SIZE(shells); i++)
		if (!strcmp(shells[i].name, base)) {
			*kind = shells[i].kind;
			return true;
		}
	return false;
}

/* Options of a shell that end in the c that announces commands. */
static bool announces(const char *word)
{
	size_t length = strlen(word);

	if (!strcmp(word, "-Command"))
		return true;
	return word[0] == '-' && word[1] != '-' && length > 1 &&
	       length < 8 && word[length - 1] == 'c';
}

/* The word that the shell reads as commands, or NULL. */
static const struct la_script_word *
commands_of(const struct la_script_command *command)
{
	size_t i;

	for (i = 1; i + 1 < command->count; i++) {
		if (!command->word[i].text || command->word[i].text[0] != '-')
			return NULL;
		if (announces(command->word[i].text))
			return &command->word[i + 1];
	}
	return NULL;
}

/* Does the word stand in the part as it is, perhaps within quotes? */
static bool stands_there(const struct la_script_part *part,
			 const struct la_script_word *word, size_t *start)
{
	size_t length = strlen(word->text);

	for (*start = word->start; *start + length <= word->end; ++*start)
		if (!memcmp(part->text + *start, word->text, length))
			return true;
	return false;
}

int la_script_start(struct la_script *script, const struct la_script_part *part,
		    const struct la_script_command *command,
		    struct la_error *err)
{
	struct la_script_part inner = { .ends = true };
	const struct la_script_word *word;
	enum la_script_kind kind;
	size_t start;

	if (!command->count || !command->word[0].text)
		return 0;
	if (!shell_of(command->word[0].text, &kind)) {
		la_script_launch(script, part, command);
		return 0;
	}
	word = commands_of(command);
	if (!word || !word->text)
		return 0;
	inner.text = word->text;
	inner.length = strlen(word->text);
	inner.exact = part->exact && word->end <= part->length &&
		      stands_there(part, word, &start);
	inner.offset = la_script_offset(part,
					inner.exact ? start : word->start);
	return la_script_nested(script, kind, &inner, err);
}
