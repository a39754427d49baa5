/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of a report: as SVG, and in Unicode blocks for a terminal.
 * However much there is to be seen, a picture has bounded size: what is
 * smaller than can be seen is drawn together, and extremes are kept.  Names
 * may be hostile: nothing of them gets through but what can be seen.
 *
 * All return 0, or -ENOMEM; out then has a part of the picture.
 */
#ifndef ALLOCCTL_REPORT_PLOT_H
#define ALLOCCTL_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/replay.h>
#include <liballoc/view.h>

#include "util/strbuf.h"

/* One setting that was replayed. */
struct plot_setting {
	const char *name; /* "" is the default */
	uint64_t memory; /* bytes that it needs */
	double seconds; /* estimate of its device operations */
	bool fits; /* runs under the limit that was given */
	bool front; /* none takes less of both memory and time */
	bool recorded; /* in force when recording */
};

/* A place in the program, called by its parent. */
struct plot_flame_frame {
	const char *name; /* of the function; NULL: unknown */
	const char *file; /* NULL: unknown */
	uint32_t line; /* 0: unknown */
	uint64_t bytes; /* held by it and by all that it called */
	uint32_t parent; /* index, less than its own; of frame 0, the root: 0 */
};

/* What the output is shown on. */
struct plot_terminal {
	unsigned int columns;
	bool colour;
};

/* Standard output: its columns, or 80 where it is no terminal; colours on a
 * terminal unless NO_COLOR is set. */
void plot_terminal_init(struct plot_terminal *terminal);

int plot_timeline_svg(struct la_strbuf *out, const struct la_timeline *view);
/* recording: which names streams, or NULL. */
int plot_map_svg(struct la_strbuf *out, const struct la_map *map,
		 const struct la_recording *recording);
int plot_holes_svg(struct la_strbuf *out, const struct la_oom_state *oom);
/* limit: bytes that were to be enough, or 0. */
int plot_pareto_svg(struct la_strbuf *out, const struct plot_setting *setting,
		    size_t count, uint64_t limit);
int plot_flame_svg(struct la_strbuf *out, const struct plot_flame_frame *frame,
		   size_t count);

int plot_timeline_term(struct la_strbuf *out, const struct la_timeline *view,
		       const struct plot_terminal *terminal);
int plot_map_term(struct la_strbuf *out, const struct la_map *map,
		  const struct la_recording *recording,
		  const struct plot_terminal *terminal);
int plot_holes_term(struct la_strbuf *out, const struct la_oom_state *oom,
		    const struct plot_terminal *terminal);
int plot_pareto_term(struct la_strbuf *out, const struct plot_setting *setting,
		     size_t count, uint64_t limit,
		     const struct plot_terminal *terminal);
int plot_flame_term(struct la_strbuf *out, const struct plot_flame_frame *frame,
		    size_t count, const struct plot_terminal *terminal);

#endif /* ALLOCCTL_REPORT_PLOT_H */
