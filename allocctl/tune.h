/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl tune found, for its two formats. */
#ifndef ALLOCCTL_TUNE_H
#define ALLOCCTL_TUNE_H

#include <liballoc/env.h>
#include <liballoc/replay.h>

#include "opt.h"
#include "source.h"
#include "util/json.h"
#include "util/strbuf.h"

/* What a guide tries, in its order. */
struct tune_guide {
	const struct la_preset *preset;
	struct opt_list settings; /* strings owned too */
};

struct tune {
	struct source source;
	struct la_limit limit; /* what has to suffice, or LA_LIMIT_NONE */
	const char *limit_from; /* "--card", "the companion file"; NULL: none */
	const char *card; /* the GPU that --card names, or NULL */
	uint64_t context; /* bytes taken off that GPU's total */
	uint64_t total; /* bytes of the card, 0: not known */
	struct la_tuning *tuning; /* owned */
	const struct la_tuned *tuned; /* of tuning, the default first */
	size_t count;
	const struct la_tuned *winner; /* of tuned, or NULL */
	struct la_strbuf warnings; /* one a line */
	struct la_strbuf paste; /* the string to set for the winner */
	struct tune_guide *guide; /* owned */
	size_t guide_count;
	bool needs_cap; /* what is said of the winner only holds under one */
};

/* Fill warnings and paste. */
void tune_advise(struct tune *tune);

/* Settings that guides and error messages recommend. */
bool tune_is_popular(const struct la_tuned *tuned);

/* Presets by their names; a status. */
int tune_guides_add(struct tune *tune, const struct opt_list *names);

/* Append the settings of all guides, which stay theirs; false: no memory. */
bool tune_guides_list(const struct tune *tune, struct opt_list *out);

void tune_guides_text(const struct tune *tune);
void tune_guides_json(const struct tune *tune, struct la_json *json);
void tune_guides_release(struct tune *tune);

void tune_print_text(const struct tune *tune);
void tune_print_json(const struct tune *tune);

/*
 * The line that sets the variable for one of tune_shells; released with
 * free().  NULL: that shell has none, *why says what it cannot do; or out of
 * memory.
 */
char *tune_paste_line(const struct tune *tune, enum la_shell shell,
		      struct la_error *why);

/* Shells that lines are printed for. */
enum { TUNE_SHELL_COUNT = 3 };
extern const enum la_shell tune_shells[TUNE_SHELL_COUNT];

#endif /* ALLOCCTL_TUNE_H */
