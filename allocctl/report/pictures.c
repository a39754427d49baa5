// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "calls.h"
#include "pictures.h"

const char *const picture_names[] = {
	[PICTURE_TIMELINE] = "timeline", [PICTURE_MAP] = "map",
	[PICTURE_HOLES] = "holes",	 [PICTURE_SETTINGS] = "settings",
	[PICTURE_HOLDERS] = "holders",	 [PICTURE_COUNT] = NULL,
};

/* As SVG without a terminal. */
static int draw_view(struct la_strbuf *out, enum picture picture,
		     const struct view *view,
		     const struct plot_terminal *terminal)
{
	const struct la_recording *recording =
		view->request.source->recording;

	switch (picture) {
	case PICTURE_TIMELINE:
		return terminal ? plot_timeline_term(out, &view->timeline,
						     terminal) :
				  plot_timeline_svg(out, &view->timeline);
	case PICTURE_MAP:
		return terminal ? plot_map_term(out, &view->map, recording,
						terminal) :
				  plot_map_svg(out, &view->map, recording);
	default:
		return terminal ? plot_holes_term(out, &view->moment,
						  terminal) :
				  plot_holes_svg(out, &view->moment);
	}
}

static int draw_settings(struct la_strbuf *out, const struct judged *tune,
			 const struct plot_terminal *terminal)
{
	struct plot_setting *setting;
	uint64_t limit = judged_limit(tune);
	size_t count;
	int err = judged_list(tune, &setting, &count);

	if (err < 0 || !count)
		return err;
	err = terminal ? plot_pareto_term(out, setting, count, limit,
					  terminal) :
			 plot_pareto_svg(out, setting, count, limit);
	free(setting);
	return err < 0 ? err : 1;
}

static int draw_holders(struct la_strbuf *out, const struct view *view,
			const struct plot_terminal *terminal)
{
	struct calls calls = { 0 };
	int err = calls_read(&calls, view);

	if (!err && calls.count)
		err = terminal ? plot_flame_term(out, calls.frame, calls.count,
						 terminal) :
				 plot_flame_svg(out, calls.frame, calls.count);
	if (!err)
		err = calls.count > 0;
	calls_release(&calls);
	return err;
}

static int draw(struct la_strbuf *out, enum picture picture,
		const struct picture_source *source,
		const struct plot_terminal *terminal)
{
	int err;

	if (picture == PICTURE_SETTINGS)
		return source->tune ?
			       draw_settings(out, source->tune, terminal) :
			       0;
	if (!source->view)
		return 0;
	if (picture == PICTURE_HOLDERS)
		return draw_holders(out, source->view, terminal);
	err = draw_view(out, picture, source->view, terminal);
	return err < 0 ? err : 1;
}

int picture_svg(struct la_strbuf *out, enum picture picture,
		const struct picture_source *source)
{
	return draw(out, picture, source, NULL);
}

int picture_term(struct la_strbuf *out, enum picture picture,
		 const struct picture_source *source,
		 const struct plot_terminal *terminal)
{
	return draw(out, picture, source, terminal);
}
