#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl-policy(5): its example judges as it says, it has every key that the
# shipped example has, and what it calls an error is one.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'
page=docs/man/allocctl-policy.5
policy=$tmp/policy.yaml

check() {	# check WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl check --platform linux --policy "$policy" "$@" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = "$want" ] || cat "$policy" "$tmp/out" "$tmp/err" >&2
	equal "status of check $*" "$status" "$want"
}

sed -n '/^\.Bd -literal/,/^\.Ed/p' $page | sed '/^\.[BE]d/d' >"$policy"
if ! allocctl check --policy "$policy" expandable_segments:True \
	>/dev/null 2>"$tmp/err"; then
	grep -q 'no YAML reader' "$tmp/err" || fail "$(cat "$tmp/err")"
	skip 'built without libyaml'
fi
check 0 expandable_segments:True,max_split_size_mb:64
check 1 max_split_size_mb:64
check 1 expandable_segments:False
check 1 expandable_segments:True,max_split_size_mb:63
grep -q 'smaller ones cost too much time' "$tmp/out" || fail 'no reason'
check 1 expandable_segments:True,backend:native
check 1 --torch 2.5 expandable_segments:True
check 0 --user benchmark backend:native

# Keys of the shipped example, but for names of options.
sed 's/#.*//; s/^ *- */ /' conf/policy.example.yaml | tr -s '{},' '\n' |
	sed -n 's/^ *\([a-z_]*\):.*/\1/p' | sort -u >"$tmp/keys"
grep -q -x except "$tmp/keys" || fail 'no keys in the shipped example'
allocctl explain | cut -d' ' -f1 | sort -u >"$tmp/options"
comm -23 "$tmp/keys" "$tmp/options" | while read -r key; do
	grep -q "^\.\(It \)\{0,1\}Cm.* $key\|^\.\(It \)\{0,1\}Cm $key" $page ||
		fail "the page lacks $key"
done

refused() {	# refused WHAT: standard input is no policy, and where
	cat >"$policy"
	check 3 ''
	grep -q ':[0-9]*:[0-9]*:\|line [0-9]*, column [0-9]*' "$tmp/err" ||
		fail "$1: no line and column: $(cat "$tmp/err")"
}
printf 'policy: 1\ncolour: red\n' | refused 'unknown key'
printf 'policy: 1\nother_options: allowed\nother_options: allowed\n' |
	refused 'a key twice'
printf 'policy: 1\nvariables: &a [PYTORCH_ALLOC_CONF]\n' | refused anchor
printf 'policy: 1\nvariables: *a\n' | refused alias
printf 'policy: 1\nvariables: !x [PYTORCH_ALLOC_CONF]\n' | refused tag
printf 'policy: 1\n---\npolicy: 1\n' | refused 'second document'
printf 'policy: 1\nvariables: %s\n' '[[[[[[[[[[[[[[[[[a]]]]]]]]]]]]]]]]]' |
	refused levels
printf 'other_options: allowed\npolicy: 1\n' | refused 'policy is not first'
printf 'policy: 2\n' | refused 'another form'
printf 'policy: 1\noptions:\n  backend: { min: 1 }\n' | refused 'bound of words'
printf 'policy: 1\noptions:\n  backend: { values: [fast] }\n' | refused values
printf 'policy: 1\nexempt:\n  - path: bin/x\n' | refused 'relative path'
