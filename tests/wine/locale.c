// SPDX-License-Identifier: Apache-2.0
/* A process whose decimal point is a comma reads and writes points. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "util/json.h"

static int to_text(void *arg, const char *data, size_t length)
{
	strncat(arg, data, length);
	return 0;
}

int main(void)
{
	static const char text[] = "garbage_collection_threshold:0.75";
	const struct la_setting_context context = { LA_RELEASE(2, 11) };
	struct la_setting_check *check;
	struct la_json json;
	char comma[8], written[32] = "";
	double value;

	if (!setlocale(LC_ALL, "German_Germany.1252"))
		return 77;
	if (la_setting_check_new(&check, text, strlen(text), &context))
		return 1;
	value = la_setting_check_values(check)->garbage_collection_threshold;
	la_setting_check_free(check);
	la_json_init(&json, to_text, written);
	la_json_double(&json, value);
	snprintf(comma, sizeof(comma), "%g", 0.5);
	printf("%s %s\n", written, comma);
	return strcmp(written, "0.75") || strcmp(comma, "0,5");
}
