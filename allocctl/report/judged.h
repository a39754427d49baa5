/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What triage and tune found, as their JSON tells it: a page says the same of
 * a recording and of a file that they wrote earlier.  Without jansson there
 * is nothing of it.
 */
#ifndef ALLOCCTL_REPORT_JUDGED_H
#define ALLOCCTL_REPORT_JUDGED_H

#include "plot.h"
#include "util/strbuf.h"

/* JSON that was read: an object. */
struct judged;

/* Whose JSON it is, by its schema. */
enum judged_kind { JUDGED_TRIAGE, JUDGED_TUNE, JUDGED_KINDS };

/* Can this build read JSON? */
bool judged_is_built(void);

/* Read JSON; what names it in messages, or is NULL if it was written just now:
 * then only memory may be missing.  Release with judged_free().  NULL after a
 * message. */
struct judged *judged_read(const char *text, size_t size, const char *what);
void judged_free(struct judged *judged);

/* JUDGED_KINDS: neither. */
enum judged_kind judged_kind(const struct judged *judged);

/* The same JSON in as few bytes as may be; owned by the caller, or NULL. */
char *judged_text(const struct judged *judged);

/* Settings whose memory and time are known, with names that judged owns; the
 * array is the caller's.  Returns 0 or -ENOMEM. */
int judged_list(const struct judged *tune, struct plot_setting **setting,
		size_t *count);

/* Bytes of the limit that was asked for; 0: none. */
uint64_t judged_limit(const struct judged *tune);

/* Sections of the page; judged may be NULL. */
void judged_add_verdict(struct la_strbuf *out, const struct judged *triage);
/* figure: HTML of a picture, which comes before the table. */
void judged_add_settings(struct la_strbuf *out, const struct judged *tune,
			 const char *figure);

#endif /* ALLOCCTL_REPORT_JUDGED_H */
