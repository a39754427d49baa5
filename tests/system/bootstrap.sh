# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# A Debian 12 in a folder; after tests/support.sh.

bootstrap() {	# bootstrap FOLDER MMDEBSTRAP-OPTIONS
	sh scripts/debian-chroot.sh bookworm "$@" >"$tmp/log" 2>&1 || {
		cat "$tmp/log"
		skip 'mmdebstrap failed: no network?'
	}
}
