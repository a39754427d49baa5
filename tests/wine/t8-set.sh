#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# set, verify and doctor as a user of Windows runs them.
. tests/support.sh
. tests/wine/support.sh
v=PYTORCH_CUDA_ALLOC_CONF
unset $v PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF

run() {	# run STATUS ARGUMENTS: $tmp/out
	wanted=$1 status=0
	shift
	timeout 60 wine "$windows/bin/allocctl.exe" "$@" >"$tmp/raw" 2>&1 ||
		status=$?
	tr -d '\r' <"$tmp/raw" >"$tmp/out"
	[ $status = "$wanted" ] || {
		cat "$tmp/out" >&2
		fail "$*: status $status, wanted $wanted"
	}
}

says() {	# says TEXT: in $tmp/out
	grep -qF -- "$1" "$tmp/out" || {
		cat "$tmp/out" >&2
		fail "nothing says '$1'"
	}
}

reg() {	# the user's variable in the registry
	wine reg query 'HKCU\Environment' /v $v 2>/dev/null | tr -d '\r' |
		sed -n "s/^ *$v  *//p"
}

wine reg delete 'HKCU\Environment' /v $v /f >/dev/null 2>&1 || :

# There was none: set, set again, undone; the broadcast returns in time.
run 0 set max_split_size_mb:128 --persist user --apply
says "the user's environment: sets $v"
equal 'set' "$(reg)" 'REG_SZ    max_split_size_mb:128'
run 0 set max_split_size_mb:256 --persist user --apply
equal 'set again' "$(reg)" 'REG_SZ    max_split_size_mb:256'
run 0 set --undo --persist user
says "$v is as it was"
equal 'undone' "$(reg)" ''
run 0 set --undo --persist user
says 'nothing to change'

# What torch refuses changes nothing; neither are files edited.
run 1 set max_split_size_mb:1 --persist user --apply
equal 'refused' "$(reg)" ''
run 1 set max_split_size_mb:128 --shell dockerfile --persist user --apply

# The line of cmd, and what the real cmd makes of it.
run 0 set max_split_size_mb:128 --shell cmd
head -n 1 "$tmp/out" >"$tmp/line.bat"
printf '@echo off\r\n%s\r\nset %s\r\n' "$(cat "$tmp/line.bat")" $v \
	>"$tmp/line.bat"
equal 'line of cmd' "$(wine cmd /c "$tmp/line.bat" | tr -d '\r')" \
	"$v=max_split_size_mb:128"

# Quotes around the value stay in it; blanks before = are of the name.
printf 'set %s="max_split_size_mb:128"\r\n' $v >"$tmp/quotes.bat"
run 1 verify max_split_size_mb:128 --script "$tmp/quotes.bat"
printf 'set "%s=max_split_size_mb:128"\r\n' $v >"$tmp/good.bat"
run 0 verify max_split_size_mb:128 --script "$tmp/good.bat"

# What this process has, and a new logon would not give, is told.
export $v=max_split_size_mb:64
run 1 env --torch 2.9
says "$v=max_split_size_mb:64"
says LA298
status=0
timeout 60 wine "$windows/bin/allocctl.exe" doctor --torch 2.9 >"$tmp/out" ||
	status=$?
[ $status -le 1 ] || fail "doctor: status $status"
says max_split_size_mb:64
