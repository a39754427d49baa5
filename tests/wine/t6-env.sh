#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The registry, a fresh logon and the memory of processes, for real.
. tests/support.sh
. tests/wine/support.sh

"$cross" -std=gnu11 -D_GNU_SOURCE -include liballoc/util/windows.h \
	-Iliballoc/include -Iliballoc -o "$tmp/env.exe" tests/wine/env.c \
	"$windows/lib/liballoc.a" -static -luserenv || fail 'env.c'
v=PYTORCH_CUDA_ALLOC_CONF
unset $v PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF

run() {	# run ARGUMENTS: $out
	status=0
	wine "$tmp/env.exe" "$@" >"$tmp/raw" || status=$?
	out=$(tr -d '\r' <"$tmp/raw")
}

change() {	# change user|system ARGUMENTS: of allocctl set
	persist=$1
	shift
	wine "$windows/bin/allocctl.exe" set --persist "$persist" \
		--variable $v "$@" >"$tmp/raw" 2>&1 || {
		cat "$tmp/raw" >&2
		fail "set --persist $persist $*"
	}
}

origins() {	# what allocctl env tells
	wine "$windows/bin/allocctl.exe" env --torch 2.9 --show-origin |
		tr -d '\r' >"$tmp/origins"
}

reg() {	# reg NAME-OF-KEY: data of the variable there
	wine reg query "$1" /v $v 2>/dev/null | tr -d '\r' |
		sed -n "s/^ *$v  *//p"
}

run fresh $v
equal 'fresh, before' "$out" '(unset)'
change user --undo
equal 'nothing to undo' "$(reg 'HKCU\Environment')" ''

# A user's variable: written, seen by a new logon, undone.
wine reg add 'HKCU\Environment' /v MYCONF /d a:1 /f >/dev/null
wine reg add 'HKCU\Environment' /v $v /t REG_EXPAND_SZ /d '%MYCONF%,b:2' \
	/f >/dev/null
run fresh $v
equal 'expanded' "$out" a:1,b:2
change user --apply expandable_segments:True
equal 'type and value' "$(reg 'HKCU\Environment')" \
	'REG_SZ    expandable_segments:True'
change user --apply max_split_size_mb:128
run fresh $v
equal 'fresh, set' "$out" max_split_size_mb:128
origins
grep -q 'HKCU.Environment' "$tmp/origins" || {
	cat "$tmp/origins" >&2
	fail 'no origin in the registry'
}
change user --undo
equal 'put back' "$(reg 'HKCU\Environment')" 'REG_EXPAND_SZ    %MYCONF%,b:2'
wine reg delete 'HKCU\Environment' /v $v /f >/dev/null

# The machine's; a service's.
change system --apply backend:native
equal 'of the machine' \
	"$(reg 'HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment')" \
	'REG_SZ    backend:native'
wine reg add 'HKLM\SYSTEM\CurrentControlSet\Services\trainer' /v Environment \
	/t REG_MULTI_SZ /d "X=1\\0$v=max_split_size_mb:64" /f >/dev/null
origins
for key in 'Session Manager' 'Services.trainer'; do
	grep -q "$key" "$tmp/origins" || {
		cat "$tmp/origins" >&2
		fail "no origin in $key"
	}
done
wine reg delete 'HKLM\SYSTEM\CurrentControlSet\Services\trainer' /f >/dev/null
change system --undo
run fresh $v
equal 'fresh, after' "$out" '(unset)'
wine reg delete 'HKCU\Environment' /v MYCONF /f >/dev/null

# The block of a process that changes it: Win32 shows both, getenv() one.
run live $v
equal 'live' "$out" "env.exe: crt:1
env.exe: win32:1
getenv crt:1"
run pid 999999 $v
equal 'no such process' $status 1
