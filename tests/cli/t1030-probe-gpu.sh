#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the probe recorded of PyTorch on an H200 (tests/gpu/probe.py): errors
# whose cause was arranged (bench/gpu/causes.py), under both front ends.  Each
# is named, and its letter stays as it is in tests/golden/probe.
. tests/support.sh
command -v cupti-probe >/dev/null || skip 'no cupti-probe'
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
		equal "status of $name under $front" "$status" 1
		equal "$name under $front" \
			"$(sed -n '1s/:.*//p' "$tmp/letter")" "$cause, $grade"
		diff "tests/golden/probe/$name.$front.txt" "$tmp/letter" ||
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
equal 'recordings' "$seen" "$(find tests/data/probe -name '*.cpr.xz' | wc -l)"
