#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example of liballoc(3) compiles without warnings, and says what allocctl
# says; what the page names is in the headers, and all headers are on it.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'
case ${SANITIZE-} in ?*) skip 'a program without it is linked' ;; esac
page=docs/man/liballoc.3
headers=liballoc/include/liballoc

for name in $(sed -n 's/^\.Fn \(la_[a-z_]*\).*/\1(/p
	s/^\.Vt struct \(la_[a-z_]*\).*/struct \1/p; s/^\.Dv \(LA_[A-Z_]*\).*/\1/p' \
	$page | sed 's/struct //'); do
	grep -q -F "$name" $headers/*.h || fail "no $name in the headers"
done
for header in "$headers"/*.h; do
	case ${header##*/} in
	# What others of them bring in, and one that is no interface.
	error.h|event.h|version.h|probe-format.h) continue ;;
	esac
	grep -q "^\.\(It \)\{0,1\}In liballoc/${header##*/}" $page ||
		fail "the page lacks $header"
done

sed -n '/^\.Bd -literal/,/^\.Ed/p' $page | sed '/^\.[BE]d/d; s/\\e/\\/g' \
	>"$tmp/example.c"
${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -Iliballoc/include \
	-o "$tmp/example" "$tmp/example.c" -L"$O/lib" -lalloc
export LD_LIBRARY_PATH="$O/lib"
for name in remedy-gnn.12.oom card big_random.default; do
	file=tests/data/$name.pickle.xz
	status=0
	allocctl replay "$file" --setting expandable_segments:True \
		>"$tmp/replay" || status=$?
	equal "status of allocctl, $name" "$status" 0
	bytes=$(sed -n 's/^reserved  *[^(]*(\([0-9]*\) bytes).*/\1/p' \
		"$tmp/replay")
	equal "example, $name" "$("$tmp/example" "$file")" \
		"runs, $bytes bytes at most"
done
status=0
"$tmp/example" "$tmp/example.c" 2>"$tmp/error" || status=$?
equal 'status without a recording' "$status" 1
grep -q 'not a pickle' "$tmp/error" || fail "$(cat "$tmp/error")"
