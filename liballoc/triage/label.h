/* SPDX-License-Identifier: Apache-2.0 */
/* The coarse class of an OOM. */
#ifndef LA_TRIAGE_LABEL_H
#define LA_TRIAGE_LABEL_H

#include <liballoc/triage.h>

enum la_label la_label_of(const struct la_facts *facts);

#endif /* LA_TRIAGE_LABEL_H */
