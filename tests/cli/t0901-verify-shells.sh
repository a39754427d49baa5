#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl verify --shell: what real shells give with their startup files.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'
HOME=$tmp/home
export HOME
unset ENV BASH_ENV ZDOTDIR XDG_CONFIG_HOME PYTORCH_CUDA_ALLOC_CONF
V=PYTORCH_CUDA_ALLOC_CONF

put() {	# put FILE VALUE: a startup file in a home that has no other
	rm -rf "$HOME"
	mkdir -p "$HOME/.config/fish"
	case $1 in
	*fish) printf 'set -gx %s %s\n' $V "$2" ;;
	*csh*|*.login) printf 'setenv %s %s\n' $V "$2" ;;
	*) printf 'export %s=%s\n' $V "$2" ;;
	esac >"$HOME/$1"
}

try() {	# try WANTED-STATUS SETTING ARGUMENTS
	want=$1
	shift
	status=0
	allocctl verify "$@" >"$tmp/out" 2>&1 </dev/null || status=$?
	[ "$status" = "$want" ] || cat "$tmp/out" >&2
	equal "status of verify $*" "$status" "$want"
}

one() {	# one SHELL FILE LOGIN INTERACTIVE SCRIPT: status in each
	command -v "$1" >/dev/null || return 0
	put "$2" backend:native
	try "$3" backend:native --shell "$1" --login
	try "$4" backend:native --shell "$1" --interactive
	try "$5" backend:native --shell "$1" --script
	try 0 'roundup_power2_divisions:[256:1,>:8]' --shell "$1"
	try 1 a:1 --shell "$1" --script
	tested=$((tested + 1))
}

tested=0
one bash .bashrc 1 0 1
one bash .bash_profile 0 1 1
one bash .profile 0 1 1
one dash .profile 0 1 1
one zsh .zshenv 0 0 0
one zsh .zshrc 1 0 1
one zsh .zprofile 0 1 1
one ksh .kshrc 1 0 1
one mksh .mkshrc 1 0 1
one fish .config/fish/config.fish 0 0 0
one tcsh .tcshrc 0 0 0
one tcsh .login 0 1 1
[ $tested -gt 0 ] || skip 'no shell'

# Whatever startup files do: it ends, and what is printed is bounded.
if command -v bash >/dev/null; then
	put .bashrc x
	printf 'echo before; cat; export %s=backend:native; echo after\n' $V \
		>"$HOME/.bashrc"
	try 0 backend:native --shell bash --interactive
	echo 'exit 3' >"$HOME/.bashrc"
	try 3 backend:native --shell bash --interactive
	grep -q 'the shell ended before it started a program' "$tmp/out" ||
		fail "exit in a startup file: $(cat "$tmp/out")"
	echo 'while :; do echo much; done' >"$HOME/.bashrc"
	try 3 backend:native --shell bash --interactive
	echo 'sleep 100' >"$HOME/.bashrc"
	start=$(date +%s)
	try 3 backend:native --shell bash --interactive
	[ $(($(date +%s) - start)) -lt 20 ] || fail 'not ended in time'
	put .bashrc "'a b\"'"
	allocctl verify --shell bash --interactive --format json >"$tmp/out"
	grep -q '"shells":\[{"shell":"bash","version":"[0-9][^"]*","value":"a b\\"","arrives":true,"trouble":null}\]' \
		"$tmp/out" || fail "JSON: $(cat "$tmp/out")"
fi
try 3 backend:native --shell none
try 3 backend:native --shell powershell --shell none
