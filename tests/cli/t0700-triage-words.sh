#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every text of triage has both languages, with the same places to put
# something in, and Chinese that is Chinese.
. tests/support.sh

awk '
function places(text,	seen, n, i, out) {
	while (match(text, /\{[0-9]\}/)) {
		seen[substr(text, RSTART + 1, 1)]++
		text = substr(text, RSTART + 3)
	}
	for (i = 0; i < 10; i++)
		if (i in seen)
			out = out " " i "x" seen[i]
	return out
}
function bad(why) { printf "%s: %s\n", name, why; status = 1 }
/^WORD\(/ {
	rows++
	name = $0
	sub(/^WORD\(/, "", name)
	sub(/,.*/, "", name)
	if (name in known)
		bad("twice")
	known[name]
	if (!match($0, /^WORD\([a-z_]+, "[^"]+", "[^"]+"\)$/)) {
		bad("not a row of two texts")
		next
	}
	split($0, part, "\"")
	if (places(part[2]) != places(part[4]))
		bad("places differ:" places(part[2]) " and" places(part[4]))
	if (part[2] ~ /[\200-\377]/)
		bad("not plain English")
	if (part[2] ~ /[a-z][a-z][a-z]/ && part[4] !~ /[\200-\377]/ &&
	    part[2] !~ /^rank |^torch$/)
		bad("not translated")
}
END {
	if (rows < 100) {
		print "only " rows " rows"
		status = 1
	}
	exit status
}' allocctl/triage-words.inc >"$tmp/bad" || fail "$(cat "$tmp/bad")"

# Every row is used, but for those that are found by the number of what they
# tell of.
sed -n 's/^WORD(\([a-z_]*\),.*/\1/p' allocctl/triage-words.inc |
	grep -v -E '^(cause|grade|means|past|ledger|margin|amount|basis)_' |
	while read -r name; do
		grep -q -w "W_$name" allocctl/triage-*.c ||
			fail "nothing says $name"
	done
