#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lengths that CONTRIBUTING.md sets: 80 columns (tabs are 8, strings may
# pass), 60 lines a function, 800 lines a file but for tests; and the licence
# line at the top of each.
set -u
find liballoc allocctl cupti-probe tests bench scripts -name '*.[ch]' | sort | xargs awk '
function bad(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; status = 1 }
function columns(text,	parts, n, i, width) {
	n = split(text, parts, "\t")
	for (i = 1; i < n; i++)
		width += length(parts[i]) + 8 - (width + length(parts[i])) % 8
	return width + length(parts[n])
}
FNR == 1 {
	start = 0
	if (!/SPDX-License-Identifier: Apache-2.0/)
		bad("no SPDX line")
}
FNR == 801 && FILENAME !~ /^tests/ { bad("more than 800 lines") }
columns($0) > 80 && !/"/ { bad("more than 80 columns") }
/[ \t]$/ { bad("white space at the end") }
/^{/ { start = FNR }
/^}$/ && start {
	if (FNR - start - 1 > 60)
		bad("function of " FNR - start - 1 " lines")
	start = 0
}
END { exit status }' >&2
