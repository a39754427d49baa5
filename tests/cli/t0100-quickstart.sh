#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# quickstart.sh installs only what is missing, with the right calls: apt-get
# and dnf are stand-ins here that record their arguments.
. tests/support.sh

# A system: its own folder of commands, and a copy of the script whose make
# and allocctl do nothing.  $tmp/installed lists the packages it has.
new_system() {	# new_system NAME UID COMMAND...
	bin=$tmp/$1/bin
	uid=$2
	shift 2
	rm -rf "$tmp/tree" "$bin"
	mkdir -p "$bin" "$tmp/tree/scripts" "$tmp/tree/build/release/bin"
	cp scripts/quickstart.sh "$tmp/tree/scripts"
	for c in sh env mktemp rm tail dirname cat grep; do
		ln -s "$(command -v $c)" "$bin/$c"
	done
	: >"$tmp/calls"
	: >"$tmp/installed"
	stand_in id "echo $uid"
	stand_in make 'echo "make $*" >>"$calls"'
	stand_in nproc 'echo 3'
	for c in "$@"; do
		stand_in "$c" "echo \"$c \$*\" >>\"\$calls\""
	done
	printf '#!/bin/sh\necho "allocctl $*" >>"%s"\n' "$tmp/calls" \
		>"$tmp/tree/build/release/bin/allocctl"
	chmod +x "$tmp/tree/build/release/bin/allocctl"
}

stand_in() {	# stand_in NAME BODY
	printf '#!/bin/sh\ncalls="%s" installed="%s"\n%s\n' "$tmp/calls" \
		"$tmp/installed" "$2" >"$bin/$1"
	chmod +x "$bin/$1"
}

run() {
	status=0
	(cd "$tmp/tree" && PATH="$bin" sh scripts/quickstart.sh "$@") \
		>"$tmp/out" 2>"$tmp/err" || status=$?
}

calls() {
	equal "$1" "$(cat "$tmp/calls")" "$2"
}

rpm_query='for p; do :; done; grep -qx "$p" "$installed"'
dpkg_query='for p; do :; done
grep -qx "$p" "$installed" && printf "installed " || printf "not-installed "'
tune='make -j 3
allocctl tune tests/data/remedy-gnn.12.oom.pickle.xz'

new_system dnf 0 dnf
stand_in rpm "$rpm_query"
run
equal 'dnf status' $status 0
calls 'dnf, nothing there' "dnf install -y -q \
--setopt=install_weak_deps=False gcc make pkgconf-pkg-config glibc-devel \
zlib-devel xz-devel libzstd-devel jansson-devel libyaml-devel
$tune"

new_system dnf 0 dnf
stand_in rpm "$rpm_query"
printf '%s\n' gcc make pkgconf-pkg-config glibc-devel zlib-devel xz-devel \
	libzstd-devel jansson-devel libyaml-devel python3 xz >"$tmp/installed"
run check
calls 'dnf, some there' 'dnf install -y -q --setopt=install_weak_deps=False check-devel gcc-c++
make -j 3 check'

new_system apt 0 apt-get
stand_in dpkg-query "$dpkg_query"
printf '%s\n' gcc make libc6-dev >"$tmp/installed"
run
calls 'apt, some there' "apt-get update -q
apt-get install -y -q --no-install-recommends pkg-config zlib1g-dev \
liblzma-dev libzstd-dev libjansson-dev libyaml-dev
$tune"

new_system apt 0 apt-get
stand_in dpkg-query 'printf "installed "'
run
calls 'apt, all there' "$tune"

new_system sudo 1000 apt-get
stand_in dpkg-query "$dpkg_query"
stand_in sudo 'echo "sudo $1" >>"$calls"; exec "$@"'
run check
equal 'sudo calls' "$(grep -c '^sudo' "$tmp/calls")" 2

new_system nobody 1000 apt-get
stand_in dpkg-query "$dpkg_query"
run
equal 'neither root nor sudo' $status 1
grep -q 'not root, and there is no sudo' "$tmp/err" || fail 'no reason given'
calls 'neither root nor sudo' ''

new_system offline 0
stand_in dpkg-query "$dpkg_query"
stand_in apt-get 'echo "Temporary failure resolving"; exit 100'
run
equal 'no network' $status 1
grep -q 'Temporary failure resolving' "$tmp/err" || fail 'log is not shown'
grep -q 'is there a network' "$tmp/err" || fail 'no reason given'

new_system unknown 0
run
equal 'unknown system' $status 1
grep -q 'neither apt-get nor dnf' "$tmp/err" || fail 'no reason given'

new_system usage 0 apt-get
run frobnicate
equal 'usage' $status 2
