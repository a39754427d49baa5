/* SPDX-License-Identifier: Apache-2.0 */
/* What a report says of one recording.  Statuses. */
#ifndef REPORT_LETTER_FILE_H
#define REPORT_LETTER_FILE_H

#include "letter.h"

int letter_file_text(const struct letter_file *file);
int letter_file_markdown(const struct letter_file *file);
void letter_file_json(struct la_json *json, const struct letter_file *file);

/* A paragraph behind a label; nothing for "". */
void letter_paragraph(const char *label, const char *text);

#endif /* REPORT_LETTER_FILE_H */
