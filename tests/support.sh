# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What test scripts share; read it with: . tests/support.sh
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "failed: $*" >&2
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

equal() {	# equal WHAT GOT WANTED
	[ "$2" = "$3" ] || fail "$1: got '$2', wanted '$3'"
}

has() {	# has LINE: a whole line of $tmp/out
	grep -q -x -F -e "$1" "$tmp/out" || {
		cat "$tmp/out" >&2
		fail "no line '$1'"
	}
}
