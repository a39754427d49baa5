// SPDX-License-Identifier: Apache-2.0
#include "script/shell.h"
struct node *la_tcsh_parse(struct parser *parser) { return la_shell_parse(parser); }
void la_tcsh_command(struct shell *shell, const struct node *node) { la_shell_command(shell, node); }
