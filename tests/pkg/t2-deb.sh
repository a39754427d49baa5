#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make deb: five packages; what they hold works once extracted.
. tests/support.sh
. tests/pkg/support.sh
for c in dpkg-buildpackage dh; do
	command -v $c >/dev/null || skip "no $c"
done

out=$tmp/out
${MAKE:-make} -s deb O="$out" || { cat "$out/deb/build.log"; fail 'make deb'; }
for p in liballoc0 liballoc-dev liballoc-torch allocctl cupti-probe; do
	set -- "$out"/deb/"${p}"_"${version}"_*.deb
	[ -e "$1" ] || fail "no package $p of version $version"
	mkdir -p "$tmp/$p"
	dpkg-deb -x "$1" "$tmp/$p"
	dpkg-deb -x "$1" "$tmp/root"
done
# Both depend on it.
for p in allocctl cupti-probe; do
	dpkg-deb -f "$out/deb/${p}"_*.deb Depends | grep -q liballoc-torch ||
		fail "$p does not depend on liballoc-torch"
	dpkg-deb -x "$out"/deb/liballoc-torch_*.deb "$tmp/$p"
done
libdir=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
equal 'libraries of liballoc0' "$(ls "$tmp/liballoc0$libdir")" liballoc.so.0
equal 'libraries of liballoc-dev' \
	"$(cd "$tmp/liballoc-dev$libdir" && echo *)" \
	'liballoc.a liballoc.so pkgconfig'
check_clients "$tmp/root" "$libdir"
check_command "$tmp/allocctl"
check_run "$tmp/allocctl" "$libdir"
dpkg-deb -f "$out"/deb/allocctl_*.deb Depends | grep -q 'libc6' ||
	fail 'allocctl depends on no libc6'
check_probe "$tmp/cupti-probe" "$libdir"
dpkg-deb -c "$out"/deb/cupti-probe_*.deb |
	grep -q '^drwxrwxrwt root/root .* \./var/lib/cupti-probe/$' ||
	fail 'cupti-probe has no folder for all'
mkdir "$tmp/control"
dpkg-deb -e "$out"/deb/cupti-probe_*.deb "$tmp/control"
grep -q 'rm -rf /var/lib/cupti-probe' "$tmp/control/postrm" ||
	fail 'purging leaves recordings'
