#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Manual pages have no slips that mandoc or groff would warn of, bear their own
# names, and refer to pages of ours that are there.
. tests/support.sh
command -v mandoc >/dev/null || skip 'no mandoc'

for page in docs/man/*.[1-8]; do
	name=${page##*/}
	mandoc -T lint -W warning "$page" || fail "mandoc: $page"
	title=$(sed -n 's/^\.Dt //p' "$page" | tr 'A-Z ' 'a-z.')
	equal "title of $page" "$title" "$name"
	# For instance .Xr allocctl-check 1 ,
	sed -n 's/^\.\(It \)\{0,1\}Xr \([a-z-]*\) \([1-8]\).*/\2.\3/p' "$page" |
		grep -e '^allocctl' -e '^cupti-probe' -e '^liballoc' |
		while read -r other; do
			[ -e "docs/man/$other" ] || fail "$page: no $other"
		done
	! man -l --help >/dev/null 2>&1 || LC_ALL=C.UTF-8 MANWIDTH=80 man \
		--warnings -E UTF-8 -l "$page" 2>"$tmp/warnings" >/dev/null
	[ ! -s "$tmp/warnings" ] || fail "$page: $(cat "$tmp/warnings")"
done
