#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make bench: every subject that needs no GPU, then the tables of README.md.
#	QUICK=1		see that all scripts work; results go to $O/bench
#	T=pattern	only subjects that match (a BRE of grep)
# A subject says what it leaves out, and why.
set -eu
command -v python3 >/dev/null || { echo 'SKIP bench: no python3'; exit 0; }
export PYTHONDONTWRITEBYTECODE=1
status=0
for subject in exact reader replay heap memory articles growth; do
	echo "$subject" | grep -q "${T:-}" || continue
	if [ -n "${QUICK:-}" ]; then
		set -- --quick --results "$O/bench"
	else
		set --
	fi
	python3 "bench/$subject.py" "$@" || status=1
done
[ -n "${QUICK:-}" ] || python3 bench/tables.py || status=1
exit "$status"
