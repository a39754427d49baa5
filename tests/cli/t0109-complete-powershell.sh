#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real PowerShell completes commands, options, values and files.
. tests/support.sh
. tests/complete.sh
command -v pwsh >/dev/null ||
	skip 'no pwsh: completions of PowerShell are compared, but unrun'

cat >"$tmp/complete.ps1" <<'END'
. ./packaging/completions/allocctl.ps1
. ./packaging/completions/cupti-probe.ps1
foreach ($line in $input) {
	$found = (TabExpansion2 $line $line.Length).CompletionMatches
	($found.CompletionText -replace '^\./|/$' | Sort-Object) -join ' '
}
END
check_completions pwsh -NoProfile -NonInteractive -File "$tmp/complete.ps1"
