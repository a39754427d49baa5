// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cmd.h"
#include "json-lines.h"
#include "print.h"

static int read_line(const char *line, size_t length, size_t number,
		     json_lines_fn *fn, void *arg)
{
	json_error_t err;
	json_t *value;
	int status;

	value = json_loadb(line, length, JSON_DECODE_ANY | JSON_ALLOW_NUL,
			   &err);
	if (!value) {
		print_error("line %zu: %s", number, err.text);
		return STATUS_USAGE;
	}
	if (!json_is_string(value)) {
		print_error("line %zu: not a JSON string", number);
		status = STATUS_USAGE;
	} else {
		status = fn(arg, json_string_value(value),
			    json_string_length(value));
	}
	json_decref(value);
	return status;
}

int json_lines_read(FILE *stream, json_lines_fn *fn, void *arg)
{
	int status, worst = STATUS_DONE;
	size_t capacity = 0, number = 0;
	char *line = NULL;
	ssize_t length;

	while (worst < STATUS_USAGE &&
	       (length = getline(&line, &capacity, stream)) >= 0) {
		number++;
		if (strspn(line, " \t\r\n") == (size_t)length)
			continue;
		status = read_line(line, length, number, fn, arg);
		if (status > worst)
			worst = status;
	}
	free(line);
	if (ferror(stream)) {
		print_error("cannot read standard input: %s",
			    strerror(errno));
		return STATUS_CANNOT_TELL;
	}
	return worst;
}
