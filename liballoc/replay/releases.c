// SPDX-License-Identifier: Apache-2.0
/*
 * Which release of torch made a recording: la_program_new().  Where neither
 * the caller nor the companion tells, it is one that writes the keys which the
 * snapshot has: 2.11, or the nearest to it.  If that does not explain all
 * events, those are tried that could differ under the setting.
 */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "heap/rules.h"
#include "replay/program.h"
#include "util/error.h"

/* Before it, a snapshot has no events. */
#define FIRST_WITH_EVENTS LA_RELEASE(2, 0)

/* A reading under each release is compared with the best one so far. */
struct trial {
	const struct la_recording *recording;
	unsigned int device;
	struct la_program_options options; /* release: that is tried */
	const char *setting; /* in force when recording */
	unsigned int range[2]; /* of the releases that it can be */
	struct la_program *best; /* owned */
	struct {
		heap_rules set; /* that matter under the setting */
		bool refused; /* is a part of the setting? */
	} tried[64]; /* for each set of rules once */
	unsigned int tried_count;
};

static const char *setting_of(const struct trial *trial)
{
	const char *recorded =
		la_recording_device(trial->recording, trial->device)->setting;

	if (trial->options.setting)
		return trial->options.setting;
	return recorded ? recorded : "";
}

/* Was a release tried whose rules are the same under the setting?  If not,
 * note that it is going to be. */
static bool is_tried(struct trial *trial, unsigned int release)
{
	struct la_setting *setting = NULL;
	bool refused = program_parse(&setting, trial->setting, release,
				     NULL) < 0;
	heap_rules set = rules_of(release);
	unsigned int i;

	if (!refused)
		set &= rules_that_matter(la_setting_values(setting));
	la_setting_free(setting);
	for (i = 0; i < trial->tried_count; i++)
		if (trial->tried[i].set == set &&
		    trial->tried[i].refused == refused)
			return true;
	if (i == ARRAY_SIZE(trial->tried))
		return true;
	trial->tried[i].set = set;
	trial->tried[i].refused = refused;
	trial->tried_count++;
	return false;
}

/* Number of events that a reading is made of. */
static uint64_t covered(const struct la_program_info *info)
{
	return info->understood - info->first_event;
}

/* Does a reading explain more than another?  First of all more events. */
static bool is_better(const struct la_program *one,
		      const struct la_program *other)
{
	const struct la_program_info *a = &one->info, *b = &other->info;

	if (covered(a) != covered(b))
		return covered(a) > covered(b);
	if (a->adopted_count != b->adopted_count)
		return a->adopted_count < b->adopted_count;
	if (!a->changed_to != !b->changed_to)
		return !a->changed_to;
	if (!a->refused_setting != !b->refused_setting)
		return !a->refused_setting;
	return a->refusal_count < b->refusal_count;
}

static bool is_explained(const struct la_program *program)
{
	return program_is_predicted(program) && !program->info.first_event &&
	       !program->info.changed_to && !program->info.refused_setting;
}

/* Other errors than a lack of memory only say that it is not this release. */
static int try_release(struct trial *trial, unsigned int release)
{
	struct la_program *program;
	int code;

	if (is_tried(trial, release))
		return 0;
	trial->options.release = release;
	code = program_read(&program, trial->recording, trial->device,
			    &trial->options, NULL);
	if (code < 0)
		return code == -ENOMEM ? code : 0;
	program->info.release_source = LA_RELEASE_FROM_TRIAL;
	if (is_better(program, trial->best)) {
		la_program_free(trial->best);
		trial->best = program;
	} else {
		la_program_free(program);
	}
	return 0;
}

/* Index of the release in the range that is the nearest to 2.11. */
static size_t find_nearest(const struct trial *trial)
{
	const struct la_release *release;
	size_t nearest = 0, i;

	for (i = 0; (release = la_release_at(i)); i++) {
		if (release->number > trial->range[1])
			break;
		nearest = i;
		if (release->number >= RULES_RELEASE &&
		    release->number >= trial->range[0])
			break;
	}
	return nearest;
}

/* In a range, the newer ones than that at an index, then the older ones back
 * from it. */
static int try_releases(struct trial *trial, size_t nearest,
			const unsigned int range[2])
{
	const struct la_release *release;
	size_t i;
	int code = 0;

	for (i = nearest + 1; !code && !is_explained(trial->best) &&
			      (release = la_release_at(i)) &&
			      release->number <= range[1]; i++)
		code = try_release(trial, release->number);
	for (i = nearest; !code && !is_explained(trial->best) && i &&
			  (release = la_release_at(i - 1)) &&
			  release->number >= range[0]; i--)
		code = try_release(trial, release->number);
	return code;
}

/* Those that write the keys first; keys may have been taken away. */
static int try_all(struct trial *trial, size_t nearest)
{
	static const unsigned int all[2] = { FIRST_WITH_EVENTS, UINT_MAX };
	int code;

	is_tried(trial, la_release_at(nearest)->number);
	code = try_releases(trial, nearest, trial->range);
	return code ? code : try_releases(trial, nearest, all);
}

static int find_out(struct trial *trial, struct la_error *err)
{
	size_t nearest;
	int code;

	la_recording_releases(trial->recording, trial->range);
	if (trial->range[0] < FIRST_WITH_EVENTS)
		trial->range[0] = FIRST_WITH_EVENTS;
	nearest = find_nearest(trial);
	trial->options.release = la_release_at(nearest)->number;
	code = program_read(&trial->best, trial->recording, trial->device,
			    &trial->options, err);
	if (code < 0)
		return code;
	if (trial->options.release != RULES_RELEASE)
		trial->best->info.release_source = LA_RELEASE_FROM_KEYS;
	trial->setting = setting_of(trial);
	if (la_program_info(trial->best)->event_count)
		code = try_all(trial, nearest);
	if (code < 0) {
		la_program_free(trial->best);
		return la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	}
	return 0;
}

/* What the companion says; 0: nothing, or nothing known. */
static unsigned int companion_release(const struct la_recording *recording)
{
	const char *text = la_recording_torch(recording);
	unsigned int release = 0;

	if (text && la_release_parse(&release, text, NULL) < 0)
		return 0;
	return release;
}

LA_EXPORT int la_program_new(struct la_program **out,
			     const struct la_recording *recording,
			     unsigned int device,
			     const struct la_program_options *options,
			     struct la_error *err)
{
	struct trial trial = { .recording = recording, .device = device };
	enum la_release_source source = LA_RELEASE_FROM_CALLER;
	int code;

	if (device >= la_recording_device_count(recording))
		return la_error_set(err, -EINVAL, LA_NO_OFFSET,
				    "the recording has no device %u", device);
	if (options)
		trial.options = *options;
	if (!trial.options.release) {
		source = LA_RELEASE_FROM_COMPANION;
		trial.options.release = companion_release(recording);
	}
	if (!trial.options.release) {
		code = find_out(&trial, err);
	} else {
		code = program_read(&trial.best, recording, device,
				    &trial.options, err);
		if (!code)
			trial.best->info.release_source = source;
	}
	if (!code)
		*out = trial.best;
	return code;
}
