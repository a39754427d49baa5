// SPDX-License-Identifier: Apache-2.0
/* cupti-probe prune: remove recordings by the rules of keep.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocctl/opt.h"
#include "allocctl/print.h"
#include "allocctl/safe.h"
#include "keep.h"
#include "probe-cmd.h"
#include "util/size.h"

static int remove_one(const struct folder *folder, const struct entry *entry,
		      enum keep_reason reason, bool dry)
{
	char size[LA_SIZE_TEXT];

	if (!dry && !keep_remove(folder, entry)) {
		print_error("cannot remove '%s': %s", entry->name,
			    strerror(errno));
		return STATUS_CANNOT_TELL;
	}
	fputs(dry ? "would remove " : "removed ", stdout);
	print_escaped(entry->name);
	printf(" (%s): %s\n", la_size_format(size, entry->size),
	       keep_reasons[reason]);
	return STATUS_DONE;
}

static int remove_chosen(const struct folder *folder, enum keep_sort sort,
			 bool dry)
{
	enum keep_reason *reason = keep_choose(folder, sort);
	int status = STATUS_DONE, code;
	size_t i;

	if (!reason)
		return print_no_memory();
	for (i = 0; i < folder->count; i++) {
		if (reason[i] == KEEP_IT)
			continue;
		code = remove_one(folder, &folder->entry[i], reason[i], dry);
		status = status > code ? status : code;
	}
	free(reason);
	if (!dry)
		safe_sweep(folder->fd, NULL);
	return status;
}

static int prune(const char *path, bool all, bool dry)
{
	struct folder folder;
	int status = folder_open(&folder, path);

	if (status == STATUS_DONE && folder.fd >= 0)
		status = remove_chosen(&folder,
				       all ? KEEP_NOTHING : KEEP_UNSEEN, dry);
	folder_close(&folder);
	return status;
}

static int prune_run(int argc, char **argv)
{
	bool all = false, dry = false;
	const struct opt opts[] = {
		{ OPT_FLAG, "all", &all, NULL,
		  "also of OOMs that nobody has read about", NULL },
		{ OPT_FLAG, "dry-run", &dry, NULL,
		  "say what would be removed", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "prune [DIR] [OPTIONS]",
		.about = "Remove recordings that are older than 30 days, more "
			 "than 5 of the same kind, or\ntogether larger than "
			 "1 GiB or a tenth of the file system, of which 15 % "
			 "stay\nfree; the oldest first. Processes that run "
			 "keep theirs.",
		.opts = opts,
		.examples = "  cupti-probe prune --dry-run\n"
			    "  cupti-probe prune /var/lib/cupti-probe",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr == OPT_HELP)
		return STATUS_DONE;
	if (nr > 1)
		print_error("prune wants one DIR");
	return nr < 0 || nr > 1 ? STATUS_USAGE :
				  prune(nr ? argv[1] : NULL, all, dry);
}

const struct cmd cmd_prune = {
	.name = "prune",
	.summary = "remove recordings that are old or too many",
	.run = prune_run,
};
