// SPDX-License-Identifier: Apache-2.0
/* allocctl verify --shell, where no shell is run. */
#include "verify.h"

void verify_shells(struct verify *verify)
{
	size_t i;

	for (i = 0; i < verify->request.shells.nr; i++) {
		verify->shell[i].name = verify->request.shells.item[i];
		verify->shell[i].trouble = "it cannot be run here";
	}
}
