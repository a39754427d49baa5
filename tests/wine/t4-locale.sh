#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Numbers in a process with another decimal point; it keeps its locale.
. tests/support.sh
. tests/wine/support.sh

"$cross" -std=gnu11 -D__USE_MINGW_ANSI_STDIO=1 -Iliballoc/include -Iliballoc \
	-o "$tmp/locale.exe" tests/wine/locale.c "$windows/lib/liballoc.a" \
	-static || fail 'locale.c'
status=0
wine "$tmp/locale.exe" >"$tmp/out" || status=$?
[ $status -ne 77 ] || skip 'no German locale'
equal "status of locale.exe: $(cat "$tmp/out")" $status 0
