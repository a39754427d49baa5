// SPDX-License-Identifier: Apache-2.0
/* allocctl replay: what the options mean. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "print.h"
#include "replay.h"
#include "setting.h"

/* --limit and --card */
static int read_limit(const struct replay_options *options,
		      struct question *question)
{
	struct la_limit *limit = &question->limit;
	bool none = options->limit && !strcmp(options->limit, "none");
	bool is_auto = options->limit && !strcmp(options->limit, "auto");

	question->limit_given = options->card || (options->limit && !is_auto);
	if (options->card && options->limit && !is_auto) {
		print_error("--card and --limit exclude each other");
		return STATUS_USAGE;
	}
	if (!question->limit_given || none)
		return STATUS_DONE;
	limit->kind = options->card ? LA_LIMIT_CARD : LA_LIMIT_CAP;
	return opt_size(options->card ? "card" : "limit",
			options->card ? options->card : options->limit,
			&limit->bytes) ?
		       STATUS_DONE :
		       STATUS_USAGE;
}

/* --torch */
static int read_torch(const struct replay_options *options,
		      struct question *question)
{
	struct la_error err;
	int code = 0;

	if (options->torch && strcmp(options->torch, "auto"))
		code = la_release_parse(&question->torch, options->torch,
					&err);
	if (code < 0)
		print_error("--torch: %s", err.text);
	if (code > 0)
		print_error("warning: torch %s is not known yet; as the "
			    "newest that is", options->torch);
	return code < 0 ? STATUS_USAGE : STATUS_DONE;
}

/* The release that settings on the command line are for. */
static unsigned int setting_release(const struct question *question)
{
	return question->torch ? question->torch : LA_RELEASE(2, 11);
}

/* EVENT:SETTING */
static int read_set_at(const char *text, unsigned int release,
		       struct la_setting_at *out)
{
	struct la_setting *setting;
	char *end;
	int status;

	errno = 0;
	out->event = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end != ':') {
		print_error("--set-at wants EVENT:SETTING, not '%s'", text);
		return STATUS_USAGE;
	}
	out->setting = end + 1;
	status = setting_read_at(&setting, out->setting, release,
				 LA_SET_AT_RUNTIME);
	if (status == STATUS_DONE)
		la_setting_free(setting);
	return status;
}

static int by_event(const void *a, const void *b)
{
	const struct la_setting_at *x = a, *y = b;

	return (x->event > y->event) - (x->event < y->event);
}

static int read_all_set_at(const struct opt_list *list, unsigned int release,
			   struct replay_known *known)
{
	size_t i;
	int status = STATUS_DONE;

	known->set_at = calloc(list->nr + 1, sizeof(*known->set_at));
	if (!known->set_at)
		return print_no_memory();
	for (i = 0; i < list->nr && status == STATUS_DONE; i++)
		status = read_set_at(list->item[i], release,
				     &known->set_at[i]);
	if (status != STATUS_DONE)
		return status;
	known->set_at_count = list->nr;
	qsort(known->set_at, list->nr, sizeof(*known->set_at), by_event);
	for (i = 1; i < list->nr; i++) {
		if (known->set_at[i].event != known->set_at[i - 1].event)
			continue;
		print_error("--set-at: two settings at event %" PRIu64,
			    known->set_at[i].event);
		return STATUS_USAGE;
	}
	return STATUS_DONE;
}

static int check_combination(const struct replay_options *options,
			     const struct question *question)
{
	if (options->verify && question->release.kind != LA_RELEASE_NONE) {
		print_error("--verify goes without empty_cache calls that are "
			    "put in");
		return STATUS_USAGE;
	}
	if (options->device && !strcmp(options->device, "all") &&
	    (options->events || options->log_splits)) {
		print_error("--emit-events and --log-splits want one device");
		return STATUS_USAGE;
	}
	return STATUS_DONE;
}

int replay_read_options(const struct replay_options *options,
			struct replay_known *known, struct question *question)
{
	int status = read_limit(options, question);

	if (status == STATUS_DONE)
		status = read_torch(options, question);
	if (status == STATUS_DONE)
		status = release_read(&options->release, &question->release);
	if (status == STATUS_DONE)
		status = check_combination(options, question);
	if (status == STATUS_DONE && options->setting)
		status = setting_read(&known->setting, options->setting,
				      setting_release(question));
	if (status == STATUS_DONE)
		status = read_all_set_at(&options->set_at,
					 setting_release(question), known);
	question->setting = known->setting;
	return status;
}

void replay_known_release(struct replay_known *known)
{
	la_setting_free(known->setting);
	free(known->set_at);
}
