#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Print HAVE_<FEATURE> := y|n (and flags) as make syntax; say so on stderr.
try() {	# try NAME FLAGS <program
	if $CC $2 -Werror -x c - -o /dev/null >/dev/null 2>&1; then r=y; else r=n; fi
	echo "HAVE_$1 ?= $r"
	printf '  %-7s %-12s %s\n' probe "$1" "$r" >&2
}
check_libs=$($PKG_CONFIG --libs check 2>/dev/null || echo -lcheck)
echo "CHECK_LIBS ?= $check_libs"
try CHECK "-c" <<'C'
#include <check.h>
int main(void) { return suite_create("x") == 0; }
C
try ZLIB "-c" <<'C'
#include <zlib.h>
int main(void) { return zlibVersion() == 0; }
C
try LZMA "-c" <<'C'
#include <lzma.h>
int main(void) { return lzma_version_number() == 0; }
C
try ZSTD "-c" <<'C'
#include <zstd.h>
int main(void) { return ZSTD_versionNumber() == 0; }
C
try JANSSON "-c" <<'C'
#include <jansson.h>
int main(void) { return json_object() == 0; }
C
