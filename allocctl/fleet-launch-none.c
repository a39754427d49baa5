// SPDX-License-Identifier: Apache-2.0
/* fleet-launch.c where no launcher of a cluster is. */
#include "cmd.h"
#include "fleet.h"
#include "print.h"

int fleet_launch(struct fleet *fleet, int count, char **words)
{
	(void)fleet;
	(void)count;
	(void)words;
	print_error("fleet starts nothing on this system: use --from");
	return STATUS_CANNOT_TELL;
}
