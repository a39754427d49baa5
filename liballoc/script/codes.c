// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "script/internal.h"
#include "util/util.h"

/* Ascending; docs/codes.md has the same rows. */
static const struct la_script_code_info codes[] = {
	{ LA_SCRIPT_NOT_EXPORTED, "not_exported",
	  "the shell has the variable, but the programs it starts do not",
	  "PYTORCH_CUDA_ALLOC_CONF=a:1", "export it" },
	{ LA_SCRIPT_BLANKS, "blanks_around_equals",
	  "a blank beside = ends the name or the value",
	  "export PYTORCH_CUDA_ALLOC_CONF = a:1", "write no blank there" },
	{ LA_SCRIPT_REDIRECTED, "redirected_by_shell",
	  "an unquoted > sends output to a file and ends the value",
	  "export PYTORCH_CUDA_ALLOC_CONF=a:[256:1,>:8]", "quote the value" },
	{ LA_SCRIPT_BRACES, "expanded_by_shell",
	  "the shell expands braces into several words",
	  "export PYTORCH_CUDA_ALLOC_CONF={a:1,b:2}", "quote the value" },
	{ LA_SCRIPT_GLOB, "expanded_by_shell",
	  "the shell may take unquoted brackets for a pattern of file names",
	  "env PYTORCH_CUDA_ALLOC_CONF=a:[256:1] python x.py",
	  "quote the value" },
	{ LA_SCRIPT_MODIFIER, "expanded_by_shell",
	  "the shell takes a colon behind a variable for a modifier",
	  "export PYTORCH_CUDA_ALLOC_CONF=\"$x:a\" (zsh)", "write ${x}:" },
	{ LA_SCRIPT_OTHER_LANGUAGE, "wrong_language_or_broken_paste",
	  "this is written for another shell or language",
	  "$env:PYTORCH_CUDA_ALLOC_CONF=\"a:1\" (bash)",
	  "the line that allocctl set prints for this one" },
	{ LA_SCRIPT_POSITIONAL, "other_not_set",
	  "set makes a positional parameter or a variable of the shell alone",
	  "set PYTORCH_CUDA_ALLOC_CONF=a:1 (bash)", "export it" },
	{ LA_SCRIPT_XTRACE, "other_not_set",
	  "set -x traces commands and sets no variable",
	  "set -x PYTORCH_CUDA_ALLOC_CONF a:1 (bash)", "export it" },
	{ LA_SCRIPT_CHILD_ENDS, "set_in_a_child_shell_that_ends",
	  "a child shell sets it and ends before any program starts",
	  "RUN export PYTORCH_CUDA_ALLOC_CONF=a:1",
	  "set it where the program starts" },
	{ LA_SCRIPT_CARRIAGE_RETURN, "carriage_return_in_value",
	  "a carriage return at the line's end is part of the value",
	  "export PYTORCH_CUDA_ALLOC_CONF=a:1\\r", "save with LF line ends" },
	{ LA_SCRIPT_BYTE_ORDER_MARK, "byte_order_mark",
	  "a byte order mark is part of the first word",
	  "a file saved as UTF-8 with BOM", "save without it" },
	{ LA_SCRIPT_LOOKALIKE, "lookalike_character",
	  "a character only looks like a quote or blank of the shell",
	  "typographic quotes", "type it anew" },
	{ LA_SCRIPT_TRAILING_BLANK, "trailing_blank",
	  "blanks behind the value are part of it",
	  "set PYTORCH_CUDA_ALLOC_CONF=a:1 & python x.py (cmd)",
	  "remove them" },
	{ LA_SCRIPT_QUOTES_KEPT, "quotes_in_value",
	  "the quotes become part of the value",
	  "set PYTORCH_CUDA_ALLOC_CONF=\"a:1\" (cmd)", "leave them out" },
	{ LA_SCRIPT_NEEDS_RUNNING, "needs_running",
	  "only running it could tell the value",
	  "export PYTORCH_CUDA_ALLOC_CONF=$(cat x)",
	  "allocctl env --pid of the program" },
	{ LA_SCRIPT_READ_ONLY, "read_only",
	  "the variable is read-only and keeps its earlier value",
	  "readonly PYTORCH_CUDA_ALLOC_CONF", "set it before" },
	{ LA_SCRIPT_SYNTAX, "wrong_language_or_broken_paste",
	  "the shell refuses this line", "export PYTORCH_CUDA_ALLOC_CONF= a:1",
	  "the line that allocctl set prints" },
	{ LA_SCRIPT_NOT_FOUND, "other_not_set", "the shell has no such command",
	  "setenv PYTORCH_CUDA_ALLOC_CONF a:1 (bash)",
	  "the line that allocctl set prints" },
	{ LA_SCRIPT_VARIABLE_COLON, "expanded_by_shell",
	  "PowerShell takes what is before a colon for a drive of the variable",
	  "$env:PYTORCH_CUDA_ALLOC_CONF=\"$key:128\"", "write ${key}:128" },
	{ LA_SCRIPT_BAREWORD, "wrong_language_or_broken_paste",
	  "PowerShell runs a bare word behind = as a command",
	  "$env:PYTORCH_CUDA_ALLOC_CONF=a:1", "quote the value" },
	{ LA_SCRIPT_PIPELINE, "expanded_by_shell",
	  "PowerShell assigns all that the pipeline behind = leaves",
	  "$env:PYTORCH_CUDA_ALLOC_CONF=\"a:1\" | Out-Null",
	  "write nothing behind the value" },
	{ LA_SCRIPT_SET_VARIABLE, "other_not_set",
	  "a variable of PowerShell is not one of the environment",
	  "set PYTORCH_CUDA_ALLOC_CONF=a:1 (PowerShell)",
	  "$env:NAME = 'value'" },
	{ LA_SCRIPT_REGISTRY, "setx_acts_later",
	  "it is written for sessions that start later on Windows",
	  "setx PYTORCH_CUDA_ALLOC_CONF a:1",
	  "open a new session, or set $env:NAME, too" },
	{ LA_SCRIPT_EMPTY_REMOVES, "empty_value",
	  "PowerShell up to 7.4 and 5.1 remove the variable for an empty value",
	  "$env:PYTORCH_CUDA_ALLOC_CONF=''", "Remove-Item Env:NAME" },
	{ LA_SCRIPT_LIST_JOINED, "expanded_by_shell",
	  "PowerShell joins a list by blanks",
	  "$env:PYTORCH_CUDA_ALLOC_CONF='a:1','b:2'", "'a:1,b:2'" },
	{ LA_SCRIPT_TAKEN_UNSET, "needs_running",
	  "the variable is taken not to have been set before",
	  "$env:PYTORCH_CUDA_ALLOC_CONF += ',a:1'",
	  "give the environment that it starts with" },
	{ LA_SCRIPT_EMPTY_VARIABLE, "expanded_by_shell",
	  "a variable that is never set here is taken for empty",
	  "$env:PYTORCH_CUDA_ALLOC_CONF=\"a:$n\"", "set it before" },
	{ LA_SCRIPT_NOT_RUN, "other_not_set",
	  "what would set it is not run",
	  "if ($false) { $env:PYTORCH_CUDA_ALLOC_CONF='a:1' }",
	  "set it where it is run" },
};

LA_EXPORT const struct la_script_code_info *la_script_code_at(size_t index)
{
	return index < ARRAY_SIZE(codes) ? &codes[index] : NULL;
}

const struct la_script_code_info *la_script_code_of(enum la_script_code code)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].code == code)
			return &codes[i];
	return &codes[0];
}
