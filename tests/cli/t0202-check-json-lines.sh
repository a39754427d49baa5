#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl check --json-lines: keys, escapes, bad lines.
. tests/support.sh

status=0
printf '"a"\n' | allocctl check --json-lines >"$tmp/out" 2>"$tmp/err" ||
	status=$?
if [ "$status" -eq 3 ]; then
	grep -q 'without jansson' "$tmp/err" || fail "$(cat "$tmp/err")"
	skip 'built without jansson'
fi
equal 'refused: status' "$status" 1

check() {	# check WANTED-STATUS INPUT WANTED-OUTPUT [OPTIONS]
	want=$1 input=$2 out=$3
	shift 3
	status=0
	got=$(printf '%s' "$input" |
		allocctl check --json-lines "$@" 2>"$tmp/err") || status=$?
	equal "status of $input" "$status" "$want"
	equal "output of $input" "$got" "$out"
}

check 0 '' ''
check 0 '
' ''
check 0 '"roundup_power2_divisions:[256:1,512:2,1024:4,>:8]"' \
'{"accepted":true,"error":null,"set_at":"init","settings":{"max_split_size":-1,"max_non_split_rounding":20971520,"large_segment_size":20971520,"garbage_collection_threshold":0.0,"per_process_memory_fraction":1.0,"roundup_power2_divisions":[1,1,1,1,1,1,1,1,1,2,4,8,8,8,8,8],"expandable_segments":false,"backend":"native","release_lock_on_cudamalloc":false,"graph_capture_record_stream_reuse":false,"pinned_use_cuda_host_register":false,"pinned_use_background_threads":false,"pinned_num_register_threads":1,"pinned_reserve_segment_size":0},"warnings":[{"code":"LA107","offset":30,"length":1,"text":"1 is off: sizes are rounded to 512 bytes only"}]}' \
	--set-at init
check 1 '"x\u0041\"\n:1"' \
'{"accepted":false,"error":"Unrecognized key '"'"'xA\"'"'"' in CUDA allocator config.","type":"ValueError","offset":0,"length":3,"aborts_import":false,"set_at":"import","settings":null,"warnings":[{"code":"LA201","offset":0,"length":3,"text":"no release of torch has such an option"}]}'
check 2 '{}' ''
equal 'not a string' "$(cat "$tmp/err")" \
	'allocctl: line 1: not a JSON string'
check 2 'a' ''
grep -q '^allocctl: line 1: ' "$tmp/err" || fail 'not JSON'
