#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Print FOUND_<FEATURE> := y|n in make syntax: does a program that uses the
# library compile and link?  Reads CC, CFLAGS, LDFLAGS and PKG_CONFIG.
set -u
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

try() {	# try NAME HEADER EXPRESSION LIBS
	printf '#include <%s>\nint main(void) { return %s; }\n' "$2" "$3" \
		>"$tmp/probe.c"
	# shellcheck disable=SC2086 # lists of flags
	if $CC $CFLAGS "$tmp/probe.c" -o "$tmp/probe" $LDFLAGS $4 \
			>/dev/null 2>&1; then
		echo "FOUND_$1 := y"
	else
		echo "FOUND_$1 := n"
	fi
}

check_libs=$($PKG_CONFIG --libs check 2>/dev/null) || check_libs=-lcheck
try ZLIB zlib.h 'zlibVersion() == 0' -lz
try LZMA lzma.h 'lzma_version_number() == 0' -llzma
try ZSTD zstd.h 'ZSTD_versionNumber() == 0' -lzstd
try JANSSON jansson.h 'json_object() == 0' -ljansson
try YAML yaml.h 'yaml_get_version_string() == 0' -lyaml
try CHECK check.h 'suite_create("x") == 0' "$check_libs -lpthread"
echo "CHECK_LIBS := $check_libs"
