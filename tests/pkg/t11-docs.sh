#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make install-docs: every function of the library is in the reference, and
# another folder, time and language make the same files.
. tests/support.sh
command -v doxygen >/dev/null || skip 'no doxygen'

docs() {	# docs SOURCE DESTDIR
	(cd "$1" && ${MAKE:-make} -s O="$2/build" install-docs \
		DESTDIR="$2" prefix=/usr docdir=/usr/share/doc/liballoc-doc)
}

docs . "$tmp/one"
html=$tmp/one/usr/share/doc/liballoc-doc/html
[ -s "$html/index.html" ] || fail 'no index.html'
[ -s "$tmp/one/usr/share/doc/liballoc-doc/codes.md" ] || fail 'no codes.md'
cat "$html"/*_8h.html >"$tmp/pages"
names=$(sed -n 's/^\t\(la_[a-z0-9_]*\);$/\1/p' liballoc/liballoc.map)
[ -n "$names" ] || fail 'no names in liballoc.map'
for name in $names; do
	grep -q "<h2 class=\"memtitle\">.*$name()" "$tmp/pages" ||
		fail "$name is not in the reference"
done

mkdir "$tmp/copy"
tar c --exclude=./build --exclude=./.git . | tar x -C "$tmp/copy"
(
	export TZ=Asia/Tokyo LC_ALL=C.UTF-8
	docs "$tmp/copy" "$tmp/two"
)
diff -r "$tmp/one/usr" "$tmp/two/usr" || fail 'two builds differ'
