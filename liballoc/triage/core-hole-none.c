// SPDX-License-Identifier: Apache-2.0
/* Where a system does not tell holes, they are read as the 0 they stand for. */
#include "triage/core.h"

uint64_t la_core_skip_hole(struct la_input *in, uint64_t most)
{
	(void)in, (void)most;
	return 0;
}
