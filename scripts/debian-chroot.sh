#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# debian-chroot.sh SUITE FOLDER [MMDEBSTRAP-OPTION...]: make FOLDER a Debian
# system of that release, from the archive that this system of Debian 12 uses
# and by its settings.  Exit status 77: there is no such archive.
set -eu
suite=$1 folder=$2
shift 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sh "$(dirname "$0")/debian-sources.sh" >"$tmp/all" || {
	echo "no package source for Debian $suite here" >&2
	exit 77
}
case $suite in
bookworm) mv "$tmp/all" "$tmp/sources.list" ;;
*) sed -n "s/ bookworm / $suite /p" "$tmp/all" >"$tmp/sources.list" ;;
esac
apt-config dump >"$tmp/config"
for line in Check-Valid-Until Check-Date http::Proxy https::Proxy; do
	value=$(sed -n "s/^\(Acquire::$line\) \(.*\);/\1 \2/p" "$tmp/config")
	[ -z "$value" ] || set -- --aptopt="$value" "$@"
done
mmdebstrap --quiet "$@" "$suite" "$folder" "$tmp/sources.list" || {
	rm -rf "$folder"
	exit 1
}
