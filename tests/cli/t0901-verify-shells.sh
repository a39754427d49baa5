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

# Whatever startup files do: it ends, what is printed is bounded, and nothing
# that they started runs on.
long=$((1000000 + $$)) # seconds that no other test sleeps
is_left() {	# as far as ps can see
	ps -A -o args 2>/dev/null | grep -q "^sleep $long$"
}

hostile() {	# hostile WANTED-STATUS COMMANDS: a .bashrc
	printf '%s\n' "$2" >"$HOME/.bashrc"
	start=$(date +%s)
	try "$1" backend:native --shell bash --interactive
	[ $(($(date +%s) - start)) -lt 20 ] || fail "$2: not ended in time"
	! is_left || fail "$2: it runs on"
}

given="export $V=backend:native"
if command -v bash >/dev/null; then
	put .bashrc x
	hostile 0 "echo before; read x; cat; $given; echo after"
	hostile 0 "printf 'a\\0b'; $given"
	hostile 0 "PATH=; $given"
	hostile 0 "alias exec=echo printf=echo; $given"
	hostile 0 "trap 'sleep $long' EXIT; $given"
	hostile 0 "exec 2>&1; set -xv; $given"
	hostile 0 "trap 'echo \$BASH_COMMAND' DEBUG; $given"
	hostile 1 "echo; echo allocctl-1-2-3 +6161; export $V=other"
	hostile 0 "sleep $long & $given"
	hostile 3 'exit 3'
	grep -q 'the shell ended before it started a program' "$tmp/out" ||
		fail "exit in a startup file: $(cat "$tmp/out")"
	hostile 3 'exec() { :; }'
	hostile 3 'exec >&-'
	hostile 3 'kill -9 $PPID; sleep '$long
	hostile 3 'kill -9 0'
	hostile 3 'exec >/dev/null; sleep '$long
	grep -q 'the shell closed its output' "$tmp/out" ||
		fail "output closed: $(cat "$tmp/out")"
	hostile 3 'while :; do echo much; done'
	hostile 3 'exec sleep '$long
	grep -q 'did not end in time' "$tmp/out" ||
		fail "no end: $(cat "$tmp/out")"
	if command -v setsid >/dev/null && [ -r /proc/thread-self/children ]
	then
		hostile 0 "(trap '' HUP; setsid sleep $long &); $given"
	fi
	# Nor when allocctl is ended in the middle.
	echo "echo >~/started; sleep $long" >"$HOME/.bashrc"
	allocctl verify --shell bash --interactive >/dev/null 2>&1 &
	tries=0
	until [ -e "$HOME/started" ]; do
		tries=$((tries + 1))
		[ $tries -lt 50 ] || fail 'the startup file is not read'
		sleep 0.1
	done
	kill -TERM $!
	wait $! 2>/dev/null || :
	sleep 0.2
	! is_left || fail 'it is left behind'
	put .bashrc "'a b\"'"
	allocctl verify --shell bash --interactive --format json >"$tmp/out"
	grep -q '"shells":\[{"shell":"bash","version":"[0-9][^"]*","value":"a b\\"","arrives":true,"trouble":null}\]' \
		"$tmp/out" || fail "JSON: $(cat "$tmp/out")"
fi
try 3 backend:native --shell none
try 3 backend:native --shell powershell --shell none

# A root that has no /proc, which sanitizers want.
if [ -z "${SANITIZE-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	rm -f "$HOME/.bashrc"
	cat >"$tmp/bare" <<'END'
mount -t tmpfs none /proc || exit 77
allocctl verify backend:native --shell sh || exit
cd "${1%/*}" && ./allocctl verify backend:native --shell sh
END
	status=0
	unshare -m sh "$tmp/bare" "$(command -v allocctl)" >"$tmp/out" 2>&1 ||
		status=$?
	[ $status = 0 ] || [ $status = 77 ] ||
		fail "without /proc: $(cat "$tmp/out")"
fi
