#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl env --core of what systemd-coredump 252 wrote into the journal; that
# it still does, tests/system sees.
. tests/support.sh
V=PYTORCH_CUDA_ALLOC_CONF

cat >"$tmp/record" <<END
{"COREDUMP_ENVIRON":"$V=max_split_size_mb:256\n","COREDUMP_PID":"1"}
{"MESSAGE":"between them"}
{"COREDUMP_ENVIRON":"PATH=/bin\n$V=a:1,\\\\\"b\\\\\\\\n%\\\\t\\\\303\\\\251\\\\n$V=other:1\nPWD=/\n"}
END
status=0
allocctl env --core "$tmp/record" --format json >"$tmp/out" 2>"$tmp/err" ||
	status=$?
grep -q 'made without jansson' "$tmp/err" && skip 'no JSON'
equal status $status 1
grep -qF '"value":"a:1,\"b\\n%\té\n'"$V"'=other:1"' "$tmp/out" ||
	fail "value: $(cat "$tmp/out")"

refused() {	# refused MESSAGE <RECORD
	status=0
	allocctl env --core - >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status of: $1" $status 3
	equal message "$(cat "$tmp/err")" "allocctl: standard input: $1"
}
echo '{"COREDUMP_ENVIRON":null}' |
	refused 'journalctl left the environment out; add --all'
echo '{"COREDUMP_ENVIRON":[86,"a"]}' | refused 'COREDUMP_ENVIRON is not a text'
echo '{"COREDUMP_ENVIRON":[86,0]}' | refused 'COREDUMP_ENVIRON is not a text'
echo '{"A":1}' | refused 'no record of systemd-coredump'
refused 'no record of systemd-coredump' </dev/null
echo '{"A":1} x' | refused "offset 9: '[' or '{' expected near 'x'"
