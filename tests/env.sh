# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced behind support.sh by tests of running processes.
[ -r /proc/self/environ ] || skip "no /proc"
export PYTORCH_CUDA_ALLOC_CONF=backend:native
unset PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF PYTORCH_NO_CUDA_MEMORY_CACHING
started=''
trap 'for p in $started; do kill -9 "$p" 2>/dev/null || :; done; rm -rf "$tmp"' \
	EXIT

start() {	# start COMMAND...: $pid, once it has said that it is ready
	: >"$tmp/ready"
	"$@" >"$tmp/ready" 2>"$tmp/started" &
	pid=$!
	started="$started $pid"
	tries=0
	until [ -s "$tmp/ready" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || fail "$*: $(cat "$tmp/started")"
		sleep 0.1
	done
}

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = "$want" ] || cat "$tmp/out" "$tmp/err" >&2
	equal "status of $*" "$status" "$want"
}

show() {	# show EXPRESSION: of the JSON object d in $tmp/out
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval("(" + sys.argv[2] + ")"))' "$tmp/out" "$1"
}

has() {	# has TEXT: in the output, with line ends as blanks
	tr -s '\n ' '  ' <"$tmp/out" | grep -q -F -e "$1" || {
		cat "$tmp/out" >&2
		fail "no '$1'"
	}
}
