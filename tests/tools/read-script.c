// SPDX-License-Identifier: Apache-2.0
/*
 * read-script KIND [NAME...] [-- NAME=VALUE...] <TEXT: one JSON object a line
 * for each place that sets one of the names (default: those of torch), then
 * those of the whole.  NAME=VALUE: what is known to be there before.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

#include "util/json.h"
#include "util/strbuf.h"

static const char *const fates[] = { "arrives", "removed", "lost", "unknown" };

static int to_stdout(void *arg, const char *data, size_t length)
{
	(void)arg;
	return fwrite(data, 1, length, stdout) == length ? 0 : -EIO;
}

static void write_said(struct la_json *json,
		       const struct la_script_diagnostic *said, size_t count)
{
	size_t i;

	la_json_key(json, "diagnostics");
	la_json_array_begin(json);
	for (i = 0; i < count; i++) {
		la_json_object_begin(json);
		la_json_member_uint(json, "code", said[i].code);
		la_json_member_text(json, "kind", said[i].kind);
		la_json_member_text(json, "text", said[i].text);
		la_json_member_uint(json, "line", said[i].line);
		la_json_member_uint(json, "column", said[i].column);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void write_all(const struct la_script *script)
{
	const struct la_script_assignment *a;
	const struct la_script_diagnostic *said;
	struct la_json json;
	size_t count, i;

	a = la_script_assignments(script, &count);
	for (i = 0; i < count; i++) {
		la_json_init(&json, to_stdout, NULL);
		la_json_object_begin(&json);
		la_json_member_text(&json, "variable", a[i].variable);
		la_json_member_text(&json, "fate", fates[a[i].fate]);
		la_json_member_text(&json, "value", a[i].value);
		la_json_member_uint(&json, "line", a[i].line);
		la_json_member_uint(&json, "column", a[i].column);
		write_said(&json, a[i].diagnostics, a[i].diagnostic_count);
		la_json_object_end(&json);
		putchar('\n');
	}
	said = la_script_diagnostics(script, &count);
	if (!count)
		return;
	la_json_init(&json, to_stdout, NULL);
	la_json_object_begin(&json);
	write_said(&json, said, count);
	la_json_object_end(&json);
	putchar('\n');
}

static void read_stdin(struct la_strbuf *text)
{
	char bytes[1 << 16];
	size_t n;

	while ((n = fread(bytes, 1, sizeof(bytes), stdin)))
		la_strbuf_add(text, bytes, n);
}

int main(int argc, char **argv)
{
	struct la_script_options options = { .kind = LA_SCRIPT_KINDS };
	struct la_strbuf text = { 0 };
	struct la_script *script;
	struct la_error err;
	int status = 0;
	char **before;

	if (argc < 2 || la_script_kind_parse(&options.kind, argv[1]))
		return 2;
	for (before = argv + 2; *before && strcmp(*before, "--"); before++)
		;
	if (*before)
		options.environment = (const char *const *)before + 1;
	*before = NULL;
	if (argv[2])
		options.watched = (const char *const *)argv + 2;
	if (getenv("WINDOWS"))
		options.platform = LA_PLATFORM_WINDOWS;
	read_stdin(&text);
	if (la_script_read(&script, la_strbuf_text(&text), text.length,
			   &options, &err)) {
		fprintf(stderr, "%s\n", err.text);
		status = 1;
	} else {
		write_all(script);
		la_script_free(script);
	}
	la_strbuf_release(&text);
	return status;
}
