/* SPDX-License-Identifier: Apache-2.0 */
/* The text format of Prometheus, for all that prints numbers. */
#ifndef ALLOCCTL_PROMETHEUS_H
#define ALLOCCTL_PROMETHEUS_H

#include <stdint.h>

#include "util/strbuf.h"

/* What stands ahead of the numbers of one name; help is one line. */
void prometheus_head(struct la_strbuf *out, const char *name, const char *type,
		     const char *help);

/* A name with one number, and no labels. */
void prometheus_number(struct la_strbuf *out, const char *name,
		       const char *type, const char *help, uint64_t value);

#endif /* ALLOCCTL_PROMETHEUS_H */
