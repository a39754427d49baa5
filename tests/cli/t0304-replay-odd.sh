#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Odd files, companions and places: a clear message and the right status.
. tests/support.sh
data=tests/data

replay() {	# replay STATUS ARGUMENTS...
	wanted=$1
	shift
	status=0
	allocctl replay "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "exit status of replay $*" "$status" "$wanted"
}

says() {	# says FILE TEXT: the last replay did
	grep -q -F -e "$2" "$tmp/$1" || fail "no '$2' in: $(cat "$tmp/$1")"
}

[ -n "$(command -v xz)" ] || skip 'no xz'
xz -dc $data/gnn.oom.pickle.xz >"$tmp/whole.pickle"
size=$(wc -c <"$tmp/whole.pickle")

# Cut anywhere, --partial reproduces what is there.
for part in 1 2 3 4 5 6 7 8 9; do
	for more in 0 13 101; do
		head -c $((size * part / 10 + more)) "$tmp/whole.pickle" \
			>"$tmp/cut.pickle"
		replay 0 "$tmp/cut.pickle" --partial
		says out 'truncated   the file ends early'
		says out 'self-check  exact'
	done
done

# What a truncated late recording began with is not known.
xz -dc $data/windows-varlen_gpt.late.pickle.xz >"$tmp/late.pickle"
replay 0 "$tmp/late.pickle"
says out 'window      the recording starts late'
head -c $(($(wc -c <"$tmp/late.pickle") / 2)) "$tmp/late.pickle" \
	>"$tmp/cut.pickle"
replay 3 "$tmp/cut.pickle" --partial
says err 'must begin with the first allocation'

# A late recording does not begin above the limit.
replay 1 "$tmp/late.pickle" --card 100MiB
says out 'what is held when the recording begins does not fit'

# A companion that is no file, or of another run.
mkdir "$tmp/whole.json"
replay 3 "$tmp/whole.pickle"
says err 'Is a directory'
rmdir "$tmp/whole.json"
mkfifo "$tmp/whole.json"
replay 3 "$tmp/whole.pickle"
says err 'not a file'
rm "$tmp/whole.json"
echo '{ "cap": 1000 }' >"$tmp/whole.json"
replay 3 "$tmp/whole.pickle"
says err 'limit cap of 1000 bytes, from the companion file'
echo '{ "conf": "throw_on_cudamalloc_oom:True" }' >"$tmp/whole.json"
replay 1 "$tmp/whole.pickle"
says err "warning: torch 2.11 refuses the recorded setting 'throw_on_"
says out 'self-check  exact'
printf '{ "conf": "\\u001b[31m:\\n1" }' >"$tmp/whole.json"
replay 1 "$tmp/whole.pickle"
says err '\x1b[31m:\x0a1'
rm "$tmp/whole.json"

# A cap that was not in force: what is understood under it is no answer.
echo '{ "cap": 8300000000 }' >"$tmp/whole.json"
replay 3 "$tmp/whole.pickle" --limit none
says out 'not known: runs as far as the events were understood'
replay 3 "$tmp/whole.pickle" --limit none --format json
says out '"outcome":"not known"'
