// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>

#include "prometheus.h"

void prometheus_head(struct la_strbuf *out, const char *name, const char *type,
		     const char *help)
{
	la_strbuf_addf(out,
		       "# HELP %s %s\n"
		       "# TYPE %s %s\n",
		       name, help, name, type);
}

void prometheus_number(struct la_strbuf *out, const char *name,
		       const char *type, const char *help, uint64_t value)
{
	prometheus_head(out, name, type, help);
	la_strbuf_addf(out, "%s %" PRIu64 "\n", name, value);
}
