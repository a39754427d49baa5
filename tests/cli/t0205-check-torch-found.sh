#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl check --torch auto: the torch of an environment, a user, a path.
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

# The torch of an environment, without running its python.
venv=$tmp/venv
mkdir -p "$venv/bin" "$venv/lib/python3.11/site-packages/torch"
: >"$venv/bin/python3"
chmod +x "$venv/bin/python3"
version=$venv/lib/python3.11/site-packages/torch/version.py
cat >"$version" <<-'EOF'
	from typing import Optional
	__version__ = '2.6.0+cu124'
	debug = False
	cuda: Optional[str] = '12.4'
	hip: Optional[str] = None
EOF
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH
export HOME="$tmp/home"
run 0 --python "$venv/bin/python3" backend:native
has "torch 2.6.0+cu124, cuda build, of $version"
has 'valid in torch 2.6'
VIRTUAL_ENV=$venv
export VIRTUAL_ENV
run 0 --torch auto backend:native
has 'valid in torch 2.6'
unset VIRTUAL_ENV
old=$PATH
PATH=$venv/bin:$PATH
run 0 --torch auto backend:native
has 'valid in torch 2.6'
PATH=$old
mkdir -p "$tmp/first/torch"
printf "__version__ = '2.7.1+rocm6.3'\nhip = '6.3'\n" \
	>"$tmp/first/torch/version.py"
PYTHONPATH=$tmp/none:$tmp/first
export PYTHONPATH
run 0 --python "$venv" backend:native
has "torch 2.7.1+rocm6.3, rocm build, of $tmp/first/torch/version.py"
unset PYTHONPATH
# An environment that sees the packages of the python that made it.
mkdir -p "$tmp/child"
printf 'home = %s/bin\ninclude-system-site-packages = true\n' "$venv" \
	>"$tmp/child/pyvenv.cfg"
run 0 --python "$tmp/child" backend:native
has 'valid in torch 2.6'
printf 'home = %s/bin\ninclude-system-site-packages = false\n' "$venv" \
	>"$tmp/child/pyvenv.cfg"
run 3 --python "$tmp/child" backend:native
equal 'no torch' "$(cat "$tmp/err")" \
	"allocctl: no torch in the packages of '$tmp/child'; say --python or --torch VERSION"
run 3 --python "$tmp/nowhere" backend:native
usage '--python goes with --torch auto' --python x --torch 2.6 x
