#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# write-golden.sh FOLDER: write files as this version writes them, for later
# versions to read; the programs are those of PATH.  Once for each release, into
# tests/data/golden/VERSION: what is there never changes.
set -eu
data=tests/data
mkdir "$1"
out=$(cd "$1" && pwd)

# Recordings of the probe, as each front end makes them, what stands beside them
# and what they tell.
for name in fragmentation_card.cupti too_large.preload; do
	xz -dc "$data/probe/$name.cpr.xz" >"$out/$name.cpr"
	chmod 600 "$out/$name.cpr"
	(
		cd "$out"
		cupti-probe report --write "$name.cpr" >/dev/null
		cupti-probe report --format json "$name.cpr" >"$name.answer.json"
		cupti-probe info --format json "$name.cpr" >"$name.info.json"
		rm "$name.report.txt"
		xz -2 "$name.cpr"
	)
done

# A snapshot that was converted, and shares of a search for its setting.
allocctl convert "$data/oom_fraction.pickle.xz" "$out/converted.pickle"
cd "$out"
allocctl replay --format json converted.pickle >converted.answer.json ||
	[ $? -eq 1 ]
for n in 1 2; do
	allocctl tune --shard $n/2 converted.pickle >shard-$n.json
done
allocctl tune --merge --format json shard-1.json shard-2.json >merged.json ||
	[ $? -eq 1 ]
xz -2 shard-1.json shard-2.json merged.json
