/* SPDX-License-Identifier: Apache-2.0 */
/* What this program is as the child of a shell that is looked at. */
#ifndef ALLOCCTL_PRINT_CHILD_H
#define ALLOCCTL_PRINT_CHILD_H

#define PRINT_COMMAND "_print"

enum { PRINT_MARK_BYTES = 80 };

/*
 * "_print MARK NAME [VERSION]": print MARK, a blank, "-" if the environment
 * has no NAME, else "+" and its bytes in hexadecimal, a blank, and VERSION.
 */
int print_child(int argc, char **argv);

#endif /* ALLOCCTL_PRINT_CHILD_H */
