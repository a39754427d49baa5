// SPDX-License-Identifier: Apache-2.0
/* Without jansson. */

#include <stdlib.h>

#include "allocctl/print.h"
#include "judged.h"

bool judged_is_built(void)
{
	return false;
}

struct judged *judged_read(const char *text, size_t size, const char *what)
{
	(void)text;
	(void)size;
	print_error("cannot read '%s': this build cannot read JSON: it was "
		    "made without jansson", what);
	return NULL;
}

void judged_free(struct judged *judged)
{
	(void)judged;
}

enum judged_kind judged_kind(const struct judged *judged)
{
	(void)judged;
	return JUDGED_KINDS;
}

char *judged_text(const struct judged *judged)
{
	(void)judged;
	return NULL;
}

int judged_list(const struct judged *tune, struct plot_setting **setting,
		size_t *count)
{
	(void)tune;
	*setting = NULL;
	*count = 0;
	return 0;
}

uint64_t judged_limit(const struct judged *tune)
{
	(void)tune;
	return 0;
}

void judged_add_verdict(struct la_strbuf *out, const struct judged *triage)
{
	(void)out;
	(void)triage;
}

void judged_add_settings(struct la_strbuf *out, const struct judged *tune,
			 const char *figure)
{
	(void)out;
	(void)figure;
	(void)tune;
}
