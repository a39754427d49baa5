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
