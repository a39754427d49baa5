#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/architecture.md: its table and its figure of who may include whom say
# what lint-includes.sh holds, and the files that it names are there.
. tests/support.sh
page=docs/architecture.md
figure=docs/includes.svg

# FROM TO, a line each; from the table of lint-includes.sh, which splits
# chains of assignments.
sed -n 's/^\tmay\["\(.*\)"\] = "\(.*\)"$/\1|\2/p' scripts/lint-includes.sh |
	awk '{
		split($0, side, "|")
		gsub(/"\] = may\["/, " ", side[1])
		n = split(side[1], from, " ")
		m = split(side[2], to, " ")
		for (i = 1; i <= n; i++) {
			print from[i]
			for (j = 1; j <= m; j++)
				print from[i], to[j]
		}
	}' | sort >"$tmp/all"
grep ' ' "$tmp/all" >"$tmp/lint"
grep -v ' ' "$tmp/all" >"$tmp/folders"
grep -q '^triage replay$' "$tmp/lint" || fail 'the table of lint-includes.sh'

# The same from the page.
sed -n '/^## Who may include whom/,/^## One path/p' "$page" |
	sed -n 's/^| \([a-z].*\) | \(.*\) |$/\1=\2/p' | grep -v '^folder=' |
	sed 's/probe-format\.h/format/g; s/the public headers/public/g
		s|cupti-probe/||g; s|inject/||g; s/nothing//' | awk '{
		split($0, side, "=")
		n = split(side[1], from, ", ")
		m = split(side[2], to, ", ")
		for (i = 1; i <= n; i++)
			for (j = 1; j <= m; j++)
				print from[i], to[j]
	}' | sort >"$tmp/page"
diff "$tmp/lint" "$tmp/page" >&2 || fail "$page and lint-includes.sh differ"

# Arrows: each is allowed, and what is allowed is reached by them.  A folder
# is in the figure before it is in the tree, not after.
grep -o 'data-from="[^"]*" data-to="[^"]*"' "$figure" |
	sed 's/data-from="//; s/" data-to="/ /; s/"$//' | sort >"$tmp/arrows"
while read -r folder; do
	grep -q "<g id=\"$folder\">" "$figure" || fail "$figure lacks $folder"
done <"$tmp/folders"
awk '
FILENAME ~ /folders$/ { there[$1] = 1; next }
FILENAME ~ /lint$/ { may[$1, $2] = 1; next }
{
	if (there[$1] && !(($1, $2) in may))
		wrong[$1 " may not include " $2]
	step[$1, $2] = 1
	box[$1] = box[$2] = 1
}
END {
	for (via in box)
		for (a in box)
			for (b in box)
				if (((a, via) in step) && ((via, b) in step))
					step[a, b] = 1
	for (pair in may)
		if (!(pair in step)) {
			sub(SUBSEP, " to ", pair)
			wrong["no arrows lead from " pair]
		}
	for (what in wrong) {
		print what
		bad = 1
	}
	exit bad
}' "$tmp/folders" "$tmp/lint" "$tmp/arrows" >&2 || fail "$figure"

# "replay/rewind" is a file, or a folder, of one of these.
folders='util|setting|script|env|device|heap|allocator|torch|trace|replay|triage|view'
grep -o -w -E "($folders|core|preload|cupti|report|allocctl|conf)/[a-z][a-z0-9-]*" \
	"$page" | sort -u >"$tmp/names"
[ "$(wc -l <"$tmp/names")" -gt 60 ] || fail 'names of files'
while read -r name; do
	for path in "liballoc/$name" "cupti-probe/inject/$name" \
		"cupti-probe/$name" "allocctl/$name" "$name"; do
		for file in "$path" "$path".[ch] "$path".yaml "$path"-*.c; do
			[ ! -e "$file" ] || continue 3
		done
	done
	fail "$page names $name, which is not there"
done <"$tmp/names"
