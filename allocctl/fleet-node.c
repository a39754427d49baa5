// SPDX-License-Identifier: Apache-2.0
/*
 * allocctl fleet --node: the report of doctor in lines that are short enough
 * for srun, which cuts those above 1024 bytes and puts lines of other tasks
 * between the pieces.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "doctor.h"
#include "fleet.h"
#include "platform.h"
#include "print.h"
#include "util/utf8.h"

enum { PART_BYTES = 300 }; /* which quotes may make twice as long */

/* Who reports, and what no other report has. */
struct sender {
	char host[256], id[320];
	const char *node;
};

static void find_sender(struct sender *sender)
{
	if (!platform_host(sender->host, sizeof(sender->host)))
		*sender->host = '\0';
	sender->node = getenv("SLURMD_NODENAME");
	if (!sender->node)
		sender->node = sender->host;
	snprintf(sender->id, sizeof(sender->id), "%s-%d-%lld", sender->host,
		 (int)getpid(), (long long)time(NULL));
}

static void print_part(const struct sender *sender, size_t part, size_t parts,
		       const char *text, size_t length)
{
	struct la_json json;

	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", FLEET_PART_SCHEMA);
	la_json_member_text(&json, "node", sender->node);
	la_json_member_text(&json, "report", sender->id);
	la_json_member_uint(&json, "part", part);
	la_json_member_uint(&json, "parts", parts);
	la_json_key(&json, "text");
	la_json_string(&json, text, length);
	la_json_object_end(&json);
	putchar('\n');
}

/* Parts that a text makes; they are printed if parts is not 0. */
static size_t cut(const struct sender *sender, const char *text, size_t length,
		  size_t parts)
{
	size_t part = 0, n;

	for (; length; text += n, length -= n) {
		n = la_utf8_prefix(text, length, PART_BYTES);
		part++;
		if (parts)
			print_part(sender, part, parts, text, n);
	}
	return part;
}

int fleet_report_node(void)
{
	static const char *const no_files[] = { NULL };
	const struct env_query query = {
		.build = -1,
		.files = no_files,
		.show_origin = true,
	};
	struct la_strbuf text = { 0 };
	struct sender sender;
	struct la_json json;
	int status;

	la_json_init(&json, la_json_to_strbuf, &text);
	status = doctor_report(&query, &json);
	if (text.failed)
		status = print_no_memory();
	if (status == STATUS_FINDINGS)
		status = STATUS_DONE;
	find_sender(&sender);
	if (status == STATUS_DONE)
		cut(&sender, text.data, text.length,
		    cut(&sender, text.data, text.length, 0));
	la_strbuf_release(&text);
	return status;
}
