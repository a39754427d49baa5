#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The heap answers programs as the allocators of torch's releases did: the
# programs and their answers, behind a =, were recorded by tests/wheels/heap.sh.
. tests/support.sh
command -v xz >/dev/null || skip "no xz"

for file in tests/data/heap-torch-*.xz; do
	release=${file#*heap-torch-}
	xz -dc "$file" >"$tmp/all"
	sed -n 's/^= //p' "$tmp/all" >"$tmp/torch"
	grep -v '^=' "$tmp/all" | play-heap "${release%.xz}" >"$tmp/heap"
	cmp "$tmp/torch" "$tmp/heap" || fail "torch ${release%.xz}"
	[ "$(wc -l <"$tmp/heap")" -gt 1000 ] || fail "$file: too few answers"
done
