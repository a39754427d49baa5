# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the tests of cupti-probe share; read after tests/support.sh.
command -v cupti-probe >/dev/null || skip 'no cupti-probe'
unset CUPTI_PROBE CUPTI_PROBE_SIZE CUPTI_PROBE_NODE_SIZE CUPTI_PROBE_RUN
unset CUDA_INJECTION64_PATH CUPTI_PROBE_CHAIN SLURM_JOB_ID
unset KUBERNETES_SERVICE_HOST
HOME=$tmp/home XDG_STATE_HOME=
d=$tmp/records CUPTI_PROBE_DIR=$tmp/records
export HOME XDG_STATE_HOME CUPTI_PROBE_DIR
mkdir "$HOME" "$d"

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	cupti-probe "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	[ "$status" = "$want" ] || cat "$tmp/err" >&2
	equal "status of $*" "$status" "$want"
}

said() {	# said WHAT TEXT: on standard error
	grep -q -F -e "$2" "$tmp/err" || fail "$1: $(cat "$tmp/err")"
}

has() {	# has TEXT: on standard output
	grep -q -F -e "$1" "$tmp/out" || fail "no '$1' in: $(cat "$tmp/out")"
}

show() {	# show EXPRESSION: of the JSON d in $tmp/out
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$tmp/out" "$1"
}
