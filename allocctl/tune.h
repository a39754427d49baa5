/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl tune found, for its two formats. */
#ifndef ALLOCCTL_TUNE_H
#define ALLOCCTL_TUNE_H

#include <liballoc/replay.h>
#include <liballoc/script.h>

#include "opt.h"
#include "release.h"
#include "source.h"
#include "util/json.h"
#include "util/strbuf.h"

/* What a guide tries, in its order. */
struct tune_guide {
	const struct la_preset *preset;
	struct opt_list settings; /* strings owned too */
};

/* The guides' procedure, one option after the other: see tune_method_run(). */
struct tune_method {
	char *setting; /* owned; where it ended; NULL: it was not run */
	unsigned int replays; /* runs that a person would make */
	bool fits; /* in the limit; without one: it runs */
	uint64_t peak_reserved; /* bytes without a limit, worst file */
	uint64_t minimum_memory; /* bytes, worst file; 0: none found */
};

/* Does the recorded program fit in what was given? */
enum tune_answer {
	TUNE_NOT_ASKED, /* nothing was given */
	TUNE_FITS,
	TUNE_FITS_AT_A_COST, /* of tune.cost */
	TUNE_DOES_NOT_FIT
};

/* What the command line says; strings are the caller's. */
struct tune_request {
	struct opt_list files;
	struct opt_list settings, presets;
	const char *card, *limit; /* SIZE or NULL */
	const char *costs; /* file or NULL */
	const char *torch; /* release or NULL */
	uint64_t device; /* or SOURCE_MAIN_DEVICE */
	struct release_options empty_cache;
	int method; /* enum tune_method_kind */
	bool partial; /* use what truncated files give */
};

enum tune_method_kind { TUNE_SEARCH, TUNE_GUIDE };

/* Words of --method, in that order. */
extern const char *const tune_methods[];

struct tune_merge;

/* Shells that lines are printed for, and what they are called. */
enum { TUNE_SHELL_COUNT = 3 };
struct tune_shell {
	enum la_script_kind kind;
	const char *name;
};
extern const struct tune_shell tune_shells[TUNE_SHELL_COUNT];

/* What sets the variable in one of tune_shells. */
struct tune_line {
	char *text; /* owned; NULL: that shell has none */
	struct la_error why; /* it has none */
};

struct tune {
	const struct tune_request *request; /* borrowed */
	struct source *source; /* owned; one a file */
	const struct la_program **program; /* owned; of source */
	struct la_release_policy *policy; /* owned; one a file, all of a kind */
	struct la_steps *steps; /* owned; of policy */
	uint64_t *plan; /* owned; bytes by file, 0: not known */
	size_t source_count;
	struct la_costs costs;
	char costs_file[4096]; /* where they are from; empty: built in */
	unsigned int release; /* that recommendations are for */
	unsigned int replayed; /* whose rules hold; 0: of the recorded */
	const char *torch; /* its name */
	struct la_limit limit; /* what has to suffice, or LA_LIMIT_NONE */
	const char *limit_from; /* "--card", "the companion file"; NULL: none */
	const char *card; /* the GPU that --card names, or NULL */
	uint64_t context; /* bytes taken off that GPU's total */
	uint64_t total; /* bytes of the card, 0: not known */
	struct la_tuning *tuning; /* owned */
	const struct la_tuned *tuned; /* of tuning, the default first */
	size_t count;
	const struct la_tuned *winner; /* of tuned, or NULL */
	size_t replays; /* that the search used */
	enum tune_answer answer;
	double cost; /* seconds, estimated: what the limit costs */
	struct la_strbuf warnings; /* one a line */
	struct la_strbuf paste; /* the string to set for the winner */
	struct tune_line line[TUNE_SHELL_COUNT]; /* that set it */
	struct tune_guide *guide; /* owned */
	size_t guide_count;
	struct tune_method method;
	bool needs_cap; /* what is said of the winner only holds under one */
};

/* tune-files.c: the recordings; a status after a message */
int tune_files_open(struct tune *tune);
int tune_files_find_steps(struct tune *tune);
int tune_files_plan(struct tune *tune);
void tune_files_close(struct tune *tune);
/* Worst over files; 0: not known. */
uint64_t tune_peak_live(const struct tune *tune);
uint64_t tune_plan(const struct tune *tune);
bool tune_ends_in_oom(const struct tune *tune);
bool tune_is_exact(const struct tune *tune);

/* Fill warnings, paste and answer. */
void tune_advise(struct tune *tune);

/* Settings that guides and error messages recommend. */
bool tune_is_popular(const struct la_tuned *tuned);

/* What a guide's share is one of, in bytes; 0: not known. */
uint64_t tune_guides_memory(const struct tune *tune);

/* Presets by their names; a status. */
int tune_guides_add(struct tune *tune, const struct opt_list *names);

/* Append the settings of all guides, which stay theirs; false: no memory. */
bool tune_guides_list(const struct tune *tune, struct opt_list *out);

void tune_guides_text(const struct tune *tune);
void tune_guides_json(const struct tune *tune, struct la_json *json);
void tune_guides_release(struct tune *tune);

/*
 * Do as guides say: one option after the other, each value tried in turn, the
 * first one kept that gets the program to run in the limit; without a limit,
 * the one with which torch reserves least.  A status.
 */
int tune_method_run(struct tune *tune);
void tune_method_text(const struct tune *tune);
void tune_method_json(const struct tune *tune, struct la_json *json);

/* How a request is served. */
struct tune_work {
	uint64_t jobs; /* threads; 0: as many as cores */
	uint64_t shard_index, shard_count; /* 0: all */
	const struct tune_merge *merge; /* what shards found, or NULL */
};

/* tune-search.c: serve tune->request; of a shard, the facts alone.  A status
 * after a message. */
int tune_find(struct tune *tune, const struct tune_work *work);
void tune_release(struct tune *tune);

void tune_print_text(const struct tune *tune);
void tune_json(struct la_json *json, const struct tune *tune);
void tune_print_json(const struct tune *tune);

/*
 * tune-shard.c: what a shard found, for tune_merge_read().  index from 1.
 */
void tune_print_shard(const struct tune *tune, uint64_t index, uint64_t count);

/* What shards found; zero-initialised: nothing. */
struct tune_merge {
	struct tune_request request; /* strings are those of the files */
	struct la_tune_fact *fact; /* owned */
	size_t fact_count;
	void *root; /* owned; what the files hold */
};

/* Read the files of all shards of one search; a status after a message. */
int tune_merge_read(struct tune_merge *merge, const struct opt_list *files);
/* Are the recordings what the shards have read?  A status. */
int tune_merge_check(const struct tune_merge *merge, const struct tune *tune);
void tune_merge_release(struct tune_merge *merge);

#endif /* ALLOCCTL_TUNE_H */
