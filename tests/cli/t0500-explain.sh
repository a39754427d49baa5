#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl explain: options, codes, presets, and the manual page from it.
. tests/support.sh

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl explain "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status of explain $*" "$status" "$want"
}

run 0
cp "$tmp/out" "$tmp/list"
has 'max_split_size_mb                     1.9+      MiB'
run 0 --torch 2.0
equal 'options of 2.0' "$(cut -d' ' -f1 "$tmp/out" | sort | tr '\n' ' ')" \
	'backend garbage_collection_threshold max_split_size_mb roundup_power2_divisions '

run 0 --all
for option in $(cut -d' ' -f1 "$tmp/list"); do
	grep -q "^$option (" "$tmp/out" || fail "--all lacks $option"
	grep -q "^\.It Cm $option$" docs/man/allocctl-settings.7 ||
		fail "allocctl-settings(7) lacks $option"
done
awk 'length > 80 { exit 1 }' "$tmp/out" || fail '--all is wider than 80'
run 0 --all --format man
cmp -s "$tmp/out" docs/man/allocctl-settings.7 ||
	fail 'allocctl-settings.7 is not what explain --all --format man writes'
if command -v mandoc >/dev/null; then
	mandoc -T lint -W error "$tmp/out" || fail 'mandoc'
fi

run 0 expandable_segments
for part in value range default history cost 'known from'; do
	grep -q "^  $part" "$tmp/out" || fail "no $part"
done
run 1 --torch 2.0 expandable_segments
has 'not in that release of torch'
run 0 --torch 2.1 expandable_segments

# Every code of the page has its words here.
sed -n 's/^| \(LA[0-9]*\) | \([^|]*\) |.*/\1 \2/p' docs/codes.md >"$tmp/codes"
[ "$(wc -l <"$tmp/codes")" -gt 120 ] || fail 'codes.md'
while read -r code meaning; do
	run 0 "$code"
	has "  $meaning"
done <"$tmp/codes"
run 0 la101
run 0 la299
run 2 LA999
run 2 max_split_size
equal near "$(cat "$tmp/err")" \
	"allocctl: no option 'max_split_size'; did you mean 'max_split_size_mb'?"

run 0 presets
grep -c '^[a-z0-9-]* (by ' "$tmp/out" >"$tmp/count"
equal presets "$(cat "$tmp/count")" "$(grep -c '  - name:' conf/presets.yaml)"
grep -q 'page sizes' "$tmp/out" || fail 'why guides go by the GPU'
run 0 presets --gpu A100-80GB
grep -q '^a100 ' "$tmp/out" || fail 'a100'
! grep -q -e '^v100 ' -e '^24gb ' "$tmp/out" || fail 'not of an A100'
run 0 presets --memory 24GiB
grep -q '^24gb ' "$tmp/out" || fail '24gb'
has '    max_split_size_mb:4096'
# A name that cards of several sizes share.
for gpu in V100 a100 RTX; do
	run 0 presets --gpu "$gpu"
	equal "by $gpu" "$(grep -c 'by gpu' "$tmp/out")" 1
done
run 2 presets --gpu Voodoo2
run 2 presets --gpu ''
run 2 presets --memory 0
run 2 presets --gpu A100-80GB --memory 1GiB
run 2 --all max_split_size_mb
run 2 --gpu A100-80GB backend
