#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# convert never loses a file: not one that is there, not its input, and not
# half of one.
. tests/support.sh
cp tests/data/streams.cap.pickle.xz "$tmp/in.pickle.xz"
in=$tmp/in.pickle.xz

refused() {	# refused STATUS WORDS ARGUMENT...
	wanted=$1 words=$2 status=0
	shift 2
	allocctl convert "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	equal "status of $*" "$status" "$wanted"
	grep -q "^allocctl: .*$words" "$tmp/err" ||
		fail "$*: '$(cat "$tmp/err")'"
	[ ! -s "$tmp/out" ] || fail "$*: output"
}

refused 2 'takes an input and an output'
refused 2 'takes an input and an output' "$in"
refused 2 'takes an input and an output' "$in" a b
refused 2 'say --to FORMAT' "$in" -
refused 2 'tells no format' "$in" "$tmp/a.txt"
refused 2 "--to" --to xml "$in" "$tmp/a.pickle"
refused 2 'not compressed' "$in" "$tmp/a.pickle.xz"
refused 2 'companion' "$in" "$tmp/in.json"
refused 2 'companion' "$in" "$tmp/./in.json"
refused 3 'cannot read' "$tmp/none.pickle" "$tmp/a.pickle"
refused 3 'cannot write' "$in" "$tmp/none/a.pickle"
refused 3 'Is a directory' --to csv "$in" "$tmp"

# A file that is there stays, but for --force, which keeps to the link.
echo mine >"$tmp/a.csv"
ln -s a.csv "$tmp/link.csv"
refused 3 'force replaces it' "$in" "$tmp/link.csv"
equal 'file that was there' "$(cat "$tmp/a.csv")" mine
(umask 027 && allocctl convert --force "$in" "$tmp/link.csv")
[ -L "$tmp/link.csv" ] || fail 'link was replaced'
equal 'lines' "$(wc -l <"$tmp/a.csv")" "$(allocctl convert --to csv "$in" - | wc -l)"
equal 'mode' "$(stat -c %a "$tmp/a.csv")" 640

# The input is not overwritten, by whatever name.
ln -s in.pickle.xz "$tmp/other.pickle"
ln "$in" "$tmp/third.pickle"
for name in "$tmp/other.pickle" "$tmp/third.pickle"; do
	refused 3 'is the input' --force "$in" "$name"
done
status=0
allocctl convert --force - "$tmp/third.pickle" <"$in" 2>"$tmp/err" || status=$?
equal 'status for standard input' "$status" 3
cmp -s "$in" tests/data/streams.cap.pickle.xz || fail 'input was changed'

# What is no file is written to; a full disk leaves nothing.
allocctl convert --to csv "$in" /dev/null || fail '/dev/null'
if [ -w /dev/full ]; then
	refused 3 'No space' --to csv "$in" /dev/full
	status=0
	allocctl convert --to csv "$in" - >/dev/full 2>"$tmp/err" || status=$?
	equal 'status of a full standard output' "$status" 3
fi

command -v timeout >/dev/null || skip 'no timeout'
# A signal at any moment: the old file or the new one, and no other.
echo old >"$tmp/kill.csv"
before=$(find "$tmp" | wc -l)
for delay in 0.001 0.002 0.004 0.008 0.016 0.03; do
	timeout -s TERM $delay allocctl convert --force \
		tests/data/two.pickle.xz "$tmp/kill.csv" || true
	case $(head -n 1 "$tmp/kill.csv" | tr -d '\r') in
	old) equal 'old file' "$(wc -l <"$tmp/kill.csv")" 1 ;;
	device,*) equal 'new file' "$(wc -l <"$tmp/kill.csv")" 16600 ;;
	*) fail 'neither the old file nor the new one' ;;
	esac
	equal 'files' "$(find "$tmp" | wc -l)" "$before"
done
