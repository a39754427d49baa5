#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Built for arm64 with all libraries, and run by qemu: unit tests of what a
# processor decides about, and both commands, which say what ours say.
. tests/support.sh
cross=aarch64-linux-gnu-
for c in ${cross}gcc qemu-aarch64-static mmdebstrap; do
	command -v $c >/dev/null || skip "no $c"
done
[ "$(id -u)" -eq 0 ] || skip 'a system of arm64 needs root'

# A system of arm64 to link with; nothing in it is run to make it.
system=$O/debian-arm64
packages=check,libc6-dev,libgcc-12-dev,libjansson-dev,liblzma-dev,libyaml-dev
if [ ! -e "$system/.ready" ]; then
	rm -rf "$system"
	sh scripts/debian-chroot.sh bookworm "$system" --variant=extract \
		--architectures=arm64 --include="$packages,libzstd-dev,zlib1g-dev" \
		>"$tmp/log" 2>&1 || {
		cat "$tmp/log"
		skip 'mmdebstrap of arm64 failed: no network?'
	}
	touch "$system/.ready"
fi
export PKG_CONFIG_SYSROOT_DIR="$system"
export PKG_CONFIG_LIBDIR="$system/usr/lib/aarch64-linux-gnu/pkgconfig"

out=$O/arm64
goals="$out/bin/test-allocator-threads $out/bin/test-heap $out/bin/test-pickle
	$out/bin/test-probe-elf $out/bin/test-probe-store $out/bin/test-setting"
# shellcheck disable=SC2086 # a list
${MAKE:-make} -s -j "$(nproc)" CROSS=$cross O="$out" \
	CC="${cross}gcc --sysroot=$system" HAVE_ZLIB=y HAVE_LZMA=y HAVE_ZSTD=y \
	HAVE_JANSSON=y HAVE_YAML=y HAVE_CHECK=y all $goals >"$tmp/log" 2>&1 ||
	fail "make for arm64: $(tail -n 20 "$tmp/log")"
for f in "$out"/bin/* "$out"/lib/*.so.0 "$out"/lib/*.so; do
	readelf -h "$f" | grep -q AArch64 || fail "$f is not for arm64"
done

arm64() {
	qemu-aarch64-static -L "$system" "$@"
}
for t in $goals; do
	arm64 "$t" >"$tmp/log" 2>&1 || fail "${t##*/}: $(tail -n 20 "$tmp/log")"
done

same() {	# same COMMAND ARGUMENTS...: output and status are ours
	command=$1 theirs=0 ours=0
	shift
	arm64 "$out/bin/$command" "$@" >"$tmp/theirs" 2>"$tmp/err" || theirs=$?
	"$O/bin/$command" "$@" >"$tmp/ours" 2>"$tmp/err" || ours=$?
	equal "status of $command $*" $theirs $ours
	diff "$tmp/ours" "$tmp/theirs" || fail "$command $*"
}
same allocctl --version
same allocctl check 'max_split_size_mb:12,backend:x'
same allocctl replay --verify tests/data/remedy-gnn.12.oom.pickle.xz
same allocctl tune tests/data/remedy-gnn.12.oom.pickle.xz
same allocctl triage --format json tests/data/oom_capacity.pickle.xz
xz -dc tests/data/probe/capacity_card.cupti.cpr.xz >"$tmp/recording.cpr"
same cupti-probe report "$tmp/recording.cpr"
