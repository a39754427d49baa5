#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint-packages.sh VERSION LIB...: what packaging/ and NEWS repeat must be so:
# the version, and the symbols that each library exports.
set -eu
version=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

same_version() {	# same_version FILE VERSION
	[ "$2" = "$version" ] && return
	echo "lint: $1 has version '$2', version.h $version" >&2
	status=1
}

same_version NEWS "$(sed -n '1s/^liballoc //p' NEWS)"
same_version packaging/deb/changelog \
	"$(sed -n '1s/^liballoc (\(.*\)).*/\1/p' packaging/deb/changelog)"
same_version packaging/rpm/liballoc.spec \
	"$(sed -n 's/^Version: //p' packaging/rpm/liballoc.spec)"
same_version "packaging/rpm/liballoc.spec's changelog" \
	"$(sed -n '/^%changelog/{n;s/.* \(.*\)-1$/\1/p;}' \
		packaging/rpm/liballoc.spec)"

for lib in "$@"; do
	name=${lib##*/}
	nm -D --defined-only "$lib" | awk '{
		sub(/@@/, "@", $3)
		print $3 ~ /@/ ? $3 : $3 "@" $3
	}' | sort -u >"$tmp/library"
	awk -v name="$name" '/^lib/ { here = $1 == name; next }
		here && /^ / { print $1 }' packaging/deb/liballoc0.symbols |
		sort >"$tmp/symbols"
	diff "$tmp/library" "$tmp/symbols" >"$tmp/changes" && continue
	sed -n "s/^< \(.*\)/lint: \1 is in $name, not in its symbols file/p
		s/^> \(.*\)/lint: \1 is in the symbols file, not in $name/p" \
		"$tmp/changes" >&2
	status=1
done
exit $status
