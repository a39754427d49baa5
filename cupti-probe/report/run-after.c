// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocctl/cmd.h"
#include "allocctl/print.h"
#include "folder.h"
#include "run.h"
#include "write.h"

/* What there is to tell of a run. */
struct tale {
	const char *name; /* of the run */
	struct ended ended; /* of the program itself */
	struct written first; /* the report that is told about */
	bool failed; /* that one is of an OOM */
	size_t reports;
};

/* Signals by which people and programs end a program on purpose. */
static bool is_wanted(int number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP ||
	       number == SIGQUIT || number == SIGPIPE || number == SIGALRM;
}

/* How the program ended, if by force. */
static void judge(struct ended *ended, int status,
		  const struct run_kills *before)
{
	struct run_kills after;

	*ended = (struct ended){ .how = ENDED_CLEAN };
	if (!WIFSIGNALED(status))
		return;
	ended->number = WTERMSIG(status);
	ended->how = ENDED_SIGNAL;
	if (ended->number != SIGKILL)
		return;
	run_kills_read(&after);
	if (run_kills_rose(ended->evidence, before, &after))
		ended->how = ENDED_HOST_MEMORY;
}

/* Of the processes of a run that ended badly, what the program's end says. */
static const struct ended *ended_of_entry(const struct tale *tale,
					  const struct entry *entry)
{
	return entry->ended.how == ENDED_KILLED &&
			       tale->ended.how > ENDED_KILLED ?
		       &tale->ended :
		       NULL;
}

static bool is_worth(const struct tale *tale, const struct entry *entry)
{
	if (entry->ooms)
		return true;
	return entry->ended.how >= ENDED_KILLED &&
	       !(tale->ended.how == ENDED_SIGNAL &&
		 is_wanted(tale->ended.number));
}

/* An OOM is what people want to hear of first. */
static void take(struct tale *tale, const struct written *written, bool failed)
{
	if (!tale->reports++ || (failed && !tale->failed)) {
		tale->first = *written;
		tale->failed = failed;
	}
}

static void write_entry(struct tale *tale, const char *folder,
			const struct entry *entry)
{
	struct written written = { .path = "" };
	char *path;
	int length = asprintf(&path, "%s/%s", folder, entry->name);

	if (length < 0)
		return;
	if (write_report(&written, path, ended_of_entry(tale, entry)) ==
	    STATUS_DONE)
		take(tale, &written, entry->ooms > 0);
	free(path);
}

static void write_folder(struct tale *tale, const char *path)
{
	struct folder folder;
	size_t i;

	if (access(path, F_OK) < 0)
		return;
	if (folder_open(&folder, path) == STATUS_DONE)
		for (i = 0; i < folder.count; i++)
			if (!strcmp(folder.entry[i].run, tale->name) &&
			    is_worth(tale, &folder.entry[i]))
				write_entry(tale, path, &folder.entry[i]);
	folder_close(&folder);
}

static const char *signal_name(int number)
{
	const char *name = strsignal(number);

	return name ? name : "?";
}

static void tell(const struct tale *tale)
{
	const struct stamp *stamp = &tale->first.stamp;
	const char *cause = la_cause_name(stamp->cause);
	const char *grade = la_grade_name(stamp->grade);

	if (tale->ended.how == ENDED_HOST_MEMORY)
		print_error("killed: %s: %s%s%s",
			    la_cause_name(LA_CAUSE_HOST_MEMORY),
			    tale->ended.evidence,
			    tale->reports ? "; report: " : "",
			    tale->reports ? tale->first.path : "");
	else if (tale->failed)
		print_error("out of memory: %s (%s); report: %s", cause, grade,
			    tale->first.path);
	else if (tale->reports && tale->ended.number)
		print_error("killed by signal %d (%s); report: %s",
			    tale->ended.number,
			    signal_name(tale->ended.number), tale->first.path);
	else if (tale->reports)
		print_error("a process ended without a clean exit; report: %s",
			    tale->first.path);
	if (tale->reports > 1)
		print_error("%zu processes have reports; see cupti-probe list",
			    tale->reports);
}

void run_after(const char *name, int status, const struct run_kills *before)
{
	struct tale tale = { .name = name };
	char *path[FOLDER_CANDIDATES];
	size_t count = folder_candidates(path), i;

	judge(&tale.ended, status, before);
	for (i = 0; i < count; i++) {
		if (path[i])
			write_folder(&tale, path[i]);
		free(path[i]);
	}
	tell(&tale);
}
