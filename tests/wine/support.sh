# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What there is for Windows, built with mingw-w64, and wine to run it; after
# tests/support.sh.
prefix=x86_64-w64-mingw32-
cross=${prefix}gcc
command -v "$cross" >/dev/null || skip "no $cross (gcc-mingw-w64-x86-64)"
command -v wine >/dev/null || skip 'no wine (wine, wine64)'
windows=$O/mingw

# With libyaml and jansson where they can be built; why not is said once.
libs=$O/mingw-libs flags='' library_flags=''
if [ ! -e "$libs/.failed" ]; then
	sh scripts/mingw-libs.sh "$prefix" "$libs" 2>"$tmp/log" || {
		mkdir -p "$libs"
		cp "$tmp/log" "$libs/.failed"
	}
fi
if [ -e "$libs/.failed" ]; then
	echo "without libyaml and jansson: $(tail -n 1 "$libs/.failed")"
else
	flags="-I$libs/include -DYAML_DECLARE_STATIC"
	library_flags=-L$libs/lib
fi
${MAKE:-make} -s -j"$(nproc)" WERROR=1 SANITIZE= CC="$cross" CROSS="$prefix" \
	O="$windows" CPPFLAGS="$flags" LDFLAGS="$library_flags" all test-progs \
	>"$tmp/log" 2>&1 || fail "make: $(cat "$tmp/log")"

# Its own settings, no messages of wine's own, no window, UTF-8 arguments.
WINEPREFIX=$windows/wine WINEDEBUG=-all
WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe=d;winedbg.exe=d"
LC_ALL=C.UTF-8 DISPLAY=
export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES LC_ALL DISPLAY
mkdir -p "$WINEPREFIX"
wine cmd /c exit >/dev/null 2>&1 || skip 'wine does not start'
