#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In fresh systems of Debian 11, 12 and 13: installed, at work, upgraded,
# removed and purged.  The former packages are this tree's as 0.0.9.
. tests/support.sh
. tests/pkg/support.sh
need_packages

# What was compiled for the packages is compiled anew only where it says the
# version.
former=$O/packages-0.0.9
make_former() {
	[ -z "$(find "$packages/.made" -newer "$former/.made" 2>&1)" ] && return
	rm -rf "$former"
	inside "$builder" sh -eu -c '
		cd "/build/build/release/deb/liballoc-$1"
		sed -i "s/$1/0.0.9/" liballoc/include/liballoc/version.h
		sed -i "1s/$1/0.0.9/" debian/changelog NEWS
		sed -i "/^LIBALLOC\|^liballoc\|^ /s/ $1\$/ 0.0.9/" \
			debian/liballoc0.symbols
		DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -b -us -uc
		rm -rf /former
		mkdir /former
		mv ../*_0.0.9_*.deb /former' \
		- "$version" >"$tmp/log" 2>&1 ||
		fail "version 0.0.9: $(tail -n 20 "$tmp/log")"
	cp -r "$builder/former" "$former"
	touch "$former/.made"
}

# Install files of packages: $1 is the folder of the system.
install_files() {
	system=$1
	shift
	rm -rf "$system/packages"
	mkdir "$system/packages"
	cp "$@" "$system/packages"
	inside "$system" sh -eu -c 'export DEBIAN_FRONTEND=noninteractive
		ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1 || apt-get update -q
		apt-get install -y -q --no-install-recommends \
			-o Dpkg::Options::=--force-confdef \
			/packages/*.deb' >"$tmp/log" 2>&1 ||
		fail "apt-get install: $(cat "$tmp/log")"
}

files_of() {	# files_of SYSTEM: all that packages could leave
	(cd "$1" && find etc usr var/lib var/cache -type f -o -type d | sort)
}

# From start to answer, on a system that has nothing.
first_answer() {
	start=$(date +%s)
	install_files "$1" "$packages"/allocctl_*.deb "$packages"/liballoc0_*.deb
	check_tune "$1"
	took=$(($(date +%s) - start))
	echo "$2: an answer after $took s"
	[ $took -le 60 ] || fail "$2: $took s from start to answer"
}

check_upgrade() {	# check_upgrade SYSTEM
	install_files "$1" "$former"/*.deb
	equal 'former version' "$(inside "$1" allocctl --version)" \
		'allocctl 0.0.9'
	echo '# ours' >>"$1/etc/liballoc/policy.yaml"
	cp "$1/etc/liballoc/policy.yaml" "$tmp/policy"
	install_files "$1" "$packages"/*.deb
	cmp "$1/etc/liballoc/policy.yaml" "$tmp/policy" ||
		fail 'an upgrade changed the policy of the site'
	check_jobs "$1"
}

check_removal() {	# check_removal SYSTEM BEFORE
	names='allocctl cupti-probe liballoc-dev liballoc-doc
		python3-liballoc-torch liballoc0'
	echo recorded >"$1/var/lib/cupti-probe/host.1.cpr"
	# shellcheck disable=SC2086 # a list
	inside "$1" dpkg --remove $names >"$tmp/log" 2>&1 ||
		fail "dpkg --remove: $(cat "$tmp/log")"
	cmp "$1/etc/liballoc/policy.yaml" "$tmp/policy" ||
		fail 'removal changed the policy of the site'
	[ -e "$1/var/lib/cupti-probe/host.1.cpr" ] ||
		fail 'removal took the recordings'
	# shellcheck disable=SC2086
	inside "$1" dpkg --purge $names >"$tmp/log" 2>&1 ||
		fail "dpkg --purge: $(cat "$tmp/log")"
	# From Debian 13 on it is what others have as /usr/lib/systemd/system.
	grep -v "'/lib/systemd/system'" "$tmp/log" | grep 'not empty' &&
		fail 'purging leaves files'
	files_of "$1" | diff "$2" - | sed -n 's/^> //p' |
		grep -e liballoc -e allocctl -e cupti >"$tmp/left" &&
		fail "left behind: $(cat "$tmp/left")"
	return 0
}

make_former
for suite in bullseye bookworm trixie; do
	system=$tmp/$suite
	fresh_system $suite "$system"
	files_of "$system" >"$tmp/before"
	first_answer "$system" $suite
	inside "$system" dpkg --purge allocctl liballoc0 >"$tmp/log" 2>&1
	check_upgrade "$system"
	check_removal "$system" "$tmp/before"
	rm -rf "$system"
done

# Clients, with the compilers of the system that the packages are built in.
system=$tmp/builder
mkdir "$system"
tar -cf - -C "$builder" --exclude=./build --exclude=./former . | tar -xf - -C "$system"
cp /etc/resolv.conf "$system/etc/"
install_files "$system" "$packages"/liballoc0_*.deb "$packages"/liballoc-dev_*.deb
cp tests/pkg/client.c "$system/packages"
for compiler in cc 'c++ -x c++'; do
	equal "client of $compiler" "$(inside "$system" sh -euc "cd /packages
		$compiler -Wall -Werror -o client client.c \
			\$(pkg-config --cflags --libs liballoc)
		./client")" "$version 134217728"
done
