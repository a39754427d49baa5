#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every option in `allocctl COMMAND --help` is in the man page and in the
# completions of bash, zsh and fish, and the other way round.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'

options() {
	grep -o -e '--[a-z][a-z-]*' | grep -v -x -e --help | sort -u | tr '\n' ' '
}

branch() {	# branch COMMAND FILE: what a case statement does for it
	awk -v start="$1)" '$1 == start { on = 1 } on; /;;/ { on = 0 }' "$2"
}

bash_options() {	# bash_options COMMAND
	branch "$1" packaging/completions/allocctl | options
}

zsh_options() {
	branch "$1" packaging/completions/_allocctl |
		sed 's/\$\(setting\|format\)/--\1/g; s/\[[^]]*\]//g' | options
}

fish_options() {
	case $1 in
	replay|tune) shared='-n $run' ;;
	*) shared='-n $'$1 ;;
	esac
	grep -e "-n \$$1" -e "$shared" packaging/completions/allocctl.fish |
		sed -n 's/.* -l \([a-z-]*\).*/--\1/p' | options
}

commands=$(allocctl --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
[ -n "$commands" ] || fail 'allocctl --help lists no commands'
for c in $commands; do
	help=$(allocctl "$c" --help | options)
	man=$(sed -n 's/^\.It Fl -\([a-z-]*\).*/--\1/p' \
		"docs/man/allocctl-$c.1" | options)
	usage=$(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' \
		"docs/man/allocctl-$c.1" | sed 's/Fl -/--/g' | options)
	equal "man page of $c" "$man" "$help"
	equal "synopsis of $c" "$usage" "$help"
	equal "bash, $c" "$(bash_options "$c")" "$help"
	equal "zsh, $c" "$(zsh_options "$c")" "$help"
	equal "fish, $c" "$(fish_options "$c")" "$help"
	grep -q "^\.It Xr allocctl-$c 1" docs/man/allocctl.1 ||
		fail "allocctl.1 does not list $c"
done

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
	equal completion "$words" 'files check:  replay: torch '
fi
