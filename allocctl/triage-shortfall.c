// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: what was asked for, and how much of it was missing. */

#include <stdio.h>
#include <string.h>

#include "triage-story.h"

bool story_knows(const struct story *story, enum la_amount_id id)
{
	return story->oom->facts.amount[id].basis != LA_BASIS_NONE;
}

const char *story_amount(const struct story *story, enum la_amount_id id,
			 char text[TRIAGE_SIZE])
{
	return triage_amount_text(text, story->language,
				  &story->oom->facts.amount[id]);
}

void story_go_on(struct story *story)
{
	if (story->out->length && story->language == LA_LANGUAGE_ENGLISH)
		la_strbuf_addstr(story->out, " ");
}

/* A sentence about one amount, if that is known. */
void story_say_of(struct story *story, enum triage_word word,
		  enum la_amount_id id)
{
	char text[TRIAGE_SIZE];

	if (!story_knows(story, id))
		return;
	story_go_on(story);
	triage_say(story->out, story->language, word,
		   story_amount(story, id, text), NULL);
}

void story_say(struct story *story, enum triage_word word)
{
	story_go_on(story);
	triage_say(story->out, story->language, word, NULL);
}

/* A margin as what was missing; where that is not sure, maybe nothing. */
struct la_margin story_missing(const struct la_margin *margin)
{
	return (struct la_margin){
		.known = margin->known,
		.low = margin->high < 0 ? -margin->high : 0,
		.high = margin->low < 0 ? -margin->low : 0,
	};
}

/* free' = what was missing + what was asked for */
static struct la_margin left_of(const struct story *story)
{
	const struct la_margin *margin =
		&story->oom->verdict.margin[LA_MARGIN_AS_IT_WAS];
	const struct la_amount *asked =
		&story->oom->facts.amount[LA_AMOUNT_SEGMENT];
	struct la_margin left = {
		.known = margin->known,
		.low = margin->low + (int64_t)asked->high,
		.high = margin->high + (int64_t)asked->low,
	};

	if (left.low < 0)
		left.low = 0;
	if (left.high < left.low)
		left.high = left.low;
	return left;
}

/* Four amounts in GiB leave that much open, as they are printed. */
enum { ROUNDING = 42 << 20 };

/* An interval that is no wider than by rounding, as its middle. */
static struct la_margin about(struct la_margin margin)
{
	int64_t width = margin.high - margin.low;

	if (width < margin.high / 8 || (margin.low > 0 && width < ROUNDING))
		margin.low = margin.high = margin.low + width / 2;
	return margin;
}

static const char *left_text(const struct story *story, char text[TRIAGE_SIZE])
{
	struct la_margin left = about(left_of(story));

	return triage_margin_text(text, story->language, &left);
}

/* "20.00 MiB", or that with the smaller request for which it was. */
static void asked_text(const struct story *story, char text[TRIAGE_SIZE])
{
	const struct la_amount *request =
		&story->oom->facts.amount[LA_AMOUNT_REQUEST];
	const struct la_amount *segment =
		&story->oom->facts.amount[LA_AMOUNT_SEGMENT];
	char whole[TRIAGE_SIZE], part[TRIAGE_SIZE];
	struct la_strbuf out = { 0 };

	story_amount(story, LA_AMOUNT_SEGMENT, text);
	if (request->basis != LA_BASIS_RECORDED ||
	    request->high > segment->low / 2)
		return;
	triage_say(&out, story->language, W_why_segment, strcpy(whole, text),
		   story_amount(story, LA_AMOUNT_REQUEST, part), NULL);
	snprintf(text, TRIAGE_SIZE, "%s", la_strbuf_text(&out));
	la_strbuf_release(&out);
}

/* A cap left less than was asked for, and was not below what was held. */
static void say_open_cap(struct story *story)
{
	char asked[TRIAGE_SIZE], cap[TRIAGE_SIZE];

	asked_text(story, asked);
	triage_say(story->out, story->language, W_why_cap_open, asked,
		   story_amount(story, LA_AMOUNT_ALLOWED, cap), NULL);
}

static void say_missing(struct story *story)
{
	const struct la_margin *margin =
		&story->oom->verdict.margin[LA_MARGIN_AS_IT_WAS];
	struct la_margin missing = about(story_missing(margin));
	char asked[TRIAGE_SIZE], left[TRIAGE_SIZE], gap[TRIAGE_SIZE];
	char cap[TRIAGE_SIZE];

	asked_text(story, asked);
	left_text(story, left);
	triage_margin_text(gap, story->language, &missing);
	story_amount(story, LA_AMOUNT_ALLOWED, cap);
	if (margin->low >= 0)
		triage_say(story->out, story->language, W_why_enough, asked,
			   left, NULL);
	else
		triage_say(story->out, story->language,
			   story_knows(story, LA_AMOUNT_ALLOWED) ?
				   W_why_left_capped :
				   W_why_left,
			   asked, left, gap, cap, NULL);
}

static void say_mps(struct story *story)
{
	char asked[TRIAGE_SIZE], most[TRIAGE_SIZE], held[TRIAGE_SIZE];
	char others[TRIAGE_SIZE];

	triage_say(story->out, story->language, W_why_mps,
		   story_amount(story, LA_AMOUNT_SEGMENT, asked),
		   story_amount(story, LA_AMOUNT_ALLOWED, most),
		   story_amount(story, LA_AMOUNT_RESERVED, held),
		   story_amount(story, LA_AMOUNT_OTHER_ALLOCATORS, others),
		   NULL);
}

/* What was asked for, and how much of it was missing. */
void story_shortfall(struct story *story)
{
	const struct la_facts *facts = &story->oom->facts;

	if (!story_knows(story, LA_AMOUNT_SEGMENT))
		story_say_of(story, W_why_asked, LA_AMOUNT_REQUEST);
	else if (facts->kind == LA_OOM_MPS)
		say_mps(story);
	else if (story->oom->verdict.cause == LA_CAUSE_ABSURD_SIZE ||
		 !story->oom->verdict.margin[LA_MARGIN_AS_IT_WAS].known)
		story_say_of(story, W_why_asked, LA_AMOUNT_SEGMENT);
	else if (triage_cap_is_open(facts))
		say_open_cap(story);
	else
		say_missing(story);
}
