#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of CONTRIBUTING.md: each changes the places that the document
# lists and no others, and with all of them, and what the document says to run,
# a copy of the tree builds and the test of each example passes, as does what
# lint asks of such a change.
. tests/support.sh
case ${SANITIZE-} in ?*) skip 'it builds programs of its own' ;; esac
command -v patch >/dev/null || skip 'no patch'
examples='option format verdict command'
guide=$PWD/CONTRIBUTING.md
built=$O/bin
tree=$tmp/tree
mkdir "$tree"

section() {	# section NAME: that example in the document
	sed -n "/^### .*: $1$/,/^##/p" "$guide"
}

# What is in backquotes and looks like a path, in numbered items.
places() {
	section "$1" | awk '/^[0-9]+\. / { item = 1 } /^$/ { item = 0 } item' |
		tr '`' '\n' | grep -x '[a-zA-Z0-9._-]*/[a-zA-Z0-9./_-]*' | sort -u
}

commands() {	# commands NAME: lines of code
	section "$1" | sed -n 's/^    //p'
}

tar -c --exclude=./build --exclude=./.git . | tar -x -C "$tree"
for name in $examples; do
	change=tests/contributing/$name.patch
	equal "places of $name" "$(places $name)" \
		"$(sed -n 's|^+++ b/||p' "$change" | sort)"
	patch -d "$tree" -p1 -s --no-backup-if-mismatch <"$change" ||
		fail "$change does not apply"
done
tests=$(sed -n 's|^+++ b/\(tests/cli/.*\)|\1|p' tests/contributing/*.patch)

cd "$tree"
export O="$tree/out" CFLAGS='-O0 -g0'
programs='allocctl table-allocctl table-cupti-probe'
for program in test-setting test-advise; do
	[ ! -e "$built/$program" ] || programs="$programs $program"
done
make() {
	command "${MAKE:-make}" -s -j "$(nproc)" WERROR=1 "$@"
}
# shellcheck disable=SC2046 # words without blanks
make $(printf "$O/bin/%s " $programs) "$O/lib/liballoc.so.0" ||
	fail 'the examples do not build'
PATH=$O/bin:$PATH
for name in $examples; do
	commands "$name" >"$tmp/commands"
	while read -r line; do
		eval "$line" || fail "$name: $line"
	done <"$tmp/commands"
done
for test in $tests tests/cli/t0101-*.sh tests/cli/t0105-*.sh \
	tests/cli/t0200-*.sh tests/cli/t0500-*.sh; do
	sh "$test" || fail "$test"
done
for program in test-setting test-advise; do
	[ ! -e "$O/bin/$program" ] || "$program" >"$tmp/log" 2>&1 ||
		fail "$program: $(cat "$tmp/log")"
done
make lint-exports lint-includes lint-style || fail 'lint'
