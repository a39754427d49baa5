#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each lint script finds what it is for, in small trees that break one rule.
. tests/support.sh
scripts=$PWD/scripts
tree=$tmp/tree
spdx='// SPDX-License-Identifier: Apache-2.0'

new_tree() {
	rm -rf "$tree"
	mkdir -p "$tree/liballoc/include/liballoc" "$tree/liballoc/util" \
		"$tree/liballoc/heap" "$tree/allocctl" "$tree/tests" \
		"$tree/bench"
	echo "$spdx" >"$tree/liballoc/include/liballoc/heap.h"
	file liballoc/heap/heap.c '#include "util/util.h"' \
		'#include <liballoc/heap.h>' '#include <liballoc/setting.h>' \
		'#include "block.h"' '#include <sys/heap.h>'
	file allocctl/main.c '#include <liballoc/heap.h>' '#include "opt.h"'
}

file() {	# file PATH LINE...
	path=$tree/$1
	shift
	printf '%s\n' "$spdx" "$@" >"$path"
}

lint() {	# lint SCRIPT: status in $status, messages in $tmp/err
	status=0
	(cd "$tree" && sh "$scripts/$1") >"$tmp/err" 2>&1 || status=$?
}

passes() {
	lint "$1"
	equal "$1 on a sound tree ($(cat "$tmp/err"))" $status 0
}

refuses() {	# refuses SCRIPT MESSAGE
	lint "$1"
	[ $status -ne 0 ] || fail "$1 did not see: $2"
	grep -q -F -e "$2" "$tmp/err" ||
		fail "$1: no '$2' in: $(cat "$tmp/err")"
}

new_tree
passes lint-includes.sh
file liballoc/heap/heap.c '#include "trace/pickle.h"'
refuses lint-includes.sh 'heap/heap.c:2: includes trace/pickle.h'
new_tree
file liballoc/util/buf.c '' '#  include <liballoc/heap.h>'
refuses lint-includes.sh 'util/buf.c:3: includes liballoc/heap.h: util may not'
new_tree
file allocctl/main.c '#include "heap/pool.h"'
refuses lint-includes.sh 'allocctl may not include heap'
new_tree
file liballoc/include/liballoc/setting.h '#include <liballoc/heap.h>'
refuses lint-includes.sh 'setting may not include heap'
new_tree
file liballoc/heap/pool.h '#include "tests/support.h"'
refuses lint-includes.sh 'nothing includes from tests'
new_tree
mkdir "$tree/liballoc/novel"
file liballoc/novel/a.c 'int la_a;'
refuses lint-includes.sh 'folder novel is not in lint-includes.sh'

new_tree
passes lint-style.sh
file liballoc/heap/heap.c "	$(printf '%073d' 0)"
refuses lint-style.sh 'heap.c:2: more than 80 columns'
file liballoc/heap/heap.c 'int f(void)' '{' "$(yes ';' | head -n 61)" '}'
refuses lint-style.sh 'function of 61 lines'
file liballoc/heap/heap.c "$(yes ';' | head -n 800)"
refuses lint-style.sh 'more than 800 lines'
echo 'int f;' >"$tree/liballoc/heap/heap.c"
refuses lint-style.sh 'heap.c:1: no SPDX line'

cd "$tmp" || exit
archive() {	# archive SOURCE: make a.a and a.so of it
	echo "$1" >a.c
	${CC:-cc} -fPIC -c -o a.o a.c
	rm -f a.a && ar rcs a.a a.o
	${CC:-cc} -shared -o a.so a.o
}
: >allow
globals() {
	sh "$scripts/lint-globals.sh" a.a allow >err 2>&1
}
archive 'const char *const la_t[] = { "x" }; int la_f(void) { return 0; }'
globals || fail "lint-globals.sh on a sound archive: $(cat err)"
archive 'int la_f(void) { static int count; return count++; }'
globals && fail 'lint-globals.sh did not see a static variable'
grep -q 'writable global: .*count' err || fail "lint-globals.sh: $(cat err)"
archive '__attribute__((visibility("hidden"))) int la_shared; int la_f(void) { return la_shared++; }'
globals && fail 'lint-globals.sh did not see a hidden variable'
archive 'int la_f(void) { static int count; return count++; }'
globals || :
sed 's|.*: ||; s| *$||' err >allow
globals || fail 'lint-globals.sh does not use the allow list'

