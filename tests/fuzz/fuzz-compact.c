// SPDX-License-Identifier: Apache-2.0
/* Made-up programs on policy compact. */

#include "support/compact-play.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	compact_play(data, size, 0);
	return 0;
}
