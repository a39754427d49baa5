// SPDX-License-Identifier: Apache-2.0
/* allocctl metrics: the text.  No label has bytes of a value or a name that a
 * user can choose. */
#include <inttypes.h>

#include <liballoc/version.h>

#include "metrics.h"
#include "prometheus.h"

static const char *const states[METRICS_STATES] = {
	[METRICS_UNSET] = "unset",	   [METRICS_VALID] = "valid",
	[METRICS_UNKNOWN] = "unknown",	   [METRICS_WARNED] = "warned",
	[METRICS_FORBIDDEN] = "forbidden", [METRICS_REFUSED] = "refused",
};

static void add_groups(struct la_strbuf *out, const char *name,
		       const char *help, const struct metrics_groups *groups)
{
	const struct metrics_group *group = groups->group;
	size_t i;

	prometheus_head(out, name, "gauge", help);
	for (i = 0; i < groups->count; i++, group++) {
		la_strbuf_addf(out,
			       "%s{torch=\"%s\",scope=\"%s\",state=\"%s\","
			       "setting=\"",
			       name, group->torch, group->scope,
			       states[group->state]);
		if (group->setting)
			la_strbuf_addf(out, "%016" PRIx64, group->setting);
		la_strbuf_addf(out, "\"} %" PRIu64 "\n", group->count);
	}
}

void metrics_text(struct la_strbuf *out, const struct metrics *metrics)
{
	prometheus_head(out, "allocctl_info", "gauge",
			"Version of the command.");
	la_strbuf_addstr(out, "allocctl_info{version=\"" LA_VERSION "\"} 1\n");
	prometheus_number(out, "allocctl_torch_found", "gauge",
			  "Whether a torch is found where programs would "
			  "import it.",
			  metrics->torch_found);
	add_groups(out, "allocctl_setting",
		   "What that torch makes of the setting that is given to new "
		   "programs.",
		   &metrics->own);
	add_groups(out, "allocctl_processes",
		   "Processes with torch, by what it makes of their setting.",
		   &metrics->processes);
	prometheus_number(out, "allocctl_processes_unseen", "gauge",
			  "Processes that may not be looked at.",
			  metrics->unseen);
	prometheus_number(out, "allocctl_policy_broken", "gauge",
			  "Whether the site has a policy that cannot be read.",
			  metrics->policy_broken);
}