exports() {
	sh "$scripts/lint-exports.sh" a.so a.a a.map a.h >err 2>&1
}
printf 'typedef void la_hook(int);\nint la_f(la_hook *hook);\n' >a.h
printf 'LA {\nglobal:\n\tla_f;\nlocal:\n\t*;\n};\n' >a.map
archive 'int la_f(void) { return 0; }'
exports || fail "lint-exports.sh on a sound library: $(cat err)"
echo 'int la_g(void);' >>a.h
exports && fail 'lint-exports.sh did not see a function without an export'
grep -q 'la_g is in the headers, not in the map' err || fail "$(cat err)"
sed -i 's/la_f;/la_f; la_g;/' a.map
exports && fail 'lint-exports.sh did not see a function that is not there'
grep -q 'la_g is in the map, not in the library' err || fail "$(cat err)"
sed -i /la_g/d a.h
sed -i 's/ la_g;//' a.map
archive 'int la_f(void) { return 0; } int g;'
exports && fail 'lint-exports.sh did not see an internal symbol'
grep -q 'g is in the archive, not in the map' err || fail "$(cat err)"

probe() {
	sh "$scripts/lint-probe.sh" probe.so inject >err 2>&1
}
mkdir -p inject/abi
echo 'cuMemFree_v2 245 3020 CUdeviceptr dptr' >inject/abi/calls.txt
names='InitializeInjection dlsym dlvsym cuGetProcAddress cuGetProcAddress_v2
	cuMemFree_v2 _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE
	_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE'
for name in $names; do echo "void *$name(void) { return 0; }"; done >all.c
{
	echo '{'
	echo 'global:'
	for name in $names; do printf '\t%s;\n' "$name"; done
	echo 'local:'
} >inject/libcupti-probe.map
${CC:-cc} -w -fno-builtin -shared -fPIC -o probe.so all.c
probe || fail "lint-probe.sh on a sound library: $(cat err)"
echo 'int more;' >>all.c
${CC:-cc} -w -fno-builtin -shared -fPIC -o probe.so all.c
probe && fail 'lint-probe.sh did not see a symbol too many'
grep -q 'lint: exported by libcupti-probe: more' err || fail "$(cat err)"
sed -i '/more/d; /dlvsym/d' all.c
${CC:-cc} -w -fno-builtin -shared -fPIC -o probe.so all.c
probe && fail 'lint-probe.sh did not see a missing symbol'
grep -q 'lint: not exported by libcupti-probe: dlvsym' err || fail "$(cat err)"

packages() {
	sh "$scripts/lint-packages.sh" 1.2 liba.so.0 >err 2>&1
}
mkdir -p packaging/deb packaging/rpm
echo 'liballoc 1.2' >NEWS
echo 'liballoc (1.2) unstable; urgency=medium' >packaging/deb/changelog
printf 'Version: 1.2\n%%changelog\n* Sun Nov 29 2026 us <a@b> - 1.2-1\n' \
	>packaging/rpm/liballoc.spec
printf 'liba.so.0 liba0 #MINVER#\n* Field: x\n LA@LA 1.2\n la_f@LA 1.2\n' \
	>packaging/deb/liballoc0.symbols
echo 'int la_f(void) { return 0; }' >a.c
printf 'LA {\nglobal:\n\tla_*;\nlocal:\n\t*;\n};\n' >a.map
library() {
	${CC:-cc} -w -shared -fPIC -Wl,--version-script,a.map -o liba.so.0 a.c
}
library
packages || fail "lint-packages.sh on a sound tree: $(cat err)"
for f in NEWS packaging/deb/changelog packaging/rpm/liballoc.spec; do
	cp $f kept
	sed -i 's/1\.2/1.1/' $f
	packages && fail "lint-packages.sh did not see the version of $f"
	grep -q "$f.* has version '1.1', version.h 1.2" err ||
		fail "$(cat err)"
	mv kept $f
done
echo 'int la_g(void) { return 0; }' >>a.c
library
packages && fail 'lint-packages.sh did not see a new symbol'
grep -q 'la_g@LA is in liba.so.0, not in its symbols file' err ||
	fail "$(cat err)"
echo 'int la_g(void) { return 0; }' >a.c
library
packages && fail 'lint-packages.sh did not see a symbol that went'
grep -q 'la_f@LA is in the symbols file, not in liba.so.0' err ||
	fail "$(cat err)"
