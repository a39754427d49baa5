// SPDX-License-Identifier: Apache-2.0
/* What is special about some OOMs, whatever their numbers. */
#include <string.h>

#include <liballoc/setting.h>

#include "triage/amount.h"
#include "triage/margins.h"
#include "triage/situation.h"
#include "util/card.h"
#include "util/util.h"

/* Times the card's size from which on nobody meant to ask for so much. */
#define ABSURD_TIMES 64

/* No computer has so many bytes: addresses of user space on x86-64. */
#define ABSURD_BYTES (INT64_C(1) << 47)

/* A context takes at least this of the card. */
#define CONTEXT_LEAST ((int64_t)(300 * MIB))

bool la_is_absurd(const struct la_facts *facts)
{
	struct la_margin total = la_margin_of(facts, LA_AMOUNT_TOTAL);
	struct la_margin request = la_margin_request(facts);

	if (facts->kind == LA_OOM_ABSURD)
		return true;
	return request.known &&
	       (request.low >= ABSURD_BYTES ||
		(total.known && total.high > 0 &&
		 request.low / ABSURD_TIMES > total.high));
}

/* The card's bytes; where they are unknown those of the largest card that is
 * known. */
static int64_t most_of_card(const struct la_facts *facts)
{
	struct la_margin total = la_margin_of(facts, LA_AMOUNT_TOTAL);
	const struct la_card *card;
	uint64_t most = 0;
	size_t i;

	if (total.known)
		return total.high;
	for (i = 0; (card = la_card_at(i)); i++)
		if (card->total > most)
			most = card->total;
	return la_amount_bound(most);
}

bool la_is_too_large(const struct la_facts *facts)
{
	struct la_margin request = la_margin_segment(facts);

	return request.known &&
	       request.low > most_of_card(facts) - CONTEXT_LEAST;
}

static bool has_form(const struct la_facts *facts, const char *form)
{
	return facts->form && !strcmp(facts->form, form);
}

bool la_is_at_start(const struct la_facts *facts)
{
	return has_form(facts, "F0-init");
}

bool la_is_block_limit(const struct la_facts *facts)
{
	return has_form(facts, "xpu-block") || has_form(facts, "mps-buffer");
}

bool la_is_nccl(const struct la_facts *facts)
{
	return has_form(facts, "nccl");
}

/* Does the setting in force, if it is known, have this quality? */
static bool setting_has(const struct la_facts *facts,
			bool (*quality)(const struct la_setting_values *))
{
	struct la_setting *setting;
	bool has;

	if (!facts->setting ||
	    la_setting_parse(&setting, facts->setting, strlen(facts->setting),
			     LA_SET_AT_INIT, NULL))
		return false;
	has = quality(la_setting_values(setting));
	la_setting_free(setting);
	return has;
}

static bool has_expandable(const struct la_setting_values *values)
{
	return values->expandable_segments;
}

bool la_values_round_up(const struct la_setting_values *values)
{
	int i;

	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		if (values->roundup_power2_divisions[i] > 1)
			return true;
	return false;
}

bool la_is_expandable(const struct la_facts *facts)
{
	return facts->expandable || has_form(facts, "F8") ||
	       has_form(facts, "liballoc-compact") ||
	       setting_has(facts, has_expandable);
}

bool la_rounds_up(const struct la_facts *facts)
{
	return setting_has(facts, la_values_round_up);
}
