#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command for macOS on arm64, compiled with zig's clang and headers.  It is
# looked at, not run: there is no such machine here.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
zig=$O/zig
version=0.17.1

if [ ! -e "$zig/.installed" ]; then
	python3 -m venv "$zig" >"$tmp/log" 2>&1 &&
		"$zig/bin/pip" install -q "ziglang==$version" >>"$tmp/log" 2>&1 ||
		skip "no ziglang: $(tail -n 1 "$tmp/log")"
	: >"$zig/.installed"
fi
run="$zig/bin/python -m ziglang"
ZIG_GLOBAL_CACHE_DIR=$zig/cache ZIG_LOCAL_CACHE_DIR=$zig/cache
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR
${MAKE:-make} -s -j"$(nproc)" SANITIZE= CC="$run cc -target aarch64-macos" \
	AR="$run ar" O="$O/macos" all >"$tmp/log" 2>&1 ||
	fail "make: $(cat "$tmp/log")"
cat "$tmp/log"

# The header of Mach-O: 64 bits, arm64, an executable.
python3 - "$O/macos/bin/allocctl" <<'END'
import struct, sys
with open(sys.argv[1], "rb") as file:
    data = file.read()
magic, cpu, _, kind, commands = struct.unpack_from("<5I", data)
assert magic == 0xfeedfacf, hex(magic)
assert cpu == 0x0100000c, hex(cpu)
assert kind == 2, kind
at, libraries = 32, []
for _ in range(commands):
    command, size = struct.unpack_from("<2I", data, at)
    if command == 0xc:  # LC_LOAD_DYLIB
        start, = struct.unpack_from("<I", data, at + 8)
        libraries.append(data[at + start:at + size].rstrip(b"\0").decode())
    at += size
print(f"Mach-O arm64 executable, {len(data)} bytes, needs {libraries}")
assert libraries == ["/usr/lib/libSystem.B.dylib"], libraries
END
for c in check explain replay triage tune; do
	grep -q "COMMAND($c)" "$O/macos/commands.inc" || fail "no command $c"
done
echo 'compiled, not run'
