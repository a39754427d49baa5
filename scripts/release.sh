#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# release.sh CHROOT OUT [GOAL...]: make deb, rpm and wheel (or other goals)
# within Debian 11, whose C library is old enough for every cluster, and put
# them into the folder OUT.  CHROOT is made where it is not there; what was
# compiled in it stays for the next time.  Needs root and mmdebstrap.
# BUILD_DIR=dir names the folder within it, default /build.
set -eu
root=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- deb rpm wheel
work=${BUILD_DIR:-/build}
most=2.28	# RHEL 8
# dpkg-buildpackage complains of what is missing.
packages=build-essential,debhelper,dh-python,doxygen,libjansson-dev,liblzma-dev
packages=$packages,libyaml-dev,libzstd-dev,pkg-config,python3,rpm,zlib1g-dev

cd "$(dirname "$0")/.."
if [ ! -e "$root/.ready" ]; then
	rm -rf "$root"
	mkdir -p "$(dirname "$root")"
	sh scripts/debian-chroot.sh bullseye "$root" --variant=minbase \
		--include="$packages"
	touch "$root/.ready"
fi

# Compiled files stay, others only as long as they are sources.
mkdir -p "$root$work" "$out"
find "$root$work" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf '{}' +
tar -cf - --exclude=./.git --exclude=./build . | tar -xf - -C "$root$work"
# What is mounted is gone with the name space.
unshare --mount sh -eu -c 'mount -t proc proc "$1/proc"
	root=$1 work=$2
	shift 2
	exec chroot "$root" make -s -C "$work" O=build/release "$@"' - \
	"$root" "$work" "$@"

for f in "$root$work"/build/release/deb/*.deb \
	"$root$work"/build/release/rpm/RPMS/*/*.rpm \
	"$root$work"/build/release/wheel/*.whl; do
	case $f in
	*-dbgsym_* | *'*'*) ;;
	*) cp -p "$f" "$out" ;;
	esac
done
needed=$(find "$root$work"/build/release/*/liballoc-*/debian/*/usr \
	-type f \( -name '*.so*' -o -path '*/bin/*' \) \
	-exec sh scripts/glibc-needed.sh '{}' +)
[ "$(printf '%s\n' "$needed" $most | sort -V | tail -n 1)" = $most ] || {
	echo "release.sh: glibc $needed is needed, not $most or less" >&2
	exit 1
}
