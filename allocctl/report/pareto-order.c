// SPDX-License-Identifier: Apache-2.0
/* Settings as their pictures have them: see pareto-order.h. */

#include <stdlib.h>

#include "allocctl/source.h"
#include "axis.h"
#include "pareto-order.h"
#include "util/size.h"

static int by_time(const void *a, const void *b)
{
	const struct plot_setting *x = *(const struct plot_setting *const *)a;
	const struct plot_setting *y = *(const struct plot_setting *const *)b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? -1 : 1;
	return (x->memory > y->memory) - (x->memory < y->memory);
}

const struct plot_setting **pareto_front(const struct plot_setting *setting,
					 size_t count, size_t *front_count)
{
	const struct plot_setting **front = malloc((count + 1) *
						   sizeof(*front));
	size_t i;

	*front_count = 0;
	if (!front)
		return NULL;
	for (i = 0; i < count; i++)
		if (setting[i].front)
			front[(*front_count)++] = &setting[i];
	qsort(front, *front_count, sizeof(*front), by_time);
	return front;
}

const char *pareto_name(const struct plot_setting *setting)
{
	return setting->name && *setting->name ? setting->name :
						 "the default";
}

bool pareto_shows_limit(uint64_t limit, double least, double most)
{
	return limit && (double)limit <= 1.5 * most &&
	       1.5 * (double)limit >= least;
}

void pareto_tip(struct la_strbuf *text, const struct plot_setting *setting)
{
	char size[LA_SIZE_TEXT], time[32];

	la_strbuf_addf(text, "%s: %s, %s", pareto_name(setting),
		       la_size_format(size, setting->memory),
		       axis_seconds_text(time, setting->seconds));
	if (setting->recorded)
		la_strbuf_addstr(text, "; recorded");
	if (!setting->fits)
		la_strbuf_addstr(text, "; does not fit");
}

static void add_point(struct la_strbuf *text,
		      const struct plot_setting *setting)
{
	char size[LA_SIZE_TEXT], time[32];

	la_strbuf_addf(text, "%s in %s",
		       la_size_format(size, setting->memory),
		       axis_seconds_text(time, setting->seconds));
}

void pareto_describe(struct la_strbuf *text,
		     const struct plot_setting *setting, size_t count,
		     const struct plot_setting *const *front,
		     size_t front_count)
{
	char number[32];
	size_t i;

	la_strbuf_addf(text, "%s setting%s, %zu on the front",
		       source_count_text(number, count),
		       count == 1 ? "" : "s", front_count);
	if (front_count) {
		la_strbuf_addstr(text, ": ");
		add_point(text, front[0]);
	}
	if (front_count > 1) {
		la_strbuf_addstr(text, " to ");
		add_point(text, front[front_count - 1]);
	}
	for (i = 0; i < count; i++)
		if (setting[i].recorded) {
			la_strbuf_addstr(text, "; recorded: ");
			add_point(text, &setting[i]);
			return;
		}
}
