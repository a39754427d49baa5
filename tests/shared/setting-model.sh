#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 20,000 strings at each of the three times: as the model of torch's parser.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
model=$SHARED/oracle
[ -e "$model/conf_parser_model.py" ] || skip "no model in $SHARED"

export PYTHONDONTWRITEBYTECODE=1
python3 tests/shared/setting-model.py strings 1 20000 >"$tmp/strings"
for when in import init runtime; do
	allocctl check --json-lines --set-at "$when" \
		<"$tmp/strings" >"$tmp/answers" 2>"$tmp/err" || [ $? -eq 1 ] ||
		fail "$(cat "$tmp/err")"
	equal "answers at $when" "$(wc -l <"$tmp/answers")" 20000
	python3 tests/shared/setting-model.py compare "$model" "$tmp/strings" \
		"$tmp/answers" || fail "different at $when"
done
