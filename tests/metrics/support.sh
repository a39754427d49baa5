# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Programs of Prometheus, without their services: unpacked from Debian's
# packages where they are not installed; after tests/support.sh.
for c in allocctl cupti-probe write-probe python3; do
	command -v $c >/dev/null || skip "no $c"
done

program() {	# program NAME PACKAGE: on PATH from here on
	! command -v "$1" >/dev/null || return 0
	if [ ! -x "$O/metrics/usr/bin/$1" ]; then
		command -v dpkg-deb >/dev/null || skip "no $1, and no dpkg"
		mkdir -p "$O/metrics"
		(cd "$tmp" && apt-get -q download "$2") >"$tmp/log" 2>&1 || {
			cat "$tmp/log"
			skip "no $1, and apt-get cannot download $2"
		}
		dpkg-deb -x "$tmp/$2"_*.deb "$O/metrics"
	fi
	PATH=$PATH:$O/metrics/usr/bin
}
