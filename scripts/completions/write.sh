#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# write.sh DIR: write the completions of allocctl and cupti-probe there, by
# table-allocctl and table-cupti-probe, which are in PATH.
set -eu
from=$(dirname "$0")
table=$(mktemp)
trap 'rm -f "$table"' EXIT

write() {	# write SHELL FILE
	awk -f "$from/table.awk" -f "$from/$1.awk" "$table" "$from/$1.in" >"$2"
}

for program in allocctl cupti-probe; do
	"table-$program" >"$table"
	write bash "$1/$program"
	write zsh "$1/_$program"
	write fish "$1/$program.fish"
	write powershell "$1/$program.ps1"
done
