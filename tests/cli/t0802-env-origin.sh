#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl env --show-origin: the file by which a real shell set the variable,
# the ancestor that did, and files that are given.
. tests/support.sh
. tests/env.sh
unset PYTORCH_CUDA_ALLOC_CONF
command -v bash >/dev/null || skip 'no bash'
value=max_split_size_mb:77
hold=$(command -v hold-environment)

# An interactive bash that reads its startup file; a login shell's is not it.
mkdir "$tmp/home"
printf '# mine\nexport PYTORCH_CUDA_ALLOC_CONF=%s\n' $value \
	>"$tmp/home/.bashrc"
echo 'export PYTORCH_CUDA_ALLOC_CONF=backend:native' >"$tmp/home/.profile"
start env HOME="$tmp/home" bash -ic "'$hold' keep; :" </dev/null
child=$(cat "/proc/$pid/task/$pid/children")
child=${child% }
started="$started $child"
run 0 env --pid "$child" --torch 2.11 --build cuda --show-origin --format json
equal 'the file' "$(show "[(o['file'], o['line'], o['takes_part'])
	for o in d['origins'] if o['source']]")" \
	"[('$tmp/home/.bashrc', 2, 'yes')]"
equal 'the profile' "$(show "[(o['value'], o['matches'], o['source'])
	for o in d['origins'] if o['file'] == '$tmp/home/.profile']")" \
	"[('backend:native', False, False)]"
equal 'the ancestor' "$(show "[(o['file'], o['reader'])
	for o in d['origins'] if o['scope'] == 'parent']")" \
	"[('process $pid (bash)', 'set by it after its start, and passed on')]"

# Given to one program alone: by the shell, which does not have it.
start env HOME="$tmp/home" bash --norc -c \
	"PYTORCH_CUDA_ALLOC_CONF=backend:native '$hold' keep; :"
child=$(cat "/proc/$pid/task/$pid/children")
child=${child% }
started="$started $child"
run 0 env --pid "$child" --torch 2.11 --build cuda --show-origin --format json
equal 'the ancestor' "$(show "[(o['file'], o['reader'])
	for o in d['origins'] if o['scope'] == 'parent']")" \
	"[('process $pid (bash)', 'gave it to what it started, without having it itself')]"

# Files that are given, one of which says nothing.
printf 'PYTORCH_CUDA_ALLOC_CONF=%s\n' $value >"$tmp/a.env"
printf '\1\2' >"$tmp/odd"
run 0 env --torch 2.11 --build cuda "$tmp/a.env" "$tmp/odd"
has "$tmp/a.env:1: PYTORCH_CUDA_ALLOC_CONF=$value not in this process"
has "$tmp/odd: not read: neither name nor start tells what it is"
