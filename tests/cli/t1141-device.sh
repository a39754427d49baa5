#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What tests/gpu tries on a real GPU holds for the driver that stands in for it.
. tests/support.sh
[ -d "$O/mock" ] || skip 'no stand-ins for CUDA here'
LD_LIBRARY_PATH=$O/mock:${LD_LIBRARY_PATH:-}
LSAN_OPTIONS=detect_leaks=0
export LD_LIBRARY_PATH LSAN_OPTIONS

MOCK_CUDA_DEVICES=2 "$O/bin/device-gpu" >"$tmp/out" ||
	fail "two devices: $(cat "$tmp/out")"
equal 'first line' "$(sed -n 1p "$tmp/out")" 'Mock GPU 0'
equal 'checks' "$(sed 's/:.*//' "$tmp/out" | sed 1d | tr '\n' ' ')" \
	'segments pieces granules full card events capture drain fork peer '
grep -q '^full card: 15 pieces of 1 GiB, then: cuMemCreate: out of memory' \
	"$tmp/out" || fail "another card: $(cat "$tmp/out")"
grep -q '^peer: reaches' "$tmp/out" || fail 'no peer'

"$O/bin/device-gpu" | grep -q '^peer: none here' || fail 'a peer'
"$O/bin/device-gpu" fault | grep -q '^fault: known' || fail 'no fault'
status=0
MOCK_CUDA_DEVICES=0 "$O/bin/device-gpu" >"$tmp/out" || status=$?
equal 'no GPU' "$status" 77
