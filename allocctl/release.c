// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "print.h"
#include "release.h"
#include "util/size.h"

static int read_ratio(const char *text, double *ratio)
{
	char *end;

	*ratio = strtod(text, &end);
	if (end != text && !*end && *ratio >= 0 && *ratio <= 1)
		return STATUS_DONE;
	print_error("--empty-cache-above wants a ratio from 0 to 1, not '%s'",
		    text);
	return STATUS_USAGE;
}

int release_read(const struct release_options *options,
		 struct la_release_policy *release)
{
	bool every = options->every != RELEASE_NOT_EVERY;

	if (options->above && every) {
		print_error("--empty-cache-above and --empty-cache-every "
			    "exclude each other");
		return STATUS_USAGE;
	}
	if (!options->every) {
		print_error("--empty-cache-every wants 1 step or more");
		return STATUS_USAGE;
	}
	if (every) {
		release->kind = LA_RELEASE_EVERY;
		release->every = options->every;
	}
	if (!options->above)
		return STATUS_DONE;
	release->kind = LA_RELEASE_ABOVE;
	return read_ratio(options->above, &release->ratio);
}

int release_find_steps(const struct source *source,
		       const struct la_limit *limit,
		       struct la_release_policy *release,
		       struct la_steps *steps)
{
	if (release->kind == LA_RELEASE_ABOVE && !source->info->total &&
	    limit->kind == LA_LIMIT_NONE) {
		print_error("--empty-cache-above: neither a limit nor the "
			    "card's size is known; give --limit or --card");
		return STATUS_CANNOT_TELL;
	}
	if (la_steps_find(steps, source->program) < 0)
		return print_no_memory();
	release->steps = steps;
	if (steps->count)
		return STATUS_DONE;
	print_error("cannot put in empty_cache calls: '%s' shows no steps",
		    source->path);
	return STATUS_CANNOT_TELL;
}

void release_print(const struct la_release_policy *release,
		   const struct la_limit *limit)
{
	char count[32], size[LA_SIZE_TEXT];

	if (release->kind == LA_RELEASE_ABOVE)
		printf("where reserved is above %g of the %s", release->ratio,
		       limit->kind == LA_LIMIT_NONE ? "card" : "limit");
	else
		printf("at every %" PRIu64 ". step", release->every);
	printf(";\n            %s steps, ",
	       source_count_text(count, release->steps->count));
	if (release->steps->source == LA_STEPS_MARKED)
		fputs("each marked by a snapshot", stdout);
	else
		printf("told by requests that come back, the last of them %s",
		       la_size_format(size, release->steps->size));
}

void release_json(struct la_json *json,
		  const struct la_release_policy *release)
{
	static const char *const sources[] = {
		[LA_STEPS_NONE] = NULL,
		[LA_STEPS_MARKED] = "snapshots",
		[LA_STEPS_DETECTED] = "requests",
	};
	const struct la_steps *steps = release->steps;

	if (release->kind == LA_RELEASE_ABOVE) {
		la_json_member_double(json, "above", release->ratio);
	} else {
		la_json_member_uint(json, "every", release->every);
	}
	la_json_member_text(json, "steps_from", sources[steps->source]);
	la_json_member_uint(json, "steps", steps->count);
	la_json_member_known_uint(json, "step_request",
				  steps->source == LA_STEPS_DETECTED,
				  steps->size);
}
