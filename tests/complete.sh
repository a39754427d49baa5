# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced behind support.sh: what completions have to say in every shell.
command -v allocctl >/dev/null || skip 'no allocctl'
command -v cupti-probe >/dev/null || skip 'no cupti-probe'

mkdir "$tmp/bin"
for p in allocctl cupti-probe; do
	ln -s "$(command -v $p)" "$tmp/bin/$p"
done
printf '#!/bin/sh\n' >"$tmp/bin/completed-by-test"
chmod +x "$tmp/bin/completed-by-test"
PATH=$tmp/bin:$PATH

sorted() { LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//'; }

# Lines, "|", and what is wanted: of each command its options, as --help of
# the program has them; of the program its commands; and what is listed.
wanted() {
	for program in allocctl cupti-probe; do
		commands=$($program --help |
			sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
		for c in $commands; do
			echo "$program $c --|$($program "$c" --help |
				sed -n 's/^  --\([a-z-]*\).*/--\1/p
					$a--help' | sorted)"
			echo "$program $c|$c"
		done
	done
	grep -v '^#' tests/data/completions.txt
}

# check_completions COMMAND...: it reads lines, and writes what it completes.
check_completions() {
	wanted >"$tmp/wanted"
	cut -d'|' -f1 "$tmp/wanted" >"$tmp/lines"
	"$@" <"$tmp/lines" >"$tmp/got"
	equal lines "$(wc -l <"$tmp/got")" "$(wc -l <"$tmp/lines")"
	paste -d'|' "$tmp/wanted" "$tmp/got" >"$tmp/both"
	while IFS='|' read -r line want got; do
		equal "'$line'" "$got" "$want"
	done <"$tmp/both"
}
