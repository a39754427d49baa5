#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages for RPM: they hold what the lists say, dnf installs them from a
# repository, they work, and go without a trace.  What distributions would
# provide to them is a package of ours here; the files are Debian 12's.
. tests/support.sh
. tests/pkg/support.sh
for c in rpm createrepo_c dnf rpmbuild; do
	command -v $c >/dev/null || skip "no $c"
done
need_packages

names='allocctl cupti-probe liballoc liballoc-devel liballoc-doc
python3-liballoc-torch'
for p in $names; do
	set -- "$packages/$p-$version"-*.rpm
	[ -e "$1" ] || fail "no package $p of version $version"
	rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$1" |
		list_files "$p"
done >"$tmp/files"
same_files tests/pkg/files-rpm.txt

# Of what others provide only that it can be provided is tested.
rpm -qp --requires "$packages"/*.rpm | grep -v -e '^rpmlib(' -e ' = ' \
	-e '^liballoc >=' | sort -u >"$tmp/needed"
grep -i -e cuda -e libcupti -e nvidia "$tmp/needed" && fail 'requires CUDA'
grep -o 'GLIBC_[0-9.]*' "$tmp/needed" | sed s/GLIBC_// >"$tmp/glibc"
old_enough 'glibc of the packages' "$(sort -V "$tmp/glibc" | tail -n 1)"
{
	printf '%s: %s\n' Name distribution Version 1 Release 1 \
		Summary 'What a distribution provides' License Apache-2.0 \
		BuildArch noarch
	sed 's/^/Provides: /' "$tmp/needed"
	printf '%%description\nNothing.\n%%files\n'
} >"$tmp/distribution.spec"
rpmbuild -bb --define "_topdir $tmp/rpm" "$tmp/distribution.spec" \
	>"$tmp/log" 2>&1 || fail "rpmbuild: $(cat "$tmp/log")"
mkdir "$tmp/repository"
cp "$packages"/*.rpm "$tmp"/rpm/RPMS/*/*.rpm "$tmp/repository"
createrepo_c -q "$tmp/repository"

fresh_system bookworm "$tmp/root"
inside "$tmp/root" sh -c 'apt-get update -q && apt-get install -y -q \
	--no-install-recommends libjansson4 libyaml-0-2 python3-minimal' \
	>"$tmp/log" 2>&1 || fail "libraries: $(cat "$tmp/log")"
find "$tmp/root/usr" "$tmp/root/etc" "$tmp/root/var/lib" ! -type d | sort >"$tmp/before"
run_dnf() {
	dnf -y -q --installroot="$tmp/root" --releasever=8 --disablerepo='*' \
		--repofrompath="local,file://$tmp/repository" \
		--enablerepo=local --nogpgcheck \
		--setopt=reposdir="$tmp/none" --setopt=cachedir="$tmp/cache" \
		"$@" >"$tmp/log" 2>&1 || fail "dnf $*: $(cat "$tmp/log")"
}
# shellcheck disable=SC2086 # a list
run_dnf install $names
# shellcheck disable=SC2086
rpm --root "$tmp/root" -V $names || fail 'rpm -V'
check_jobs "$tmp/root" /usr/lib/python3.9/site-packages
libdir=$(rpm --eval '%{_libdir}')
check_clients "$tmp/root" "$libdir"
# shellcheck disable=SC2016 # for the shell that is run
equal 'library of allocctl run' "$(inside "$tmp/root" allocctl run -- \
	sh -c 'echo $LIBALLOC_TORCH' 2>/dev/null)" "$libdir/liballoc-torch.so"

# A change of the site's policy outlives its package.
echo '# ours' >>"$tmp/root/etc/liballoc/policy.yaml"
# shellcheck disable=SC2086
run_dnf remove $names distribution
[ -e "$tmp/root/etc/liballoc/policy.yaml.rpmsave" ] ||
	fail 'a changed policy is gone'
rm -r "$tmp/root/etc/liballoc"
find "$tmp/root/usr" "$tmp/root/etc" "$tmp/root/var/lib" ! -type d | sort |
	diff "$tmp/before" - | grep '^>' | grep -v -e /var/lib/rpm \
	-e /var/lib/dnf -e /var/lib/cupti-probe >"$tmp/left" &&
	fail "left behind: $(cat "$tmp/left")"

command -v rpmlint >/dev/null || skip 'no rpmlint'
rpmlint -c tests/pkg/rpmlint.toml "$packages"/*.rpm \
	packaging/rpm/liballoc.spec >"$tmp/out" 2>&1 ||
	fail "rpmlint: $(cat "$tmp/out")"
grep -q ' 0 errors, 0 warnings,' "$tmp/out" ||
	fail "rpmlint: $(cat "$tmp/out")"
