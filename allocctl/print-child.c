// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "print-child.h"
#include "print.h"

int print_child(int argc, char **argv)
{
	const char *value, *at;

	if (argc < 4)
		return STATUS_USAGE;
	value = getenv(argv[3]);
	printf("\n%s %c", argv[2], value ? '+' : '-');
	for (at = value; at && *at; at++)
		printf("%02x", (unsigned char)*at);
	printf(" %s\n", argc > 4 ? argv[4] : "");
	return print_finish(STATUS_DONE);
}
