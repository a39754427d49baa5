// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>

#include "base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(char *out, const uint8_t *bytes, size_t size)
{
	uint32_t group;
	size_t i, k;

	for (i = 0; i < size; i += 3, out += 4) {
		group = (uint32_t)bytes[i] << 16;
		if (i + 1 < size)
			group |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < size)
			group |= bytes[i + 2];
		for (k = 0; k < 4; k++)
			out[k] = i + k > size ? '=' :
						digits[group >> (18 - 6 * k) &
						       63];
	}
}

bool base64_json(struct la_json *json, const void *bytes, size_t size)
{
	size_t length = (size + 2) / 3 * 4;
	char *text = malloc(length + 1);

	if (!text)
		return false;
	encode(text, bytes, size);
	la_json_string(json, text, length);
	free(text);
	return true;
}
