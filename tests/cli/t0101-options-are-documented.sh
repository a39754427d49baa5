#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every option in `allocctl COMMAND --help` is in the man page and in the
# completions of bash, zsh and fish, and the other way round; likewise those of
# cupti-probe, and the variables that its library reads.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'

options() {
	grep -o -e '--[a-z][a-z-]*' | grep -v -x -e --help | sort -u | tr '\n' ' '
}

branch() {	# branch COMMAND FILE: what a case statement does for it
	awk -v start="$1)" '$1 == start { on = 1 } on; /;;/ { on = 0 }' "$2"
}

bash_options() {	# bash_options COMMAND
	branch "$1" "packaging/completions/$program" | options
}

zsh_options() {
	branch "$1" "packaging/completions/_$program" |
		sed 's/\$\(setting\|format\)/--\1/g; s/\[[^]]*\]//g' | options
}

fish_options() {
	case $program-$1 in
	allocctl-replay|allocctl-tune) shared='-n $both' ;;
	*) shared='-n $'$1 ;;
	esac
	grep -e "-n \$$1 " -e "$shared " "packaging/completions/$program.fish" |
		sed -n 's/.* -l \([a-z-]*\).*/--\1/p' | options
}

check_command() {	# check_command COMMAND: of $program
	help=$($program "$1" --help | options)
	man=$(sed -n 's/^\.It Fl -\([a-z-]*\).*/--\1/p' \
		"docs/man/$program-$1.1" | options)
	usage=$(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' \
		"docs/man/$program-$1.1" | sed 's/Fl -/--/g' | options)
	equal "man page of $1" "$man" "$help"
	equal "synopsis of $1" "$usage" "$help"
	equal "bash, $1" "$(bash_options "$1")" "$help"
	equal "zsh, $1" "$(zsh_options "$1")" "$help"
	equal "fish, $1" "$(fish_options "$1")" "$help"
	grep -q "^\.It Xr $program-$1 1" "docs/man/$program.1" ||
		fail "$program.1 does not list $1"
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
done

# Variables of the library; the last one is for Python.
equal 'variables' "$(sed -n 's/^\.It Ev \(CUPTI_PROBE[A-Z_]*\)$/\1/p' \
	docs/man/cupti-probe.7 | sort)" \
	"$(sed -n 's/^PROBE_VARIABLE([A-Z_]*, "\([A-Z_]*\)".*/\1/p
		$aCUPTI_PROBE_SNAPSHOT' cupti-probe/inject/core/variables.inc |
		sort)"

# An option of two commands is completed as the command at hand wants it.
if command -v bash >/dev/null; then
	words=$(bash -c '. packaging/completions/allocctl
		compopt() { echo files; }
		COMP_CWORD=3
		for COMP in check replay; do
			COMP_WORDS=(allocctl "$COMP" --policy "")
			_allocctl
			echo "$COMP: ${COMPREPLY[*]}"
		done' | tr '\n' ' ')
	equal completion "$words" 'files check:  replay: torch compact '
fi
