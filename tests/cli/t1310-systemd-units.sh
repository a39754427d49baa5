#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Units and tmpfiles.d, as they are installed, through systemd's own checkers.
. tests/support.sh
command -v systemd-analyze >/dev/null || skip 'no systemd-analyze'
command -v cupti-probe >/dev/null || skip 'no cupti-probe'

root=$tmp/root
${MAKE:-make} -s CC="${CC:-cc}" O="$O" SANITIZE="${SANITIZE-}" \
	prefix="$root/usr" install-systemd
mkdir "$root/usr/bin"
for program in allocctl cupti-probe; do
	ln -s "$(command -v $program)" "$root/usr/bin/$program"
done
# Without its manuals, which are not on this system.
systemd-analyze verify --man=no --recursive-errors=no \
	"$root"/usr/lib/systemd/system/* >"$tmp/out" 2>&1 ||
	fail "systemd-analyze verify: $(cat "$tmp/out")"
! grep "$root" "$tmp/out" || fail 'systemd-analyze has a remark'
for page in $(sed -n 's/^Documentation=man:\(.*\)(\(.*\))/\1.\2/p' \
	"$root"/usr/lib/systemd/system/*); do
	[ -e "docs/man/$page" ] || fail "no docs/man/$page"
done
[ "$(id -u)" = 0 ] || exit 0
command -v systemd-tmpfiles >/dev/null || exit 0
mkdir "$tmp/system" "$tmp/system/etc"
echo 'root:x:0:0::/:/bin/sh' >"$tmp/system/etc/passwd"
echo 'root:x:0:' >"$tmp/system/etc/group"
systemd-tmpfiles --create --root="$tmp/system" \
	"$root/usr/lib/tmpfiles.d/cupti-probe.conf" || fail systemd-tmpfiles
equal 'folder' "$(stat -c '%a %u' "$tmp/system/var/lib/cupti-probe")" '1777 0'
