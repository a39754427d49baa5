/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's own numbers decide, where a probe has seen its calls. */
#ifndef LA_TRIAGE_DRIVER_H
#define LA_TRIAGE_DRIVER_H

#include <liballoc/triage.h>

/* Were the driver's calls seen?  ... and PyTorch's allocator not? */
bool la_is_of_driver(const struct la_facts *facts);
bool la_sees_driver_alone(const struct la_facts *facts);

/* The call that failed tells the cause, whatever the numbers. */
bool la_is_told_by_call(const struct la_facts *facts);

/*
 * Do exact numbers of the driver prove a cause?  Only what lies outside of
 * PyTorch's allocator: that the request is larger than the card, that a pool,
 * other processes or contexts hold what is missing, where all of the card is
 * accounted for.
 */
bool la_is_decided(const struct la_facts *facts, enum la_cause cause);

#endif /* LA_TRIAGE_DRIVER_H */
