#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint-promises.sh MANUAL TEST...: each promise of the manual, an item ".It Sy
# NAME" of its section PROMISES, is named by a test, in a line with the words
# "Promise: NAME, NAME."; and tests name no other.
set -eu
manual=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sed -n '/^\.Sh PROMISES$/,/^\.Sh ENV/s/^\.It Sy //p' "$manual" |
	sort >"$tmp/made"
sed -n 's/^.*Promise: \(.*\)\.\( \*\/\)\{0,1\}$/\1/p' "$@" | sed 's/, */\n/g' |
	sort -u >"$tmp/held"
[ -s "$tmp/made" ] || { echo "lint: $manual makes no promises" >&2; exit 1; }
diff "$tmp/made" "$tmp/held" >"$tmp/diff" && exit
sed -n 's/^< \(.*\)/lint: no test holds the promise: \1/p
	s/^> \(.*\)/lint: a test holds what is no promise: \1/p' \
	"$tmp/diff" >&2
exit 1
