#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl check --torch auto as Windows lays python out: environments keep it
# in Scripts, installations at their top; APPDATA has the user's packages.
. tests/support.sh
. tests/wine/support.sh

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	wine "$windows/bin/allocctl.exe" check --platform linux "$@" \
		backend:native >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status of check $*" "$status" "$want"
}

torch() {	# torch FOLDER VERSION: packages with a torch
	mkdir -p "$1/torch"
	printf "__version__ = '%s'\r\ncuda = '12.4'\r\n" "$2" \
		>"$1/torch/version.py"
}

python=$tmp/Python311 venv=$tmp/venv
mkdir -p "$venv/Scripts"
torch "$python/Lib/site-packages" 2.6.0+cu124
torch "$venv/Lib/site-packages" 2.7.1+cu128
: >"$python/python.exe"
: >"$venv/Scripts/python.exe"
base=$(printf 'Z:%s' "$python" | tr / '\\')
printf 'home = %s\r\n' "$base" >"$venv/pyvenv.cfg"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH

run 0 --python "$base\\python.exe"
has 'valid in torch 2.6'
run 0 --python "$venv/Scripts/python.exe"
has 'valid in torch 2.7'
run 0 --python "$venv"
has 'valid in torch 2.7'
VIRTUAL_ENV=$venv
export VIRTUAL_ENV
run 0 --torch auto
has 'valid in torch 2.7'
unset VIRTUAL_ENV

WINEPATH=Z:$tmp/none\;Z:$venv/Scripts
export WINEPATH
run 0 --torch auto
has 'valid in torch 2.7'
unset WINEPATH

# An environment that sees the packages of the python that made it.
rm -r "$venv/Lib"
run 3 --python "$venv"
printf 'home = %s\r\ninclude-system-site-packages = true\r\n' "$base" \
	>"$venv/pyvenv.cfg"
run 0 --python "$venv"
has 'valid in torch 2.6'

torch "$tmp/first" 2.9.0
PYTHONPATH=Z:$tmp/none\;Z:$tmp/first
export PYTHONPATH
run 0 --python "$python"
has 'valid in torch 2.9'
unset PYTHONPATH

# A name that no code page has whole.
torch "$tmp/Jürgen δ/Lib/site-packages" 2.10.0
VIRTUAL_ENV="$tmp/Jürgen δ"
export VIRTUAL_ENV
run 0 --torch auto
has 'valid in torch 2.10'
run 0 --python "$VIRTUAL_ENV"
has 'valid in torch 2.10'
unset VIRTUAL_ENV

appdata=$WINEPREFIX/drive_c/users/$(id -un)/AppData/Roaming
rm -rf "$appdata/Python"
torch "$appdata/Python/Python311/site-packages" 2.10.0
run 0 --python "$python"
has 'valid in torch 2.10'
rm -rf "$appdata/Python"
run 3 --python "$tmp/nowhere"
