// SPDX-License-Identifier: Apache-2.0
/*
 * Does a setting get past the failed request?  Each is replayed up to that
 * request, under all layouts, at both ends of a limit that is known as an
 * interval, and of a history that starts late from both of its starts.
 */

#include <errno.h>
#include <stdlib.h>

#include "replay/parallel.h"
#include "triage/late.h"
#include "triage/trials.h"

/* One replay. */
struct piece {
	const struct la_program *program; /* borrowed */
	struct la_replay_options options;
	struct la_replay_result result;
	bool failed; /* it cannot be replayed */
};

/* How many replays an attempt takes: layouts of limits of starts. */
struct shape {
	size_t starts, limits;
};

struct work {
	const struct trials *trials; /* borrowed */
	struct la_steps request; /* of the policy: the failed request */
	struct piece *piece; /* owned; of each attempt, one after another */
	size_t count;
};

/* The program's own setting, and its changes, for what is no other. */
static bool is_own(const struct attempt *attempt)
{
	return attempt->trial.current ||
	       attempt->trial.kind != LA_TRIAL_SETTING;
}

/* Another setting, where the history starts late? */
static bool is_late(const struct trials *trials,
		    const struct attempt *attempt)
{
	return trials->info->window &&
	       attempt->trial.kind == LA_TRIAL_SETTING;
}

/* From a state that is not known? */
static bool starts_unsure(const struct trials *trials,
			  const struct attempt *attempt)
{
	return is_late(trials, attempt) &&
	       late_differs(la_setting_values(attempt->setting),
			    la_program_setting(trials->program),
			    &attempt->limit[1]);
}

static struct shape shape_of(const struct trials *trials,
			     const struct attempt *attempt)
{
	const struct la_trial *trial = &attempt->trial;
	bool interval = attempt->limit[0].bytes != attempt->limit[1].bytes;

	if (trials->info->understood <= trials->facts->event ||
	    trial->kind == LA_TRIAL_PACKED ||
	    (!is_own(attempt) && !attempt->setting))
		return (struct shape){ 0 };
	if (trial->current)
		return (struct shape){ 1, 1 };
	if (attempt->limit[1].kind == LA_LIMIT_NONE)
		return (struct shape){ 0 };
	return (struct shape){
		.starts = starts_unsure(trials, attempt) ? BOUND_COUNT : 1,
		.limits = interval ? 2 : 1,
	};
}

static size_t layouts_of(const struct attempt *attempt)
{
	return attempt->trial.current ? 1 : LA_LAYOUT_COUNT;
}

static size_t pieces_of(const struct trials *trials,
			const struct attempt *attempt)
{
	struct shape shape = shape_of(trials, attempt);

	return shape.starts * shape.limits * layouts_of(attempt);
}

/* When empty_cache() is called besides. */
static struct la_release_policy policy_of(const struct work *work,
					  enum la_trial_kind kind)
{
	struct la_release_policy policy = { .kind = LA_RELEASE_NONE };

	if (kind == LA_TRIAL_EMPTIED || kind == LA_TRIAL_STEPS) {
		policy.kind = LA_RELEASE_EVERY;
		policy.every = 1;
	} else if (kind == LA_TRIAL_STEPS_ABOVE) {
		policy.kind = LA_RELEASE_ABOVE;
		policy.ratio = .8;
	}
	policy.steps = kind == LA_TRIAL_EMPTIED ? &work->request :
						  &work->trials->steps;
	return policy;
}

static struct la_replay_options options_of(struct work *work,
					   const struct attempt *attempt,
					   size_t number)
{
	const struct trials *trials = work->trials;
	bool own = is_own(attempt);
	struct shape shape = shape_of(trials, attempt);
	size_t group = number / layouts_of(attempt);
	struct la_replay_options options = {
		.setting = own ? la_program_setting(trials->program) :
				 la_setting_values(attempt->setting),
		.torch_release = trials->release,
		.with_changes = own,
		.as_recorded = attempt->trial.current,
		.limit = attempt->limit[1 - group % shape.limits],
		.layout = (enum la_layout)(number % layouts_of(attempt)),
		.costs = la_costs_default(),
		.event_count = trials->facts->event + 1,
		.release = policy_of(work, attempt->trial.kind),
	};

	if (shape.starts == BOUND_COUNT)
		options.start = late_start(options.setting,
					   (enum bound)(group / shape.limits));
	return options;
}

static int lay_out(struct work *work, uint64_t *event)
{
	const struct trials *trials = work->trials;
	size_t count = 0, i, k;

	work->request.event = event;
	work->request.count = 1;
	for (i = 0; i < trials->count; i++)
		count += pieces_of(trials, &trials->attempt[i]);
	work->piece = calloc(count + 1, sizeof(*work->piece));
	if (!work->piece)
		return -ENOMEM;
	for (i = 0; i < trials->count; i++) {
		const struct attempt *attempt = &trials->attempt[i];

		for (k = 0; k < pieces_of(trials, attempt); k++)
			work->piece[work->count++] = (struct piece){
				.program = trials->program,
				.options = options_of(work, attempt, k),
			};
	}
	return 0;
}

/* What cannot be replayed (another backend, say) is no error. */
static int play(void *data, size_t index)
{
	struct piece *piece = &((struct work *)data)->piece[index];
	int code = la_replay(piece->program, &piece->options, &piece->result,
			     NULL);

	piece->failed = code < 0;
	return code == -ENOMEM ? code : 0;
}

