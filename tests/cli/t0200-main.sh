#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl without a command, with a wrong one, its help and its version.
. tests/support.sh

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status of allocctl $*" "$status" "$want"
}

fits() {	# fits FILE: 24 lines of 80 columns
	[ "$(wc -l <"$1")" -le 24 ] || fail "$1 has more than 24 lines"
	awk 'length > 80 { exit 1 }' "$1" || fail "$1 is wider than 80"
}

run 2
[ ! -s "$tmp/out" ] && grep -q '^usage:' "$tmp/err" || fail 'usage on stderr'
run 0 --help
[ ! -s "$tmp/err" ] && grep -q '^  check ' "$tmp/out" || fail 'help on stdout'
fits "$tmp/out"
cp "$tmp/out" "$tmp/help"
run 0 help
cmp -s "$tmp/out" "$tmp/help" || fail 'help and --help differ'
run 0 help check
grep -q '^examples:' "$tmp/out" || fail 'no examples'
cp "$tmp/out" "$tmp/help"
for c in $(allocctl help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
	run 0 "$c" --help
	fits "$tmp/out"
done
run 0 check --help
cmp -s "$tmp/out" "$tmp/help" || fail 'help check and check --help differ'

run 0 --version
equal version "$(cat "$tmp/out")" "allocctl $(sed -n \
	's/^#define LA_VERSION "\(.*\)"/\1/p' liballoc/include/liballoc/version.h)"
run 2 chek
equal 'near command' "$(cat "$tmp/err")" \
	"allocctl: unknown command 'chek'; did you mean 'check'?"
run 2 nothing-like-it
equal 'far command' "$(cat "$tmp/err")" \
	"allocctl: unknown command 'nothing-like-it'; see allocctl --help"
run 2 help chek
[ ! -e /dev/full ] || {
	status=0
	allocctl --version >/dev/full 2>"$tmp/err" || status=$?
	equal 'lost output' "$status" 3
}
