# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What there is for Windows, built with mingw-w64, and wine to run it; after
# tests/support.sh.
cross=x86_64-w64-mingw32-gcc
command -v "$cross" >/dev/null || skip "no $cross (gcc-mingw-w64-x86-64)"
command -v wine >/dev/null || skip 'no wine (wine, wine64)'
windows=$O/mingw
${MAKE:-make} -s WERROR=1 SANITIZE= CC="$cross" O="$windows" all test-progs >"$tmp/log" \
	2>&1 || fail "make: $(cat "$tmp/log")"

# Its own settings, no messages of wine's own, no window, UTF-8 arguments.
WINEPREFIX=$windows/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=;mshtml='
LC_ALL=C.UTF-8 DISPLAY=
export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES LC_ALL DISPLAY
mkdir -p "$WINEPREFIX"
wine cmd /c exit >/dev/null 2>&1 || skip 'wine does not start'
