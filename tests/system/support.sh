# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# One Debian 12 that is booted for each test; after tests/support.sh.  What a
# test changes in it is gone afterwards.
[ "$(id -u)" -eq 0 ] || skip 'booting a system needs root'
for c in mmdebstrap systemd-nspawn setpriv apt-get python3 read-script; do
	command -v $c >/dev/null || skip "no $c"
done
. tests/system/bootstrap.sh
root=$O/system/root
packages=systemd-sysv,dbus,libpam-systemd,openssh-server,openssh-client,cron
packages=$packages,sudo,tmux,lmod,tcl,slurm-wlm,munge,procps,zlib1g,liblzma5
packages=$packages,systemd-coredump,iproute2,libzstd1,libjansson4,libyaml-0-2

# The two programs that load modules exclude each other as packages.
make_root() {
	rm -rf --one-file-system "$root" "$O/system/packages"
	mkdir -p "$O/system"
	bootstrap "$root" --variant=minbase --aptopt='APT::Install-Recommends "0"' \
		--include="$packages" \
		--customize-hook='chroot "$1" sh -c "cd /tmp &&
			apt-get download -q environment-modules &&
			dpkg -x environment-modules*.deb /opt/modules"'
	cat >"$root/etc/systemd/system/test.service" <<-'END'
	[Unit]
	After=multi-user.target
	[Service]
	Type=oneshot
	ExecStart=/bin/sh /test/run
	StandardOutput=file:/test/log
	StandardError=inherit
	ExecStopPost=/bin/systemctl --no-block poweroff
	END
	mkdir -p "$root/etc/systemd/system/graphical.target.wants"
	ln -s ../test.service \
		"$root/etc/systemd/system/graphical.target.wants/test.service"
	echo node >"$root/etc/hostname"
	echo '127.0.0.1 localhost node' >"$root/etc/hosts"
	chroot "$root" useradd -m -s /bin/bash u
	chroot "$root" systemctl -q disable slurmctld slurmd munge
	echo "$packages" >"$O/system/packages"
}

[ "$(cat "$O/system/packages" 2>/dev/null)" = "$packages" ] || make_root
test=$tmp/test
mkdir -p "$test/out" "$test/in"
chmod 755 "$tmp" "$test"
chmod 777 "$test/out"

# A program that keeps the block that it was started with, and what is said of
# it while it lives.
cat >"$test/see" <<'END'
#!/bin/sh
cat /proc/$$/environ >"/test/out/$1"
/test/allocctl env --pid $$ --show-origin --format json >"/test/out/$1.json" \
	2>"/test/out/$1.err"
: >"/test/out/$1.done"
END
cat >"$test/wait" <<'END'
#!/bin/sh
# wait NAME...: for programs that others start, at most 20 s
tries=0
for name in "$@"; do
	until [ -e "/test/out/$name.done" ] || [ $tries -gt 100 ]; do
		sleep 0.2
		tries=$((tries + 1))
	done
done
END
chmod 755 "$test/see" "$test/wait"
cp "$(command -v allocctl)" "$test/allocctl"

# The container ends with its test, however that ends: with the first process
# of a namespace go all others.
nspawn=
stop() {
	trap - EXIT
	[ -z "$nspawn" ] || kill -s KILL "$nspawn" 2>/dev/null || :
	wait
	rm -rf "$tmp"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

boot() {	# boot <COMMANDS: run them by root in the booted system
	cat >"$test/run"
	TMPDIR=$tmp setpriv --pdeathsig KILL timeout -s KILL 200 \
		setpriv --pdeathsig KILL unshare --pid --fork --mount-proc \
		--kill-child systemd-nspawn -q -b -D "$root" \
		--volatile=overlay --private-network --hostname=node \
		--register=no --keep-unit --bind="$test:/test" \
		--console=pipe </dev/null >"$tmp/boot.log" 2>&1 &
	nspawn=$!
	status=0
	wait $nspawn || status=$?
	nspawn=
	cat "$tmp/boot.log"
	[ -e "$test/log" ] || skip 'systemd-nspawn does not boot here'
	cat "$test/log"
	[ $status -eq 0 ] || fail "booted, with status $status"
}

V=PYTORCH_CUDA_ALLOC_CONF

sees() {	# sees NAME [VALUE]: that program got it, or had no such variable
	[ -e "$test/out/$1" ] || fail "$1 was not started: $(cat "$test/log")"
	if [ $# -eq 2 ]; then
		got=$(tr '\0' '\n' <"$test/out/$1" | sed -n "s/^$V=//p")
		equal "$1" "$got" "$2"
	else
		! tr '\0' '\n' <"$test/out/$1" | grep "^$V=" ||
			fail "$1 has $V"
	fi
	python3 tests/system/compare.py live "$test/out/$1" ||
		fail "$1: allocctl env --pid"
}

comes() {	# comes NAME FILE:LINE: allocctl env --show-origin found it
	python3 tests/system/compare.py origin "$test/out/$1" "$V" "$2" ||
		wrong=$((wrong + 1))
}

# What the analyser makes of the text that a launcher was given.
reads() {	# reads NAME KIND <TEXT: nothing else than the program saw
	cat >"$tmp/text"
	read-script "$2" "$V" <"$tmp/text" >"$tmp/read" || fail "read-script $2"
	printf '%s: ' "$1"
	python3 tests/system/compare.py read "$test/out/$1" "$V" <"$tmp/read" && return
	cat "$tmp/text" "$tmp/read"
	wrong=$((wrong + 1))
}

# Go on behind what is read wrong, to see all of it.
wrong=0
finish() {
	[ $wrong -eq 0 ] || fail "$wrong texts are read wrong"
}