/* What layouts agree on. */
static enum la_past agree_layouts(const struct piece *piece, size_t layouts)
{
	size_t ran = 0, i;

	for (i = 0; i < layouts; i++) {
		if (piece[i].failed)
			return LA_PAST_UNKNOWN;
		ran += piece[i].result.ran;
	}
	return ran == layouts ? LA_PAST_PAST :
	       ran	      ? LA_PAST_DEPENDS :
				LA_PAST_STUCK;
}

static bool any_open(const struct attempt *attempt, const struct piece *piece)
{
	size_t layouts = layouts_of(attempt), i = 0;

	while (i < layouts &&
	       !late_is_open(la_setting_values(attempt->setting),
			     &piece[i].result, &piece[i].options.limit))
		i++;
	return i < layouts;
}

/* Of limits that differ the answer depends; of starts see late.c. */
static enum la_past agree(const struct trials *trials,
			  const struct attempt *attempt,
			  const struct piece *piece)
{
	enum la_past answer[BOUND_COUNT] = { LA_PAST_UNKNOWN }, got;
	struct shape shape = shape_of(trials, attempt);
	bool unsure = shape.starts == BOUND_COUNT, open = false;
	size_t layouts = layouts_of(attempt), start, limit;

	for (start = 0; start < shape.starts; start++)
		for (limit = 0; limit < shape.limits; limit++) {
			got = agree_layouts(piece, layouts);
			open |= unsure && any_open(attempt, piece);
			piece += layouts;
			if (limit && got != answer[start])
				got = LA_PAST_DEPENDS;
			answer[start] = got;
		}
	if (!is_late(trials, attempt))
		return answer[0];
	if (!unsure)
		answer[BOUND_BEST] = answer[BOUND_WORST];
	if (open)
		return LA_PAST_UNKNOWN;
	return late_judge(la_setting_values(attempt->setting),
			  la_program_setting(trials->program), answer);
}

static bool all_fail_earlier(const struct piece *piece, size_t count,
			     uint64_t event)
{
	size_t i = 0;

	while (i < count && !piece[i].result.ran &&
	       piece[i].result.oom_event < event)
		i++;
	return i == count;
}

/* The rule layout comes first. */
static void tell_moment(struct la_trial *trial, const struct piece *piece)
{
	const struct la_replay_result *result = &piece->result;
	const struct la_limit *limit = &piece->options.limit;

	trial->known = true;
	trial->reserved = result->stats.reserved;
	trial->headroom = limit->bytes > trial->reserved ?
				  limit->bytes - trial->reserved :
				  0;
	trial->operations = result->operations;
	trial->seconds = result->seconds;
}

/* The recorded failure has to come where it came. */
static void judge_current(const struct trials *trials, struct la_trial *trial,
			  const struct piece *piece)
{
	if (!piece->failed && !piece->result.ran &&
	    piece->result.oom_event == trials->facts->event)
		trial->past = LA_PAST_STUCK;
}

static void judge(const struct trials *trials, struct attempt *attempt,
		  const struct piece *piece)
{
	struct la_trial *trial = &attempt->trial;
	size_t count = pieces_of(trials, attempt);

	if (!count)
		return;
	if (trial->current) {
		judge_current(trials, trial, piece);
		return;
	}
	trial->past = agree(trials, attempt, piece);
	trial->worse = trial->past == LA_PAST_STUCK &&
		       all_fail_earlier(piece, count, trials->facts->event);
	if (trial->past != LA_PAST_UNKNOWN && piece->result.ran)
		tell_moment(trial, piece);
}

/* Live bytes and the request: no allocator does with less. */
static void judge_packed(const struct trials *trials, struct attempt *attempt)
{
	const struct la_amount *amount = trials->facts->amount;
	struct la_trial *trial = &attempt->trial;
	uint64_t least = amount[LA_AMOUNT_ALLOCATED].low -
			 amount[LA_AMOUNT_ROUNDING].low +
			 amount[LA_AMOUNT_REQUEST].low;

	if (attempt->limit[1].kind == LA_LIMIT_NONE ||
	    !amount[LA_AMOUNT_ALLOCATED].basis)
		return;
	trial->known = true;
	trial->reserved = least;
	trial->past = least > attempt->limit[1].bytes ? LA_PAST_STUCK :
		      least > attempt->limit[0].bytes ? LA_PAST_DEPENDS :
							LA_PAST_PAST;
	if (trial->past != LA_PAST_STUCK)
		trial->headroom = attempt->limit[1].bytes - least;
}

int trials_replay(struct trials *trials)
{
	struct work work = { .trials = trials };
	uint64_t event = trials->facts->event;
	unsigned int jobs = trials->options->jobs;
	const struct piece *piece;
	size_t i;
	int code = lay_out(&work, &event);

	if (!code)
		code = la_parallel(jobs ? jobs : 1, work.count, play, &work);
	piece = work.piece;
	for (i = 0; i < trials->count && !code; i++) {
		struct attempt *attempt = &trials->attempt[i];

		if (attempt->trial.kind == LA_TRIAL_PACKED)
			judge_packed(trials, attempt);
		else
			judge(trials, attempt, piece);
		piece += pieces_of(trials, attempt);
	}
	free(work.piece);
	return code;
}
