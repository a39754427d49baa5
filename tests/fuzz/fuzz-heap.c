// SPDX-License-Identifier: Apache-2.0
/* Heap operations under a setting and limits, compared with the model. */

#include "support/duel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	duel_play(data, size);
	return 0;
}
