#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl check --policy: violations with code and line, exemptions, errors.
. tests/support.sh

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl check --platform linux "$@" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
	equal "status of check $*" "$status" "$want"
}

policy=$tmp/policy.yaml
cat >"$policy" <<'EOF'
policy: 1
variables: [PYTORCH_CUDA_ALLOC_CONF]
options:
  max_split_size_mb: { max: 512 }
  backend: forbidden
exempt:
  - user: bench
  - path: /opt/vendor/*
EOF
if ! allocctl check --policy "$policy" '' >/dev/null 2>"$tmp/err"; then
	grep -q 'no YAML reader' "$tmp/err" || fail "$(cat "$tmp/err")"
	skip 'built without libyaml'
fi

run 0 --policy "$policy" max_split_size_mb:512MB
has "as the policy wants it, see $policy"
run 1 --policy "$policy" backend:native,max_split_size_mb:513
has 'policy: backend is forbidden [LA302]'
has "    see $policy:5"
has 'policy: max_split_size_mb has to be 512 or less, and is 513 [LA304]'
has '    backend:native,max_split_size_mb:513'
has '                   ^~~~~~~~~~~~~~~~~'
run 1 --policy "$policy" PYTORCH_ALLOC_CONF=max_split_size_mb:100
has 'policy: the variable PYTORCH_ALLOC_CONF is not on the list [LA307]'
run 0 --policy "$policy" --user bench backend:native
has "exempt from the policy, see $policy:7"
run 0 --policy "$policy" --path /opt/vendor/bin/x backend:native
has "exempt from the policy, see $policy:8"
run 1 --policy "$policy" --path /opt backend:native
run 1 --policy "$policy" --format gcc backend:native
has '<argument>:1:1: error: backend is forbidden [LA302]'
run 1 --policy "$policy" --format json backend:native
grep -q '"violations":\[{"code":"LA302","offset":0,"length":7,"line":5,' \
	"$tmp/out" || fail 'json'
run 1 --policy "$policy" --path /opt/vendor/../bin/x backend:native
run 1 --policy "$policy" --format text max_split_size_mb:-1
has 'policy: max_split_size_mb has to be 512 or less, and is 17592186044415 [LA304]'
run 1 --policy "$policy" x:1
has 'policy: torch 2.11 refuses the setting [LA301]'
! grep -q ':0$' "$tmp/out" || fail 'a line 0'
run 0 --policy none backend:native

run 0 --policy conf/policy.example.yaml max_split_size_mb:100
run 1 --policy conf/policy.example.yaml max_split_size_mb:32
has 'policy: max_split_size_mb has to be 64 or more, and is 32: smaller values kept whole nodes busy with cudaMalloc [LA304]'

# --repair: what to use, alone, and why on standard error.
repaired() {	# repaired STATUS SETTING WANTED WHY
	run "$1" --policy "$policy" --repair "$2"
	equal "repaired $2" "$(cat "$tmp/out")" "$3"
	equal "why $2" "$(cat "$tmp/err")" "${4:+allocctl: $4}"
}
repaired 0 max_split_size_mb:512MB max_split_size_mb:512MB ''
repaired 1 backend:native backend:native \
	"'backend:native' stays: backend is forbidden"
echo 'repair: max_split_size_mb:100' >>"$policy"
repaired 0 backend:native max_split_size_mb:100 \
	"'backend:native' becomes 'max_split_size_mb:100': backend is forbidden"
repaired 0 "PYTORCH_CUDA_ALLOC_CONF=''max_split_size_mb:64''" \
	max_split_size_mb:64 \
	"''max_split_size_mb:64'' becomes 'max_split_size_mb:64': torch 2.11 refuses the setting"
repaired 0 max_split_size_mb=1024 max_split_size_mb:100 \
	"'max_split_size_mb=1024' becomes 'max_split_size_mb:100': torch 2.11 refuses the setting"
repaired 1 PYTORCH_ALLOC_CONF=backend:native backend:native \
	"'backend:native' stays: the variable PYTORCH_ALLOC_CONF is not on the list"
run 0 --policy "$policy" --user bench --repair backend:native
equal exempt "$(cat "$tmp/out")" backend:native
run 0 --policy none --repair x:y
equal 'no policy' "$(cat "$tmp/out")" x:y
run 2 --policy "$policy" --repair --format json x
sed '$d' "$policy" >"$tmp/p" && echo 'repair: backend:native' >>"$tmp/p"
run 1 --policy "$tmp/p" --repair backend:native
sed '$d' "$policy" >"$tmp/p" && echo 'repair: ""' >>"$tmp/p"
run 0 --policy "$tmp/p" --repair backend:native
equal 'no setting' "$(cat "$tmp/out")" ''
sed '$d' "$policy" >"$tmp/p" && echo 'repair: [a]' >>"$tmp/p"
run 3 --policy "$tmp/p" x
equal 'a list' "$(cat "$tmp/err")" \
	"allocctl: cannot read '$tmp/p': line 9, column 9: a setting is wanted"

sed -i '$d' "$policy"
echo 'options: {}' >>"$policy"
run 3 --policy "$policy" x
equal 'twice' "$(cat "$tmp/err")" \
	"allocctl: cannot read '$policy': line 9, column 1: the same key again"
run 3 --policy "$tmp/none" x
