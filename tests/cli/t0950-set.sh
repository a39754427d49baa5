#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl set: the lines, and what it refuses.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl set "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	equal "status of set $*" "$status" "$want"
}

line() {	# line SHELL LINE: what is printed first
	run 0 max_split_size_mb:128 --shell "$1"
	equal "line for $1" "$(head -n 1 "$tmp/out")" "$2"
	for word in where: restart: 'in torch:'; do
		grep -q "^$word " "$tmp/out" || fail "$1: nothing is $word"
	done
}

V=PYTORCH_CUDA_ALLOC_CONF
s=max_split_size_mb:128
line bash "export $V='$s'"
line zsh "export $V='$s'"
line fish "set -gx $V '$s'"
line tcsh "setenv $V '$s'"
line cmd "set \"$V=$s\""
line powershell "\$env:$V = '$s'"
line dockerfile "ENV $V=\"$s\""
line systemd "Environment=\"$V=$s\""
line slurm "export $V='$s'"
line conda "conda env config vars set $V='$s'"
line sudo "sudo $V='$s' python train.py"
line python 'import os'
line k8s "- name: $V"

run 0 $s --shell dash --variable PYTORCH_ALLOC_CONF
equal 'another variable' "$(head -n 1 "$tmp/out")" \
	"export PYTORCH_ALLOC_CONF='$s'"
SHELL=/usr/bin/fish allocctl set $s >"$tmp/out"
grep -q "$V" "$tmp/out" || fail 'no line for the shell that calls'

# What torch refuses, or the release does not read.
run 1 expandable_segments:true --shell bash
equal refusal "$(cat "$tmp/err")" "allocctl: torch refuses it: Expected 'True' \
or 'False' at index 2 in ConfigTokenizer but got 'true'; did you mean \
'expandable_segments:True'? (--force sets it)"
run 0 expandable_segments:true --shell bash --force
run 1 $s --shell bash --variable PYTORCH_ALLOC_CONF --torch 2.6
run 0 anything --shell bash --variable OTHER
run 1 'a"b' --shell cmd --variable OTHER
equal 'no line' "$(cat "$tmp/err")" \
	'allocctl: cmd cannot express a quote or a line end'

run 2
run 2 --undo $s
run 2 $s $s
run 2 $s --shell cobol
run 2 $s --apply --persist session
run 2 $s --apply --undo
run 2 $s --apply --shell dockerfile
run 1 $s --apply --shell python --file "$tmp/x.py"
[ ! -e "$tmp/x.py" ] || fail 'a file was made'

# How to see it in torch: a snapshot is refused under the other backend.
run 0 backend:cudaMallocAsync --shell bash
grep -qx 'in torch: torch.cuda.get_allocator_backend()' "$tmp/out" ||
	fail 'no way to see the backend'

# For good there has to be a place.
for shell in cmd docker k8s; do
	run 2 $s --shell $shell --persist user
	equal "no place for $shell" "$(cat "$tmp/err")" \
		"allocctl: $shell has no file for that: name one with --file"
done
