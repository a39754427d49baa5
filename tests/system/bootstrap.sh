# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# A Debian 12 in a folder; after tests/support.sh.  Package sources and their
# settings are this system's.
suite=bookworm

bootstrap() {	# bootstrap FOLDER MMDEBSTRAP-OPTIONS
	folder=$1
	shift
	sh scripts/debian-sources.sh >"$tmp/sources.list" ||
		skip "no package source for Debian $suite here"
	apt-config dump >"$tmp/config"
	for line in Check-Valid-Until Check-Date http::Proxy https::Proxy; do
		value=$(sed -n "s/^\(Acquire::$line\) \(.*\);/\1 \2/p" \
			"$tmp/config")
		[ -z "$value" ] || set -- --aptopt="$value" "$@"
	done
	mmdebstrap --quiet "$@" $suite "$folder" "$tmp/sources.list" \
		2>"$tmp/log" || {
		cat "$tmp/log"
		rm -rf "$folder"
		skip 'mmdebstrap failed: no network?'
	}
}
