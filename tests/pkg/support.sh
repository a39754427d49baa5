# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the tests of installed files share; read after tests/support.sh.
version=$(sed -n 's/.*LA_VERSION "\(.*\)"/\1/p' \
	liballoc/include/liballoc/version.h)

# Compile and run clients in C and C++ against what is below $1, with the
# libraries in $2: shared, and static.
check_clients() {
	export PKG_CONFIG_SYSROOT_DIR="$1" PKG_CONFIG_LIBDIR="$1$2/pkgconfig"
	export PKG_CONFIG_PATH=
	equal 'version in liballoc.pc' "$(pkg-config --modversion liballoc)" \
		"$version"
	ls "$1"/usr/share/man/man3/liballoc.3* >/dev/null || fail 'no liballoc.3'
	cflags=$(pkg-config --cflags liballoc)
	cp tests/pkg/client.c "$tmp/client.cc"
	for header in "$1"/usr/include/liballoc/*.h; do
		echo "#include <liballoc/${header##*/}>"
	done >"$tmp/all.c"
	cp "$tmp/all.c" "$tmp/all.cc"
	# shellcheck disable=SC2086,SC2046 # lists of flags
	{
		${CC:-cc} -Wall -Werror $cflags -fsyntax-only "$tmp/all.c"
		${CXX:-c++} -Wall -Werror $cflags -fsyntax-only "$tmp/all.cc"
		${CC:-cc} -Wall -Werror $cflags -o "$tmp/shared" \
			tests/pkg/client.c $(pkg-config --libs liballoc)
		${CXX:-c++} -Wall -Werror $cflags -o "$tmp/cxx" \
			"$tmp/client.cc" $(pkg-config --libs liballoc)
		${CC:-cc} -Wall -Werror $cflags -o "$tmp/static" \
			tests/pkg/client.c $(pkg-config --static --libs \
			liballoc | sed 's/-lalloc/-l:liballoc.a/')
	}
	for c in shared cxx; do
		equal "client $c" "$(LD_LIBRARY_PATH=$1$2 "$tmp/$c")" \
			"$version 134217728"
		LD_LIBRARY_PATH=$1$2 ldd "$tmp/$c" |
			grep -q "$1$2/liballoc.so.0" || fail "$c: wrong library"
	done
	equal 'client static' "$("$tmp/static")" "$version 134217728"
}

# The command below $1 does its work, alone.
check_command() {
	equal 'allocctl --version' \
		"$("$1/usr/bin/allocctl" --version)" "allocctl $version"
	"$1/usr/bin/allocctl" check max_split_size_mb:128 >/dev/null ||
		fail 'allocctl check'
	for f in man/man1/allocctl.1 man/man1/allocctl-tune.1 \
		bash-completion/completions/allocctl \
		fish/vendor_completions.d/allocctl.fish \
		liballoc/powershell/allocctl.ps1; do
		[ -e "$1/usr/share/$f" ] || [ -e "$1/usr/share/$f.gz" ] ||
			fail "no $f"
	done
}

# The launcher below $1 finds its library, in $2, and its start-up of Python.
check_run() {
	# shellcheck disable=SC2016 # for the shell that is run
	equal 'liballoc-torch.so' "$(PYTHONPATH='' "$1/usr/bin/allocctl" run -- \
		sh -c 'echo $LIBALLOC_TORCH $PYTHONPATH' 2>/dev/null)" \
		"$1$2/liballoc-torch.so $1/usr/share/liballoc/python"
	[ -e "$1/usr/share/liballoc/python/liballoc_torch.py" ] ||
		fail 'no liballoc_torch.py'
}

# The probe below $1 finds its library, in $2, and its start-up of Python.
check_probe() {
	equal 'cupti-probe --version' \
		"$("$1/usr/bin/cupti-probe" --version)" "cupti-probe $version"
	equal 'libcupti-probe.so' "$(CUPTI_PROBE_DIR=$tmp/records \
		"$1/usr/bin/cupti-probe" run --front cupti -- \
		sh -c 'echo $CUDA_INJECTION64_PATH')" "$1$2/libcupti-probe.so"
	equal 'start-up of Python' "$(CUPTI_PROBE_DIR=$tmp/records PYTHONPATH='' \
		"$1/usr/bin/cupti-probe" run --snapshot --front cupti -- \
		sh -c 'echo $PYTHONPATH')" "$1/usr/share/liballoc/python"
	for f in man/man1/cupti-probe.1 man/man1/cupti-probe-run.1 \
		man/man7/cupti-probe.7 bash-completion/completions/cupti-probe \
		fish/vendor_completions.d/cupti-probe.fish \
		liballoc/powershell/cupti-probe.ps1; do
		[ -e "$1/usr/share/$f" ] || [ -e "$1/usr/share/$f.gz" ] ||
			fail "no $f"
	done
}

