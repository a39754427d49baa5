// SPDX-License-Identifier: Apache-2.0
/* The readers of shells. */
#include <errno.h>
#include <string.h>

#include "script/shell.h"
#include "util/error.h"

enum { SPARE = 200000 }; /* commands beyond one run of each */

static void say_start(struct shell *shell, const struct la_script_part *part)
{
	if (part->length >= 3 && !memcmp(part->text, "\xef\xbb\xbf", 3))
		la_script_say(shell->script, part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_BYTE_ORDER_MARK, 0, 3, NULL);
}

static int read_shell(struct la_script *script,
		      const struct la_script_part *part, struct la_error *err)
{
	enum la_script_kind kind = la_script_kind_now(script);
	struct shell shell = { .script = script,
			       .part = part,
			       .table = la_shell_table(kind),
			       .scope = 1,
			       .function_scope = 1,
			       .scope_count = 1,
			       .first = la_script_count(script),
			       .err = err };

	shell.budget = 2 * part->length + SPARE;
	say_start(&shell, part);
	la_shell_run_text(&shell, part);
	if (part->ends)
		la_shell_ends(&shell, 0, LA_SCRIPT_CHILD_ENDS, NULL);
	else if (shell.flow == FLOW_END)
		la_shell_ends(&shell, 0, LA_SCRIPT_CHILD_ENDS,
			      "the shell ends before it starts a program");
	la_shell_finish(&shell, part->ends || shell.flow == FLOW_END);
	la_shell_scope_release(&shell);
	la_arena_release(&shell.kept);
	if (shell.kept.failed)
		shell.error = -ENOMEM;
	if (shell.error == -ENOMEM)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "it takes more memory than there is, or "
				    "than a text may take");
	/* No place more is noted: all variables end as not known. */
	return shell.error == -ENOSPC ? 0 : shell.error;
}

int la_script_read_shell(struct la_script *script,
			 const struct la_script_part *part,
			 struct la_error *err)
{
	return read_shell(script, part, err);
}

int la_script_read_fish(struct la_script *script,
			const struct la_script_part *part, struct la_error *err)
{
	return read_shell(script, part, err);
}

int la_script_read_tcsh(struct la_script *script,
			const struct la_script_part *part, struct la_error *err)
{
	return read_shell(script, part, err);
}
