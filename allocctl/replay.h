/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl replay asks, what came out, and its reports. */
#ifndef ALLOCCTL_REPLAY_H
#define ALLOCCTL_REPLAY_H

#include "holders.h"
#include "opt.h"
#include "release.h"
#include "source.h"

/* The replay of one device. */
struct question {
	struct source source;
	const struct la_setting *setting; /* borrowed; NULL: the recorded one */
	const char *setting_text;
	enum la_heap_policy policy;
	struct la_minimum minimum; /* of policy compact; bytes 0: none */
	struct la_limit limit;
	bool limit_given;
	unsigned int torch; /* release; 0 at first: that of the recording */
	bool as_recorded; /* recorded setting, limit and release */
	struct la_answer answer;
	struct holders holders; /* owned; who asked for what */
	struct la_oom_state oom; /* owned; of the first layout that failed */
	bool is_cut; /* it runs as far as the events were understood */
	bool hangs_on_limit; /* the recorded limit is known only as an
			      * interval, and its ends give two answers */
	struct la_release_policy release; /* what is put in */
	struct la_steps steps; /* owned; where */
	struct la_answer without; /* the answer without it */
};

/* "runs", "oom", "depends on placement", "not known" ... */
const char *replay_outcome(const struct question *question);
const char *replay_outcome_of(const struct la_answer *answer);

/* What was put on the command line. */
struct replay_options {
	const char *setting; /* NULL: the recorded one */
	const char *limit; /* SIZE, none, auto or NULL */
	const char *card; /* SIZE or NULL */
	const char *torch; /* VERSION, auto or NULL */
	const char *device; /* N, all or NULL */
	const char *events; /* where the events go, or NULL */
	struct opt_list set_at; /* EVENT:SETTING */
	struct release_options release;
	int policy;
	int format;
	bool verify, log_splits, partial;
};

/* What the options say beside their words; all owned. */
struct replay_known {
	struct la_setting *setting; /* NULL: the recorded one */
	struct la_setting_at *set_at; /* by event */
	size_t set_at_count;
};

/*
 * replay-options.c: read what the options say.  Fills limit, limit_given,
 * torch and release of the question.  STATUS_DONE, or another status after a
 * message.
 */
int replay_read_options(const struct replay_options *options,
			struct replay_known *known, struct question *question);
void replay_known_release(struct replay_known *known);

/* replay-text.c, replay-json.c: the whole report; what --verify found; what a
 * recording without history shows nevertheless. */
void replay_print(const struct question *question);
void replay_print_verification(const struct source *source);
int replay_print_held(const struct source *source);
void replay_json(struct la_json *json, const struct question *question);
void replay_json_verification(struct la_json *json,
			      const struct source *source);
void replay_json_held(struct la_json *json, const struct source *source);

#endif /* ALLOCCTL_REPLAY_H */
