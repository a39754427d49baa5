#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Probes: what is absent is left out and named once, or an error where it is
# demanded; a build with nothing to do does nothing.  The compiler is a
# stand-in that cannot see zlib.
. tests/support.sh
out=$tmp/out
real=$(command -v "${CC:-cc}")
cat >"$tmp/cc" <<END
#!/bin/sh
for a; do
	case \$a in
	*probe.c) grep -q zlib.h "\$a" && exit 1 ;;
	esac
done
exec $real "\$@"
END
chmod +x "$tmp/cc"

build() {
	status=0
	${MAKE:-make} CC="$tmp/cc" O="$out" SANITIZE= "$@" \
		"$out/liballoc/util/error.o" >"$tmp/log" 2>&1 || status=$?
}

build V=1
equal 'build without zlib' $status 0
equal 'lines about zlib' "$(grep -c '  without ZLIB: no .gz' "$tmp/log")" 1
grep -q -e '-DHAVE_ZLIB' "$tmp/log" && fail 'HAVE_ZLIB is defined'

build
grep -q -e without -e '  CC' "$tmp/log" && fail "not idle: $(cat "$tmp/log")"

build HAVE_ZLIB=y
[ $status -ne 0 ] || fail 'HAVE_ZLIB=y was taken without zlib'
grep -q 'HAVE_ZLIB=y, but it is not there' "$tmp/log" ||
	fail "HAVE_ZLIB=y: $(cat "$tmp/log")"
equal 'lines about HAVE_ZLIB=y' "$(wc -l <"$tmp/log")" 1

build V=1 HAVE_LZMA=n HAVE_ZSTD=n
equal 'HAVE_LZMA=n' $status 0
grep -q -e '-DHAVE_LZMA' -e '-DHAVE_ZSTD' "$tmp/log" &&
	fail 'HAVE_LZMA=n is not obeyed'

# What is installed is what was built: nothing is compiled with other flags.
build CFLAGS=-DOURS HAVE_LZMA=n
env -u CC ${MAKE:-make} O="$out" SANITIZE= DESTDIR="$tmp/root" install-systemd \
	"$out/liballoc/util/error.o" >"$tmp/log" 2>&1 || status=$?
equal 'make install' $status 0
grep '  CC' "$tmp/log" && fail 'make install forgets how it was built'

build BUILD=fast
[ $status -ne 0 ] || fail 'BUILD=fast was taken'
exit 0
