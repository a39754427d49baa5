// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "script-vector.h"

static const char *const watched[] = { "V", NULL };

bool script_says(const struct la_script_assignment *place, int code)
{
	size_t i;

	for (i = 0; i < place->diagnostic_count; i++)
		if ((int)place->diagnostics[i].code == code)
			return true;
	return !code && !place->diagnostic_count;
}

static const char *place_differs(const struct script_vector *vector,
				 const struct la_script_assignment *place)
{
	if (place->fate != vector->fate)
		return "fate";
	if (!place->value != !vector->value ||
	    (place->value && strcmp(place->value, vector->value)))
		return "value";
	return script_says(place, vector->code) ? NULL : "diagnostics";
}

const char *script_vector_differs(const struct script_vector *vector)
{
	struct la_script_options options = { .kind = vector->kind,
					     .watched = watched };
	const struct la_script_assignment *place;
	struct la_script *script;
	const char *differs = "no place";
	size_t count;

	if (la_script_read(&script, vector->text, strlen(vector->text),
			   &options, NULL))
		return "it cannot be read";
	place = la_script_assignments(script, &count);
	if (count)
		differs = place_differs(vector, &place[count - 1]);
	la_script_free(script);
	return differs;
}

void script_read_pieces(enum la_script_kind kind, const char *text)
{
	struct la_script_options options = { .kind = kind, .watched = watched };
	struct la_script *script;
	size_t length;
	char *copy;

	for (length = 0; length <= strlen(text); length++) {
		copy = malloc(length + 1);
		if (!copy)
			return;
		memcpy(copy, text, length);
		if (!la_script_read(&script, copy, length, &options, NULL))
			la_script_free(script);
		free(copy);
	}
}
