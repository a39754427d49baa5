// SPDX-License-Identifier: Apache-2.0
/* Text of cmd that knows where each byte came from. */
#include <stdlib.h>
#include <string.h>

#include "script/cmd.h"

void cmd_text_free(struct cmd_text *text)
{
	free(text->byte);
	free(text->origin);
	*text = (struct cmd_text){ 0 };
}

static bool make_room(struct cmd_text *text)
{
	size_t room = text->room ? 2 * text->room : 64;
	uint32_t *origin;
	char *byte;

	if (text->length + 1 < text->room)
		return true;
	byte = realloc(text->byte, room);
	if (byte)
		text->byte = byte;
	origin = realloc(text->origin, room * sizeof(*origin));
	if (origin)
		text->origin = origin;
	if (byte && origin)
		text->room = room;
	return byte && origin;
}

void cmd_text_put(struct cmd_text *text, char byte, size_t origin)
{
	if (text->failed || text->length >= CMD_LINE || !make_room(text)) {
		text->failed = true;
		return;
	}
	text->byte[text->length] = byte;
	text->origin[text->length++] = (uint32_t)origin;
	text->byte[text->length] = '\0';
}

void cmd_text_put_all(struct cmd_text *text, const char *bytes, size_t length,
		      size_t origin)
{
	size_t i;

	for (i = 0; i < length; i++)
		cmd_text_put(text, bytes[i], origin);
}

void cmd_text_copy(struct cmd_text *to, const struct cmd_text *from,
		   size_t start, size_t end)
{
	for (; start < end && start < from->length; start++)
		cmd_text_put(to, from->byte[start], from->origin[start]);
}

bool cmd_text_known(const struct cmd_text *text)
{
	return !text->failed &&
	       (!text->length ||
		!memchr(text->byte, CMD_UNKNOWN, text->length));
}

size_t cmd_text_first(const struct cmd_text *text, size_t start)
{
	if (start < text->length)
		return text->origin[start];
	return text->length ? text->origin[text->length - 1] + 1 : 0;
}

size_t cmd_text_last(const struct cmd_text *text, size_t end)
{
	return end && text->length ? text->origin[end - 1] + 1 : 0;
}

bool cmd_is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

bool cmd_is_delimiter(char byte)
{
	return cmd_is_blank(byte) || byte == ',' || byte == ';' ||
	       byte == '=' || byte == '\v' || byte == '\f';
}
