#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl check: releases, lines, corrections.
. tests/support.sh

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl check --platform linux --policy none "$@" >"$tmp/out" \
		2>"$tmp/err" || status=$?
	equal "status of check $*" "$status" "$want"
}

usage() {	# usage MESSAGE ARGUMENTS
	message=$1
	shift
	run 2 "$@"
	equal "message of check $*" "$(cat "$tmp/err")" "allocctl: $message"
}

run 0 --torch 2.6 expandable_segments:True
has 'valid in torch 2.6'
run 1 --torch 1.13 expandable_segments:True
has '  Unrecognized CachingAllocator option: expandable_segments'
has "hint: 'expandable_segments' exists from torch 2.1 on [LA202]"
run 0 --torch 2.10.0+cu130 max_split_size_mb:20
run 1 --torch 2.9.1 max_split_size_mb:20
has 'did you mean: max_split_size_mb:21'
run 1 expandable_segments=True
has 'did you mean: expandable_segments:True'
run 1 debug:1
has 'did you mean to leave the variable unset?'
run 0 --torch 2.6 --build cpu nonsense
run 0 --torch 1.13 roundup_bypass_threshold_mb:64
has '  roundup_bypass_threshold           64.00 MiB (67108864 bytes)'
run 0 --torch 2.14 --format json \
	pinned_max_cached_size_mb:8,throw_on_cudamalloc_oom:True
grep -q '"pinned_max_cached_size":8388608,"throw_on_cudamalloc_oom":true' \
	"$tmp/out" || fail 'values of 2.14'
run 0 --format json expandable_segments:True,max_split_size_mb:100
grep -q '"code":"LA126",[^}]*"severity":"note"' "$tmp/out" || fail 'a note'
grep -q '"code":"LA111",[^}]*"severity":"warning"' "$tmp/out" ||
	fail 'a warning'
run 2 --torch 0.4 x
run 2 --torch later x

# Equal neighbours are one.
run 1 --torch all expandable_segments:True
has 'torch 1.9 to 2.0    invalid LA202'
grep -q -x 'torch 2.1 to 2\.[0-9]*   valid   LA126' "$tmp/out" || fail 'valid'
equal 'runs' "$(grep -c '^torch ' "$tmp/out")" 2
run 0 --torch all --format json max_split_size_mb:100
equal 'one run' "$(grep -o '"from"' "$tmp/out" | wc -l)" 1
usage '--torch all is told as text or json' --torch all --format gcc x

# Lines that set the variable, and whether it is read.
run 0 --torch 2.9 'export PYTORCH_ALLOC_CONF="backend:native"'
grep -q '^warning: PYTORCH_ALLOC_CONF: .*\[LA124\]$' "$tmp/out" ||
	fail 'unread variable'
run 0 --torch 2.10 'set PYTORCH_ALLOC_CONF=backend:native'
! grep -q LA124 "$tmp/out" || fail 'read variable'
run 0 "export 'PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:100'"
! grep -q '^warning' "$tmp/out" || fail 'quotes of a shell'

run 0 'export PYTORCH_CUDA_ALLOC_CONFIG=max_split_size_mb:100'
has 'warning: PYTORCH_CUDA_ALLOC_CONFIG: no release of torch reads a variable of that name [LA124]'
run 1 "$(printf '%40s' '' | tr ' ' A)ALLOC_CONF=max_split_size_mb:100"

# Standard input, as compilers write.
printf 'backend:native\n\nPYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:19\n' \
	>"$tmp/lines"
run 1 --format gcc - <"$tmp/lines"
has '<stdin>:3:43: error: CachingAllocator option max_split_size_mb too small, must be >= 20 [LA212]'
has '<stdin>:3:25: note: did you mean max_split_size_mb:20'
run 0 --format gcc max_split_size_mb:100MB
has "<argument>:1:19: warning: '100MB' is read as '100' [LA101]"
run 1 --format sarif - max_split_size_mb:100MB <"$tmp/lines"
grep -q '"version":"2.1.0"' "$tmp/out" || fail 'no SARIF'
grep -q '"ruleId":"LA212","level":"error".*"uri":"stdin"},"region":{"startLine":3,"startColumn":43,"endColumn":45}' \
	"$tmp/out" || fail 'SARIF result'
if command -v python3 >/dev/null; then
	python3 -m json.tool "$tmp/out" >/dev/null || fail 'SARIF is not JSON'
fi

# What a setter does to the rest, and platforms.
run 0 --set-at runtime max_split_size_mb:100
grep -q 'back at its default: .*roundup_power2_divisions' "$tmp/out" ||
	fail 'runtime'
run 0 --platform windows expandable_segments:True
grep -q 'LA125' "$tmp/out" || fail 'windows'
run 0 --torch 2.12 expandable_segments:True,max_split_size_mb:100
grep -q 'grows without bound' "$tmp/out" || fail 'harmful pair'
