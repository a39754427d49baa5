#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# verify --shell on Windows: the real cmd, shells that misbehave, and none.
. tests/support.sh
. tests/wine/support.sh
v=PYTORCH_CUDA_ALLOC_CONF
unset $v PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF
allocctl=$windows/bin/allocctl.exe

judge() {	# judge STATUS TEXT WHAT: of $status and $tmp/raw
	tr -d '\r' <"$tmp/raw" >"$tmp/out"
	[ "$status" = "$1" ] && grep -qF -- "$2" "$tmp/out" && return
	cat "$tmp/out" >&2
	fail "verify $3: status $status, wanted $1 and '$2'"
}

try() {	# try STATUS TEXT ARGUMENTS: of verify
	wanted=$1 text=$2 status=0
	shift 2
	timeout 60 wine "$allocctl" verify "$@" >"$tmp/raw" 2>&1 || status=$?
	judge "$wanted" "$text" "$*"
}

within() {	# within STATUS TEXT NAME=VALUE... -- ARGUMENTS: in this block
	wanted=$1 text=$2 status=0
	shift 2
	echo '@echo off' >"$tmp/block.bat"
	while [ "$1" != -- ]; do
		printf 'set "%s"\r\n' "$1" >>"$tmp/block.bat"
		shift
	done
	shift
	printf '"Z:%s" verify %s\r\n' "$allocctl" "$*" | tr / '\\' \
		>>"$tmp/block.bat"
	timeout 60 wine cmd /d /c "$tmp/block.bat" >"$tmp/raw" 2>&1 ||
		status=$?
	judge "$wanted" "$text" "$*"
}

# The line that set prints, whatever stands in the value.
for value in 'roundup_power2_divisions:[256:1,>:8]' 'a:1&b:2|c' 'a ^ b!' \
	'100%' "(it's)" 'x:\' 'é日本'; do
	try 0 "cmd: arrives: $v=$value" "$value" --shell cmd
done
try 3 'no line of this shell sets that value' 'a"b' --shell cmd

# What the block has, however it is started: cmd knows no login.
for start in --script --login --interactive; do
	try 1 'its programs have no such variable' a:1 --shell cmd $start
done
within 0 'cmd: arrives' $v=a:1 -- a:1 --shell cmd --script
within 1 "cmd: does not arrive: $v=a:2" $v=a:2 -- a:1 --shell cmd --script
within 0 "NAME=a:1" NAME=a:1 -- --variable NAME --shell cmd

# Shells that are none, that end, print for ever, or hang: all of it ends.
try 3 'powershell: unknown: that of wine is a stub' --shell powershell
try 3 'pwsh: unknown: it is not installed here' --shell pwsh
try 3 'bash: unknown: it cannot be run here' --shell bash
"$cross" -O2 -Wall -Werror -o "$tmp/shell.exe" tests/wine/shell.c ||
	fail 'shell.c'
shell="ComSpec=Z:$(echo "$tmp" | tr / '\\')\\shell.exe"
file="SHELL_FILE=Z:$(echo "$tmp" | tr / '\\')\\alive"
within 3 'cmd: unknown: cannot start a process' 'ComSpec=Z:\no.exe' -- \
	--shell cmd
within 3 'the shell ended before it started a program' "$shell" -- \
	--shell cmd
within 3 'or printed too much' "$shell" "$file" SHELL_DOES=much -- \
	--shell cmd
start=$(date +%s)
within 3 'the shell did not end in time' "$shell" "$file" \
	SHELL_DOES=hang -- --shell cmd
took=$(($(date +%s) - start))
if [ $took -lt 10 ] || [ $took -gt 30 ]; then
	fail "ended after $took seconds"
fi
[ -s "$tmp/alive" ] || fail 'the shell did not run'
sleep 1
size=$(wc -c <"$tmp/alive")
sleep 1
equal 'of what it left' "$(wc -c <"$tmp/alive")" "$size"
