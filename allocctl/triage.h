/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl triage asks, what it gathers, and its reports. */
#ifndef ALLOCCTL_TRIAGE_H
#define ALLOCCTL_TRIAGE_H

#include <liballoc/script.h>
#include <liballoc/triage.h>

#include "opt.h"
#include "source.h"
#include "triage-words.h"

/* What was put on the command line. */
struct triage_request {
	struct opt_list files; /* paths; "-": standard input */
	struct opt_list cores; /* core files */
	struct opt_list tries; /* settings to replay as well */
	const char *setting; /* in force when it failed; NULL: not told */
	const char *torch; /* release, or NULL */
	const char *program; /* unlimited recording of the same, or NULL */
	const char *limit, *card; /* sizes, or NULL */
	const char *lang; /* "en", "zh" or NULL */
	uint64_t device; /* index, or SOURCE_MAIN_DEVICE: all */
	uint64_t jobs; /* threads */
	bool tune, explain, partial;
	int format; /* enum triage_format */
	int shell; /* index into triage_shells */
};

enum triage_format { TRIAGE_TEXT, TRIAGE_JSON, TRIAGE_MARKDOWN };

/* What the options say that facts may lack; 0: not told. */
struct triage_known {
	uint64_t limit, card; /* bytes */
	unsigned int release; /* of torch */
};

/* One OOM, and all that can be said of it. */
struct triage_oom {
	struct la_facts facts; /* owned */
	const char *log; /* path of the log or core; NULL: none */
	bool from_core; /* of the two a core */
	const char *probe; /* path of a probe's file; NULL: none, or source */
	const struct source *source; /* of the recording; NULL: none */
	struct la_verdict verdict;
	struct la_trial *trial; /* owned; replayed, or of the facts alone */
	size_t trial_count;
	bool replayed; /* ... the first */
	struct la_advice *advice; /* owned */
	size_t advice_count;
};

/* Everything that was read.  Zeros: nothing. */
struct triage {
	const struct triage_request *request;
	struct triage_known known;
	enum la_language language;
	struct triage_oom *oom; /* owned; of logs by line, then of recordings */
	size_t count, room;
	struct source **source; /* owned, each too: devices of recordings */
	size_t source_count, source_room;
	struct triage_oom *calm; /* owned; of recordings without an OOM: facts
				  * and source alone */
	size_t calm_count, calm_room;
	char *core; /* owned: path that "latest" stands for, or NULL */
	struct source program; /* of request->program */
	uint64_t lines, lost; /* of all logs */
	size_t probes; /* files of the probe that are no recordings */
};

/*
 * triage-gather.c: read all files of the request.  Status STATUS_DONE, or
 * another after a message: then nothing can be said.
 */
int triage_gather(struct triage *triage);
void triage_release(struct triage *triage);

/* How many recordings were read; each may have several devices. */
size_t triage_recordings(const struct triage *triage);

/* triage-file.c: what is in one file.  Statuses as above. */
int triage_read_file(struct triage *triage, const char *path);
int triage_read_core(struct triage *triage, const char *path);

/* Facts of a log, or of a recording, which failed or not; what they own is the
 * triage's then.  False: no memory. */
bool triage_add_message(struct triage *triage, const struct la_facts *facts,
			const char *log);
bool triage_add_recorded(struct triage *triage, const struct la_facts *facts,
			 const struct source *source, bool failed);
/* triage-probe.c: facts of the driver's level, of each device those of the last
 * OOM; they complete those OOMs of the same file that were added from `first`
 * on.  A status. */
int triage_add_probe(struct triage *triage, const struct la_probe *probe,
		     const char *path, size_t first);
/* A device of a recording, taken over too. */
bool triage_add_source(struct triage *triage, struct source *source);

/* triage-judge.c: verdict, rows and advice of each OOM. */
int triage_judge(struct triage *triage);

/* triage-choose.c: the one that the letter is about. */
const struct triage_oom *triage_first(const struct triage *triage);

/* Is it an OOM at all, or just a warning that speaks of one? */
bool triage_is_failure(const struct triage_oom *oom);
size_t triage_failures(const struct triage *triage);

/* The exit status: a verdict on one of them is one. */
int triage_status(const struct triage *triage);

/* The row that shows best what would have helped, or NULL. */
const struct la_trial *triage_best(const struct triage_oom *oom);

/* The row of ideal packing, or NULL. */
const struct la_trial *triage_packed(const struct triage_oom *oom);

/* Did the user ask for a row?  Does any row have an answer? */
bool triage_was_asked(const struct triage_oom *oom);
bool triage_has_answers(const struct triage_oom *oom);

/* triage-setting.c: who read the setting, of a release that facts allow. */
struct la_setting_context triage_context(const struct la_facts *facts);

/* Shells that lines are written for, and their names in --shell. */
extern const enum la_script_kind triage_shells[];
extern const char *const triage_shell_names[];

/* The line to paste for a setting; release with free().  NULL: none. */
char *triage_line(const struct triage_oom *oom, enum la_script_kind shell,
		  const char *setting);

/* triage-headline.c: the sentence of a verdict, without an end of line, and
 * the one that says how sure it is. */
void triage_headline(struct la_strbuf *out, const struct triage *triage,
		     const struct triage_oom *oom);
enum triage_word triage_sure(const struct triage_oom *oom);

/* triage-why.c: sentences.  out takes them without an end of line. */
void triage_why(struct la_strbuf *out, const struct triage *triage,
		const struct triage_oom *oom);
/* What a row answers: "yes, to the end". */
const char *triage_past_text(enum la_language language,
			     const struct la_trial *trial);
/* "expandable_segments:True", or what else was tried. */
const char *triage_trial_text(enum la_language language,
			      const struct la_trial *trial);
/* triage-json.c: the same, in English, by the "action" of JSON; what is not
 * known stays as it is. */
const char *triage_action_text(const char *action);
/* triage-advice.c: a line to paste that gathers what is missing, or NULL. */
const char *triage_collect(const struct la_facts *facts);

/* Is there a cap that is known as an interval only? */
bool triage_cap_is_open(const struct la_facts *facts);

/* triage-size.c: "1.57 GiB", "1.00 MiB to 2.00 MiB", "-12.00 MiB". */
enum { TRIAGE_SIZE = 80 };
const char *triage_amount_text(char text[TRIAGE_SIZE],
			       enum la_language language,
			       const struct la_amount *amount);
const char *triage_margin_text(char text[TRIAGE_SIZE],
			       enum la_language language,
			       const struct la_margin *margin);

/* triage-text.c, triage-json.c, triage-markdown.c.  Statuses. */
int triage_print_text(const struct triage *triage);
void triage_print_json(const struct triage *triage);
void triage_json(struct la_json *json, const struct triage *triage);
int triage_print_markdown(const struct triage *triage);

/* triage-redact.c: text without paths, hosts, users and processes. */
void triage_redact(struct la_strbuf *out, const char *text);

#endif /* ALLOCCTL_TRIAGE_H */
