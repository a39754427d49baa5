/* SPDX-License-Identifier: Apache-2.0 */
/* What there is in a recording. */
#ifndef REPORT_INFO_H
#define REPORT_INFO_H

#include "letter.h"

void info_text(const struct letter_file *file);
void info_json(const struct letter_file *file);

#endif /* REPORT_INFO_H */
