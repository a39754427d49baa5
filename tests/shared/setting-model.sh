#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# STRINGS generated strings (1,000) for each release and time: as the model of
# torch's parsers.  STRINGS=26000 compares a million.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
model=$SHARED/oracle
[ -e "$model/conf_parser_model.py" ] || skip "no model in $SHARED"

export PYTHONDONTWRITEBYTECODE=1
strings=${STRINGS:-1000}
seed=0

compare() {	# compare RELEASE TIME BUILD
	seed=$((seed + 1))
	python3 tests/shared/setting-model.py strings "$seed" "$strings" \
		>"$tmp/strings"
	parse-settings "$1" "$2" "$3" <"$tmp/strings" >"$tmp/answers" ||
		fail "parse-settings $*: status $?"
	python3 tests/shared/setting-model.py compare "$model" \
		"$tmp/strings" "$1" "$2" "$3" <"$tmp/answers" ||
		fail "$* differs"
}

for release in 1.10 1.12 1.13 2.0 2.1 2.2 2.6 2.7 2.9 2.10 2.11 2.12 2.14; do
	for when in import init runtime; do
		compare "$release" "$when" cuda
	done
done
for release in 2.10 2.12 2.14; do
	compare "$release" import cpu
done
