#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl check: verdicts, carets, remarks, options and their errors.
. tests/support.sh

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl check "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status of check $*" "$status" "$want"
}

usage() {	# usage MESSAGE ARGUMENTS
	message=$1
	shift
	run 2 "$@"
	equal "message of check $*" "$(cat "$tmp/err")" "allocctl: $message"
	[ ! -s "$tmp/out" ] || fail "check $*: output beside an error"
}

run 0 max_split_size_mb:128MB
has 'valid in torch 2.11'
has '  max_split_size                     128.00 MiB (134217728 bytes)'
has "warning: '128MB' is read as '128' [LA101]"
has '    max_split_size_mb:128MB'
has '                      ^~~~~'
has 'max_split_size_mb (MiB; default no bound; since torch 1.9)'

run 0 max_split_size_mb:-1
has '  max_split_size                     no bound in effect (18446744073708503040 bytes)'
printf 'max_split_size_mb:100\00028\n' >"$tmp/nul"
run 0 - <"$tmp/nul"
has "warning: read as '100', up to a NUL byte [LA101]"

run 1 max_split_size_mb:19
has 'invalid: the first use of CUDA raises ValueError'
has '  CachingAllocator option max_split_size_mb too small, must be >= 20'
has '                      ^~'
run 1 --set-at runtime max_split_size_mb:19
has 'invalid: the setter raises ValueError'
run 1 max_split_size_mb=128
has 'invalid: import torch aborts with'
has "hint: write 'max_split_size_mb:', not 'max_split_size_mb=' [LA204]"
run 1 --set-at=init max_split_size_mb=128
has "  Unrecognized key 'max_split_size_mb=128' in CUDA allocator config."
run 0 backend:cudaMallocAsync
run 1 backend:cudaMallocAsync --set-at init
run 1 debug:1
grep -q 'allocctl replay --log-splits' "$tmp/out" || fail 'debug:1'

# The caret counts characters, and nothing in a string reaches the terminal.
run 1 "$(printf 'max_split_size_mb:64,\303\274\303\274:1\033c')"
has "$(printf '    max_split_size_mb:64,\303\274\303\274:1\\x1bc')"
has '                         ^~'
# Wide characters take two columns, and what cannot be seen is written out.
run 1 "$(printf 'max_split_size_mb:\357\274\221\357\274\222')"
has '                      ^~~~'
run 1 "$(printf '\342\200\213debug:1')"
has '    \xe2\x80\x8bdebug:1'
has '    ^~~~~~~~~~~~~~~~~'
# Where editors see it: a tab is one character.
run 0 --format gcc "$(printf '\tmax_split_size_mb:100MB')"
has "<argument>:1:20: warning: '100MB' is read as '100' [LA101]"

# Of a long string, what stands around the place; in no time.
# Windows takes no more than 32,767 characters.
long=$(yes 'max_split_size_mb:64,' | head -n 1500 | tr -d '\n')
start=$(date +%s)
run 1 "${long}debug:1"
[ $(($(date +%s) - start)) -lt 5 ] || fail 'a long string takes long'
[ "$(wc -c <"$tmp/out")" -lt 3000000 ] || fail 'a long string is repeated'
has "    ...$(printf %s "$long" | tail -c 200)debug:1"
has "$(printf '%207s^~~~~' '')"
run 1 -- --set-at
has 'invalid: import torch aborts with'

run 1 '' x
grep -q -x 'valid in torch 2.11' "$tmp/out" || fail 'empty string'

usage 'check wants settings or --json-lines, and got neither'
usage 'check wants settings or --json-lines, not both' --json-lines x
usage "--set-at does not know 'later': it takes import, init or runtime" --set-at later x
usage "unknown option '--setat'; did you mean '--set-at'?" --setat x
usage "no value after '--format'" x --format
usage "option '--json-lines' takes no value" --json-lines=yes
usage "unknown option '-x'" -x

run 0 --format json expandable_segments:True
grep -q '"expandable_segments":true' "$tmp/out" || fail 'json'
