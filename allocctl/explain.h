/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl explain prints of the library's tables. */
#ifndef ALLOCCTL_EXPLAIN_H
#define ALLOCCTL_EXPLAIN_H

#include <stdint.h>

#include <liballoc/script.h>
#include <liballoc/setting.h>

#include "util/card.h"

/* One option; release: that has to have it, 0 for any.  Returns a status. */
int explain_option(const struct la_setting_option *option,
		   unsigned int release);

/* Every option: a line each, or all that is known, or that as a man page. */
void explain_list(unsigned int release);
void explain_all(void);
void explain_man(void);

/* One row of the codes' page: of check, or of verify, env and doctor. */
void explain_code(const struct la_setting_code_info *code);
void explain_script_code(const struct la_script_code_info *code);

/* What guides recommend; gpu NULL and memory 0: for any. */
void explain_presets(const char *gpu, uint64_t memory);

/* Do guides speak of GPUs by that name, as A100, of whatever memory? */
bool explain_presets_know(const char *gpu);

#endif /* ALLOCCTL_EXPLAIN_H */
