# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What tests of allocctl fleet share; read after tests/support.sh.

has() {	# has TEXT: in the output, with runs of blanks and line ends as one
	tr -s '\n ' '  ' <"$tmp/out" | grep -q -F -e "$1" || {
		cat "$tmp/out" >&2
		fail "no '$1'"
	}
}

is() {	# is EXPRESSION: true of the JSON object d in $tmp/out
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
f = {e["name"]: e for e in d["facts"]}
sys.exit(not eval(sys.argv[2]))' "$tmp/out" "$1" || {
		cat "$tmp/out" >&2
		fail "not so: $1"
	}
}
