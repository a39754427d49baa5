#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests that the source package has for Debian's archive, in a chroot.
. tests/support.sh
. tests/pkg/support.sh
command -v autopkgtest >/dev/null || skip 'no autopkgtest'
need_packages

fresh_system bookworm "$tmp/root"
mkdir -p "$tmp/source/tests"
cp -r packaging/deb "$tmp/source/debian"
cp -r tests/pkg "$tmp/source/tests"
autopkgtest --no-built-binaries "$packages"/*.deb "$tmp/source/" \
	--setup-commands='apt-get update' -- chroot "$tmp/root" >"$tmp/log" 2>&1 ||
	fail "autopkgtest: $(tail -n 40 "$tmp/log")"
equal 'tests that passed' "$(sed '1,/summary$/d' "$tmp/log" | grep -c ' PASS$')" \
	"$(grep -c '^Tests:' packaging/deb/tests/control)"
