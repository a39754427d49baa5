#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/release.md: one version everywhere, and NEWS in its shape.
. tests/support.sh

version=$(sed -n 's/.*LA_VERSION "\(.*\)"/\1/p' \
	liballoc/include/liballoc/version.h)
echo "$version" | grep -q -x '[0-9]*\.[0-9]*\.[0-9]*' || fail "'$version'"
equal 'allocctl' "$(allocctl --version)" "allocctl $version"
equal 'changelog' "$(sed -n '1s/^liballoc (\([^-)]*\).*/\1/p' \
	packaging/deb/changelog)" "$version"
equal 'spec' "$(sed -n 's/^Version: //p' packaging/rpm/liballoc.spec)" \
	"$version"
equal 'NEWS' "$(sed -n 1p NEWS)" "liballoc $version"
awk '
/^liballoc [0-9]+\.[0-9]+\.[0-9]+$/ {
	split($2, v, ".")
	number = (v[1] * 1000 + v[2]) * 1000 + v[3]
	if (before && number >= before)
		wrong = wrong NR ": not newest first\n"
	before = number
	empty = NR + 1
	next
}
NR == empty && $0 == "" { inside = 1; next }
/^$/ { inside = 0; next }
inside && /^(api|lib|cli|probe|torch|build|docs|fix): / { entry = 1; next }
inside && entry && /^     [^ ]/ { next }
{ wrong = wrong NR ": " $0 "\n" }
END {
	printf "%s", wrong
	exit wrong != ""
}' NEWS >"$tmp/wrong" || fail "NEWS: $(cat "$tmp/wrong")"
[ -d "tests/data/golden/$version" ] || fail "no tests/data/golden/$version"
