#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make rpm: five packages; what they hold works once extracted.
. tests/support.sh
. tests/pkg/support.sh
for c in rpmbuild rpm2cpio cpio; do
	command -v $c >/dev/null || skip "no $c"
done

equal 'version in liballoc.spec' \
	"$(sed -n 's/^Version: //p' packaging/rpm/liballoc.spec)" "$version"
out=$tmp/out
${MAKE:-make} -s rpm O="$out" || { cat "$out/rpm/build.log"; fail 'make rpm'; }
for p in liballoc liballoc-devel liballoc-torch allocctl cupti-probe; do
	set -- "$out"/rpm/RPMS/*/"$p-$version"-*.rpm
	[ -e "$1" ] || fail "no package $p of version $version"
	mkdir -p "$tmp/$p" "$tmp/root"
	rpm2cpio "$1" >"$tmp/cpio"
	(cd "$tmp/$p" && cpio -id --quiet <"$tmp/cpio")
	(cd "$tmp/root" && cpio -id --quiet <"$tmp/cpio")
done
# Both depend on it.
for p in allocctl cupti-probe; do
	rpm -qp --requires "$out/rpm/RPMS"/*/"$p"-*.rpm |
		grep -q -x liballoc-torch ||
		fail "$p does not depend on liballoc-torch"
	cp -r "$tmp/liballoc-torch/." "$tmp/$p"
done
libdir=$(rpm --eval '%{_libdir}')
equal 'libraries of liballoc' "$(ls "$tmp/liballoc$libdir")" liballoc.so.0
check_clients "$tmp/root" "$libdir"
check_command "$tmp/allocctl"
check_run "$tmp/allocctl" "$libdir"
check_probe "$tmp/cupti-probe" "$libdir"
rpm -qp --qf '[%{FILENAMES} %{FILEMODES:octal}\n]' \
	"$out"/rpm/RPMS/*/cupti-probe-*.rpm |
	grep -q -x '/var/lib/cupti-probe 0*41777' ||
	fail 'cupti-probe has no folder for all'
