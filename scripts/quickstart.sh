#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# quickstart.sh: install what the build lacks, build, and find a setting for
# a recording that ships with the sources.
# quickstart.sh check: install what the tests need too, and run make check.
set -eu
recording=tests/data/remedy-gnn.12.oom.pickle.xz

say() {
	echo "quickstart: $*" >&2
}

die() {
	say "$@"
	exit 1
}

# Lists of packages: what the build needs, then what the tests need.
packages() {	# packages SYSTEM GOAL
	case $1 in
	apt)
		echo gcc make pkg-config libc6-dev zlib1g-dev liblzma-dev \
			libzstd-dev libjansson-dev libyaml-dev
		[ "$2" != check ] || echo check g++ python3 xz-utils ;;
	dnf)
		echo gcc make pkgconf-pkg-config glibc-devel zlib-devel \
			xz-devel libzstd-devel jansson-devel libyaml-devel
		[ "$2" != check ] || echo check-devel gcc-c++ python3 xz ;;
	esac
}

is_installed() {	# is_installed SYSTEM PACKAGE
	case $1 in
	apt)
		state=$(dpkg-query -W -f '${db:Status-Status} ' "$2" \
			2>/dev/null) || return 1
		case " $state" in *' installed '*) ;; *) return 1 ;; esac ;;
	dnf)
		rpm -q --whatprovides "$2" >/dev/null 2>&1 ;;
	esac
}

find_system() {
	for system in apt dnf; do
		case $system in
		apt) tool=apt-get ;;
		dnf) tool=dnf ;;
		esac
		command -v "$tool" >/dev/null 2>&1 && return
	done
	die 'neither apt-get nor dnf is here; install by hand a C compiler,' \
		'make, and the headers of zlib, liblzma, libzstd, jansson and' \
		'libyaml, then run make'
}

find_root() {	# find_root PACKAGE...: how to become root, for the packages
	if [ "$(id -u)" -eq 0 ]; then
		root=
	elif command -v sudo >/dev/null 2>&1; then
		root=sudo
	else
		die 'not root, and there is no sudo; as root, run:' \
			"$tool install -y $*"
	fi
}

install_missing() {	# install_missing GOAL
	missing=
	for package in $(packages $system "$1"); do
		is_installed $system "$package" || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	# shellcheck disable=SC2086 # a list
	find_root $missing
	say "installing:$missing"
	case $system in
	apt)
		$root apt-get update -q >"$log" 2>&1 || failed 'apt-get update'
		# shellcheck disable=SC2086
		$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
			--no-install-recommends $missing >"$log" 2>&1 ||
			failed 'apt-get install' ;;
	dnf)
		# shellcheck disable=SC2086
		$root dnf install -y -q --setopt=install_weak_deps=False \
			$missing >"$log" 2>&1 || failed 'dnf install' ;;
	esac
}

failed() {	# failed COMMAND
	tail -n 15 "$log" >&2
	die "$1 failed; is there a network, and are the package sources right?"
}

# Status 1 is an answer too: nothing fits.
run_main_job() {
	say "allocctl tune $recording"
	status=0
	build/release/bin/allocctl tune "$recording" || status=$?
	[ $status -le 1 ] || exit $status
	say 'the program is build/release/bin/allocctl; try it on your own' \
		'snapshot (README.md says how to take one)'
}

goal=${1:-tune}
case $goal in
tune | check) ;;
*)
	echo 'usage: sh scripts/quickstart.sh [check]' >&2
	exit 2 ;;
esac
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
find_system
install_missing "$goal"
jobs=$(nproc 2>/dev/null || echo 1)
if [ "$goal" = check ]; then
	make -j "$jobs" check
else
	make -j "$jobs"
	run_main_job
fi
