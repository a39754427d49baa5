/* SPDX-License-Identifier: Apache-2.0 */
/* What is special about some OOMs, whatever their numbers. */
#ifndef LA_TRIAGE_SITUATION_H
#define LA_TRIAGE_SITUATION_H

#include <liballoc/triage.h>

/* More is asked for than any card has: an overflow, a wrong shape. */
bool la_is_absurd(const struct la_facts *facts);

/* More than this card has, whatever else is on it. */
bool la_is_too_large(const struct la_facts *facts);

/* It failed where a process first uses the card, before it holds anything. */
bool la_is_at_start(const struct la_facts *facts);

/* The device gives no single block of this size, however much is free. */
bool la_is_block_limit(const struct la_facts *facts);

/* NCCL, which takes memory of its own, failed. */
bool la_is_nccl(const struct la_facts *facts);

/* Expandable segments were on. */
bool la_is_expandable(const struct la_facts *facts);

/* Sizes are rounded up by the setting; by one of these values. */
bool la_rounds_up(const struct la_facts *facts);
bool la_values_round_up(const struct la_setting_values *values);

#endif /* LA_TRIAGE_SITUATION_H */
