#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Both commands of the README on a bare Debian 12: a chroot with apt-get and
# git, nothing else.  Package sources and their settings are this system's.
. tests/support.sh
. tests/system/bootstrap.sh

[ "$(id -u)" -eq 0 ] || skip 'a chroot needs root'
for c in mmdebstrap apt-get git; do
	command -v $c >/dev/null || skip "no $c"
done
git rev-parse -q --verify HEAD >/dev/null || skip 'not a git repository'

root=$tmp/root
bootstrap "$root" --variant=apt --include=git
echo 'bare system:'
find "$root/etc/apt" -name '*.list' -exec cat '{}' +
cp /etc/resolv.conf /etc/hosts "$root/etc/"
for c in gcc make pkg-config python3 sudo; do
	[ ! -e "$root/usr/bin/$c" ] || fail "the bare system has $c"
done

git bundle create -q "$root/tmp/liballoc.bundle" HEAD
# With what every system has mounted; that is gone with the name space.
inside() {	# inside COMMAND: run as a user would, in the clone
	unshare -m sh -c 'mount --rbind /proc "$1/proc" &&
		mount --rbind /dev/pts "$1/dev/pts" && exec chroot "$1" \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp \
		sh -c "cd /srv/liballoc && $2"' - "$root" "$1"
}
unshare -m true 2>/dev/null || skip 'no name spaces of mounts here'
chroot "$root" git clone -q -c advice.detachedHead=false /tmp/liballoc.bundle /srv/liballoc

# Neither root nor sudo: it says what to run, and changes nothing.
cp -r "$root/srv/liballoc" "$root/tmp/nobody"
chroot --userspec=65534:65534 "$root" sh /tmp/nobody/scripts/quickstart.sh \
	2>"$tmp/err" && fail 'installs without being root'
grep -q 'not root, and there is no sudo' "$tmp/err" || fail 'gives no reason'

inside 'sh scripts/quickstart.sh' >"$tmp/out" 2>&1 || {
	cat "$tmp/out"
	fail 'sh scripts/quickstart.sh'
}
cat "$tmp/out"
grep -q PYTORCH_CUDA_ALLOC_CONF "$tmp/out" || fail 'no line to paste'
inside 'sh scripts/quickstart.sh check' >"$tmp/out" 2>&1 || {
	cat "$tmp/out"
	fail 'sh scripts/quickstart.sh check'
}
tail -n 40 "$tmp/out"
grep -q '^[0-9]* passed, 0 failed, [0-9]* skipped$' "$tmp/out" ||
	fail 'make check did not end well'
inside 'sh scripts/quickstart.sh' 2>&1 | grep -q installing: &&
	fail 'a second run installs again'
exit 0
