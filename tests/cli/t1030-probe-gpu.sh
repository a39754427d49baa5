#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the probe recorded of PyTorch on an H200 (tests/gpu/probe.py): errors
# whose cause was arranged (bench/gpu/causes.py), under both front ends.  Each
# is named, and its letter stays as it is in tests/golden/probe.
. tests/support.sh
command -v cupti-probe >/dev/null || skip 'no cupti-probe'
golden=$PWD/tests/golden/probe
count=$(find tests/data/probe -type f | wc -l)
# Beside a recording it is written how much of it was read.
mkdir -p "$tmp/tests/data"
cp -r tests/data/probe "$tmp/tests/data"
cd "$tmp"
cupti-probe report tests/data/probe/too_large.cupti.cpr.xz >/dev/null \
	2>"$tmp/err" || case $(cat "$tmp/err") in
*'left out of this build'*) skip 'no xz in this build' ;;
esac

seen=0
while read -r name cause grade; do
	for front in preload cupti; do
		file=tests/data/probe/$name.$front.cpr.xz
		status=0
		cupti-probe report "$file" >"$tmp/letter" || status=$?
		equal "status of $name under $front" "$status" 0
		equal "$name under $front" \
			"$(sed -n '1s/:.*//p' "$tmp/letter")" "$cause, $grade"
		diff "$golden/$name.$front.txt" "$tmp/letter" ||
			fail "the letter of $name under $front"
		seen=$((seen + 1))
	done
done <<'END'
capacity_card CAPACITY STRONG
fraction FRACTION_CAP STRONG
fragmentation_card FRAGMENTATION STRONG
graph_pool_card GRAPH_POOL_HOLD STRONG
other_process OTHER_PROCESS PROVEN
page_fragmentation_card PAGE_FRAGMENTATION STRONG
too_large REQUEST_TOO_LARGE PROVEN
END
equal 'recordings' "$seen" "$count"