# The packages of this tree: built within Debian 11 by the first test that
# wants them, for all.  What was compiled stays in the chroot.
packages=$O/packages
# shellcheck disable=SC2034 # for the tests
builder=$O/debian11
need_packages() {
	[ "$(id -u)" -eq 0 ] || skip 'a chroot needs root'
	command -v mmdebstrap >/dev/null || skip 'no mmdebstrap'
	if [ -e "$packages/.made" ] && [ -z "$(find . -path ./build -prune -o \
		-path ./.git -prune -o -name __pycache__ -prune -o \
		-type f -newer "$packages/.made" \
		-print | head -n 1)" ]; then
		return
	fi
	rm -rf "$packages"
	touch "$tmp/made"
	${MAKE:-make} -s release O="$O" >"$tmp/log" 2>&1 || {
		cat "$tmp/log"
		fail 'make release'
	}
	mv "$tmp/made" "$packages/.made"
}

# A fresh system of Debian's release $1 in the folder $2, with what it needs
# to install packages from the network.
fresh_system() {
	base=$O/debian-$1
	if [ ! -e "$base/.ready" ]; then
		rm -rf "$base"
		sh scripts/debian-chroot.sh "$1" "$base" --variant=minbase \
			>"$tmp/log" 2>&1 || {
			cat "$tmp/log"
			skip "mmdebstrap of $1 failed: no network?"
		}
		cp /etc/resolv.conf /etc/hosts "$base/etc/"
		touch "$base/.ready"
	fi
	cp -a --reflink=auto "$base" "$2"
}

# Run a command in the system of folder $1; what it mounts is gone with it.
inside() {
	unshare --mount sh -eu -c 'mount -t proc proc "$1/proc"
		exec chroot "$@"' - "$@"
}

# Of lines "PERMISSIONS PATH" on standard input those that a list of files
# has, for package $1: without folders but those for all users, and without what Doxygen names.
list_files() {
	grep -v '^d[^ ]*[^t] ' | grep -v 'html/..*' |
		sed "s|$(dpkg-architecture -qDEB_HOST_MULTIARCH)|TRIPLET|
			s|-$version/|-VERSION/|; s/^/$1 /" | LC_ALL=C sort -k 3
}

same_files() {	# same_files LIST: that $tmp/files is it
	diff "$1" "$tmp/files" >"$tmp/diff" ||
		fail "not the files of $1: $(cat "$tmp/diff")"
}

old_enough() {	# old_enough WHAT GLIBC
	equal "$1 beside 2.28" "$(printf '%s\n' "$2" 2.28 | sort -V |
		tail -n 1)" 2.28
}

# No program or library below $1 needs a newer glibc.
check_glibc() {
	find "$1/usr/bin" "$1/usr/lib" -type f \( -path '*/bin/*' -o \
		-name '*.so*' \) >"$tmp/binaries"
	[ "$(wc -l <"$tmp/binaries")" -ge 5 ] || fail 'few programs'
	while read -r f; do
		old_enough "${f##*/}" "$(sh scripts/glibc-needed.sh "$f")"
	done <"$tmp/binaries"
}

# The main job in the system of folder $1.
check_tune() {
	inside "$1" allocctl tune \
		/usr/share/liballoc/examples/remedy-gnn.12.oom.pickle.xz \
		>"$tmp/tune" 2>&1 || fail "allocctl tune: $(cat "$tmp/tune")"
	grep -q '^winner: expandable_segments:True$' "$tmp/tune" ||
		fail "allocctl tune: $(cat "$tmp/tune")"
}

# All that is installed works there; $2 is where Python's modules are, if that
# Python does not know.
check_jobs() {
	check_tune "$1"
	equal 'allocctl --version' "$(inside "$1" allocctl --version)" \
		"allocctl $version"
	inside "$1" allocctl check max_split_size_mb:128 >"$tmp/out" ||
		fail "allocctl check: $(cat "$tmp/out")"
	grep -q 'see /etc/liballoc/policy.yaml' "$tmp/out" ||
		fail 'the policy of the site is not used'
	equal 'program under cupti-probe run' "$(inside "$1" cupti-probe run \
		-- sh -c 'echo worked' 2>&1)" worked
	# shellcheck disable=SC2016 # for the shell that is run
	inside "$1" allocctl run -- sh -c \
		'[ -e "$LIBALLOC_TORCH" ] && [ -e "$PYTHONPATH/sitecustomize.py" ]' \
		>"$tmp/out" 2>&1 || fail "allocctl run: $(cat "$tmp/out")"
	# Without torch it can only be found.
	equal 'module of Python' "$(PYTHONPATH=${2-} inside "$1" python3 -c '
import importlib.util
print(importlib.util.find_spec("liballoc_torch") is not None)')" True
}
