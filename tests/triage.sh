# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What tests of triage share; read it after tests/support.sh.
data=tests/data
export LC_ALL=C

triage() {	# triage STATUS ARGUMENTS...: the report is in $tmp/out
	wanted=$1
	shift
	status=0
	allocctl triage "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	equal "exit status of triage $*" "$status" "$wanted"
}

says() {	# says TEXT: the last report does
	grep -q -F -e "$1" "$tmp/out" || fail "no '$1' in: $(cat "$tmp/out")"
}

says_not() {	# says_not TEXT
	! grep -q -F -e "$1" "$tmp/out" || fail "'$1' is in: $(cat "$tmp/out")"
}

message() {	# message NAME: what torch said of a recording, as a log has it
	sed -n 's/.*"err": "\([^"]*\)".*/torch.OutOfMemoryError: \1/p' \
		"$data/$1.json" | awk 1
}

outcome() {	# outcome SETTING: of that row of the last report, in JSON
	tr '{' '\n' <"$tmp/out" |
		sed -n 's/^"setting":"'"$1"'","outcome":"\([a-z]*\)".*/\1/p'
}

columns() {	# columns: the widest line that is not to be pasted
	awk 'BEGIN { for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i }
	{
		width = 0
		for (i = 1; i <= length($0); i++) {
			c = code[substr($0, i, 1)]
			width += c < 128 ? 1 : c >= 224 ? 2 : c >= 192 ? 1 : 0
		}
		if (width > widest && !/^               |^import /)
			widest = width
	} END { print widest }' "$tmp/out"
}

fits_screen() {	# fits_screen WHAT: at most 40 lines of at most 80 columns
	[ "$(wc -l <"$tmp/out")" -le 40 ] ||
		fail "$1 has more than 40 lines: $(cat "$tmp/out")"
	[ "$(columns)" -le 80 ] || fail "$1 is wide: $(cat "$tmp/out")"
}
