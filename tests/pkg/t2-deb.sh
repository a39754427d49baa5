#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages for Debian: they hold what the lists say, work once extracted,
# need no C library newer than RHEL 8's, and lintian has nothing to say.
. tests/support.sh
. tests/pkg/support.sh
need_packages

for p in liballoc0 liballoc-dev allocctl cupti-probe liballoc-doc \
	python3-liballoc-torch; do
	set -- "$packages/${p}_${version}"_*.deb
	[ -e "$1" ] || fail "no package $p of version $version"
	mkdir -p "$tmp/$p"
	dpkg-deb -x "$1" "$tmp/$p"
	dpkg-deb -x "$1" "$tmp/root"
	dpkg-deb -c "$1" | sed -n 's/^\([^ ]*\) [^ ]* .* \.\(\/.*\)/\1 \2/p' |
		list_files "$p"
done >"$tmp/files"
same_files tests/pkg/files-deb.txt
libdir=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
check_clients "$tmp/root" "$libdir"
check_command "$tmp/root"
check_run "$tmp/root" "$libdir"
check_probe "$tmp/root" "$libdir"
check_glibc "$tmp/root"

# What the driver and CUDA give is looked for by programs, not by dpkg.
for f in "$packages"/*.deb; do
	dpkg-deb -f "$f" Depends Recommends | grep -i -e cuda -e libcupti -e nvidia &&
		fail "$f depends on it"
done
for p in liballoc0 cupti-probe; do
	dpkg-deb -f "$packages/${p}"_*.deb Suggests | grep -q libcuda1 ||
		fail "$p does not suggest the driver"
done

command -v lintian >/dev/null || skip 'no lintian'
lintian -I --pedantic --fail-on error,warning --allow-root \
	"$packages"/*.deb >"$tmp/out" 2>&1 || fail "lintian: $(cat "$tmp/out")"
equal lintian "$(cat "$tmp/out")" ''
