#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl check --python: links, and version files that are none of torch's.
. tests/support.sh

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	timeout 10 allocctl check --policy none "$@" >"$tmp/out" \
		2>"$tmp/err" || status=$?
	equal "status of check $*" "$status" "$want"
}

venv=$tmp/venv
mkdir -p "$venv/bin" "$venv/lib/python3.11/site-packages/torch"
: >"$venv/bin/python3"
chmod +x "$venv/bin/python3"
version=$venv/lib/python3.11/site-packages/torch/version.py
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH
export HOME="$tmp/home"

printf "__version__ = '2.6.0'\n" >"$version"
run 0 --python "$venv" backend:native
has "torch 2.6.0, cuda build, of $version"
ln -s "$venv/bin/python3" "$tmp/link" || skip 'no links'
run 0 --python "$tmp/link" backend:native
has 'valid in torch 2.6'
printf "__version__ = '2.6.0+cpu'\ncuda = None\n" >"$version"
run 0 --python "$venv" nonsense
has "torch 2.6.0+cpu, cpu build, of $version"

# Read as text, never for long.
printf "__import__('os').mkdir('%s')\n__version__ = '2'\n" "$tmp/run" \
	>"$version"
run 3 --python "$venv" backend:native
equal 'no release' "$(cat "$tmp/err")" \
	"allocctl: $version: '2' is not a release of torch"
[ ! -e "$tmp/run" ] || fail 'version.py was executed'
rm "$version"
truncate -s 64G "$version"
run 3 --python "$venv" backend:native
rm "$version"
mkfifo "$version"
run 3 --python "$venv" backend:native
equal 'pipe' "$(cat "$tmp/err")" "allocctl: cannot read '$version'"
