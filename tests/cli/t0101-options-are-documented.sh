#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every option that `COMMAND --help` of allocctl and cupti-probe prints, with the
# words that it takes, is in the manual page of the command, and no other; and so
# are the variables that the probe reads.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'

options() {
	grep -o -e '--[a-z][a-z-]*' | grep -v -x -e --help | sort -u | tr '\n' ' '
}

check_command() {	# check_command COMMAND: of $program
	help=$($program "$1" --help | options)
	man=$(sed -n 's/^\.It Fl -\([a-z-]*\).*/--\1/p' \
		"docs/man/$program-$1.1" | options)
	usage=$(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' \
		"docs/man/$program-$1.1" | sed 's/Fl -/--/g' | options)
	equal "man page of $1" "$man" "$help"
	equal "synopsis of $1" "$usage" "$help"
	grep -q "^\.It Xr $program-$1 1" "docs/man/$program.1" ||
		fail "$program.1 does not list $1"
	for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES \
		'SEE ALSO'; do
		grep -q "^\.Sh $section$" "docs/man/$program-$1.1" ||
			fail "$program-$1.1 has no $section"
	done
}

# A word that an option takes: COMMAND OPTION WORD, from the table.
words() {
	"table-$program" | awk -F '\t' '$1 == "option" && $6 ~ /^ / {
		n = split($6, word, " ")
		for (i = 1; i <= n; i++)
			print $2, $3, word[i]
	}'
}

for program in allocctl cupti-probe; do
	command -v $program >/dev/null || continue
	commands=$($program --help |
		sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
	[ -n "$commands" ] || fail "$program --help lists no commands"
	for c in $commands; do
		check_command "$c"
		[ "$($program "$c" --help | wc -l)" -le 24 ] ||
			fail "$program $c --help fits no screen"
	done
	words >"$tmp/words"
	[ -s "$tmp/words" ] || fail "table-$program has no words"
	while read -r c option word; do
		sed -n "/^\.It Fl -$option/,/^\.It Fl -/p" \
			"docs/man/$program-$c.1" | grep -q -w -e "$word" ||
			fail "$program-$c.1: --$option lacks $word"
	done <"$tmp/words"
	for page in "docs/man/$program"-*.1; do
		c=${page#"docs/man/$program-"}
		case " $(echo $commands) " in
		*" ${c%.1} "*) ;;
		*) fail "$page is of no command" ;;
		esac
	done
done

# Variables of the library; the last one is for Python.
equal 'variables' "$(sed -n 's/^\.It Ev \(CUPTI_PROBE[A-Z_]*\)$/\1/p' \
	docs/man/cupti-probe.7 | sort)" \
	"$(sed -n 's/^PROBE_VARIABLE([A-Z_]*, "\([A-Z_]*\)".*/\1/p
		$aCUPTI_PROBE_SNAPSHOT' cupti-probe/inject/core/variables.inc |
		sort)"
