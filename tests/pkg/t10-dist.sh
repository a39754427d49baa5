#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make dist: the same bytes twice, all files, and all that it takes to build
# and test; and the list of dependencies is SPDX, as spdx-tools knows it.
. tests/support.sh
. tests/pkg/support.sh
command -v git >/dev/null || skip 'no git'
git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip 'not a git repository'

name=liballoc-$version
${MAKE:-make} -s O="$tmp/a" dist
(umask 077 && TZ=Asia/Tokyo LC_ALL=C ${MAKE:-make} -s O="$tmp/b" dist)
cmp "$tmp/a/dist/$name.tar.gz" "$tmp/b/dist/$name.tar.gz" ||
	fail 'two tarballs of one commit differ'
(cd "$tmp/a/dist" && sha256sum -c --quiet "$name.tar.gz.sha256") ||
	fail 'its hash'
tar -xzf "$tmp/a/dist/$name.tar.gz" -C "$tmp"
git ls-tree -r --name-only HEAD | sort >"$tmp/wanted"
(cd "$tmp/$name" && find . -type f -o -type l) | sed 's|^\./||' | sort \
	>"$tmp/got"
diff "$tmp/wanted" "$tmp/got" || fail 'files'

# No optimisation, to save time.
(
	cd "$tmp/$name"
	PATH=$PWD/build/release/bin:$PATH O=$PWD/build/release
	export PATH O
	for goal in all sbom; do
		${MAKE:-make} -s -j"$(nproc)" O=build/release CC="${CC:-cc}" \
			CFLAGS='-O0 -g0' $goal
	done
	for t in t0200-main t0201-check t0600-convert t0700-triage-words; do
		sh tests/cli/$t.sh || fail "$t in the tarball"
	done
	equal version "$("$O/bin/allocctl" --version)" \
		"allocctl $version"
) || exit 1
python3 -m venv "$tmp/venv" >"$tmp/log" 2>&1 &&
	"$tmp/venv/bin/pip" install -q spdx-tools >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	skip 'no spdx-tools: no network?'
}
"$tmp/venv/bin/pyspdxtools" \
	-i "$tmp/$name/build/release/dist/$name.spdx.json" || fail 'SPDX'
