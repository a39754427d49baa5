// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "setting/remark.h"

int la_remark_accepted(struct la_remarks *remarks,
		       const struct la_tokens *tokens,
		       const struct la_setting_values *values,
		       enum la_set_at set_at)
{
	(void)tokens;
	(void)values;
	(void)set_at;
	return remarks->failed ? -ENOMEM : 0;
}
