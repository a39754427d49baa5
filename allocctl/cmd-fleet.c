// SPDX-License-Identifier: Apache-2.0
/* allocctl fleet: do all nodes of a cluster say the same? */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "fleet.h"
#include "opt.h"
#include "platform.h"
#include "print.h"

struct options {
	const char *nodes; /* a list, or NULL */
	bool from, node;
	int format;
};

static int read_file(struct fleet *fleet, const char *path)
{
	bool is_input = !strcmp(path, "-");
	FILE *file;
	bool read;

	errno = EINVAL; /* where something else than a file has that name */
	file = is_input ? stdin : platform_open(path);
	if (!file) {
		print_error("cannot read '%s': %s", path, strerror(errno));
		return STATUS_CANNOT_TELL;
	}
	read = fleet_read(fleet, file, is_input ? "standard input" : path);
	if (!is_input)
		fclose(file);
	return read ? STATUS_DONE : STATUS_CANNOT_TELL;
}

static int gather(struct fleet *fleet, const struct options *options, int count,
		  char **operands)
{
	int i, status = STATUS_DONE;

	if (!options->from)
		return fleet_launch(fleet, count, operands);
	for (i = 0; i < count && status == STATUS_DONE; i++)
		status = read_file(fleet, operands[i]);
	return status;
}

static int print(struct fleet *fleet, int format)
{
	fleet_join(fleet);
	fleet_compare(fleet);
	if (fleet->full) {
		print_error("more than %d answers", FLEET_NODES);
		return STATUS_CANNOT_TELL;
	}
	if (fleet->failed)
		return print_no_memory();
	if (format == PRINT_JSON)
		fleet_print_json(fleet);
	else
		fleet_print_text(fleet);
	return fleet_status(fleet);
}

static int serve(const struct options *options, int count, char **operands)
{
	struct fleet fleet = { .node = NULL };
	const char *wrong = NULL;
	int status;

	if (options->nodes)
		wrong = hostlist_expand(&fleet.expected, options->nodes);
	hostlist_sort(&fleet.expected);
	if (wrong) {
		print_error("--nodes '%s': %s", options->nodes, wrong);
		status = STATUS_USAGE;
	} else {
		status = gather(&fleet, options, count, operands);
	}
	if (status == STATUS_DONE)
		status = print(&fleet, options->format);
	fleet_release(&fleet);
	return status;
}

static int check_and_serve(const struct options *options, int nr, char **argv)
{
	if (options->node && (nr || options->from || options->nodes))
		print_error("--node stands alone");
	else if (options->node)
		return fleet_report_node();
	else if (!nr && options->from)
		print_error("--from wants a FILE");
	else if (!nr)
		print_error("fleet wants -- and a LAUNCHER, or --from FILE");
	else
		return serve(options, nr, argv + 1);
	return STATUS_USAGE;
}

static int fleet_run(int argc, char **argv)
{
	struct options options = { .format = PRINT_TEXT };
	const struct opt opts[] = {
		{ OPT_FLAG, "from", &options.from, NULL,
		  "operands are FILEs that hold what nodes have reported",
		  NULL },
		{ OPT_STRING, "nodes", &options.nodes, "LIST",
		  "who has to answer, as 'n[1-4],login'", NULL },
		{ OPT_FLAG, "node", &options.node, NULL,
		  "print the report of this node", NULL },
		{ OPT_CHOICE, "format", &options.format, "FORMAT",
		  "text (default) or json", print_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage =
			"fleet [OPTIONS] -- LAUNCHER... | fleet --from FILE...",
		.about =
			"Ask all nodes of a cluster which setting is in force, "
			"who set it, and for torch,\ndriver and GPUs; a "
			"table of who differs.  Status 0: they agree, 1: they\n"
			"differ, 3: a node is missing or answers with an error.",
		.opts = opts,
		.examples =
			"  allocctl fleet -- srun -N4\n"
			"  clush -a allocctl fleet --node | allocctl fleet "
			"--from -\n"
			"  allocctl fleet --nodes 'n[1-4]' --from node.*.json",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	return check_and_serve(&options, nr, argv);
}

const struct cmd cmd_fleet = {
	.name = "fleet",
	.summary = "say whether all nodes of a cluster agree",
	.run = fleet_run,
};
