#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/guide/c.md: its programs compile without a warning and print what the
# guide shows.  What make install makes of a tree, tests/pkg tests; here the
# library is put where pkg-config says.
. tests/support.sh
. tests/guide.sh
command -v pkg-config >/dev/null || skip 'no pkg-config'
command -v allocctl >/dev/null || skip 'no allocctl'
allocctl replay tests/data/big_random.oom.pickle.xz >"$tmp/out" 2>&1 || :
grep -q 'from the companion file' "$tmp/out" ||
	skip 'built without liblzma or jansson'
[ -e "$O/lib/liballoc.so.0" ] || skip 'no shared library'
mkdir -p "$tmp/bin" "$tmp/usr/lib" "$tmp/usr/include"
cp "$O/lib/liballoc.so.0" "$tmp/usr/lib"
ln -s liballoc.so.0 "$tmp/usr/lib/liballoc.so"
cp -r liballoc/include/liballoc "$tmp/usr/include"
sed -e 's|@prefix@|/usr|' -e 's|@libdir@|/usr/lib|' \
	-e 's|@includedir@|/usr/include|' -e 's|@version@|0|' -e 's|@libs@||' \
	liballoc/liballoc.pc.in >"$tmp/liballoc.pc"
compiler=$(command -v "${CC:-cc}") || skip 'no compiler'
cat >"$tmp/bin/cc" <<END
#!/bin/sh
exec $compiler -Wall -Wextra -Werror ${SANITIZE:+-fsanitize=$SANITIZE} "\$@"
END
chmod +x "$tmp/bin/cc"
export PKG_CONFIG_SYSROOT_DIR="$tmp" PKG_CONFIG_LIBDIR="$tmp"
export PKG_CONFIG_PATH="" LD_LIBRARY_PATH="$tmp/usr/lib" PATH="$tmp/bin:$PATH"
check_run c
