#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A second build in another place, time zone and language, by a user with
# another umask, gives the same packages for Debian to the byte.
. tests/support.sh
. tests/pkg/support.sh
need_packages

umask 027
TZ=Asia/Shanghai LC_ALL=de_DE.UTF-8 BUILD_DIR=/elsewhere/again \
	sh scripts/release.sh "$builder" "$tmp/again" deb >"$tmp/log" 2>&1 ||
	fail "second build: $(tail -n 20 "$tmp/log")"
rm -rf "$builder/elsewhere"
for f in "$packages"/*.deb; do
	cmp "$f" "$tmp/again/${f##*/}" || fail "${f##*/} differs"
done
