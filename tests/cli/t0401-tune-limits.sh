#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fits under a limit is what ran in torch under that limit.
. tests/support.sh
. tests/tune.sh

base=tests/data/big_random.11.base.pickle.xz
tab=$(printf '\t')
caps=$(cut -f 1 tests/data/remedy.tsv | sort -u)
# Of no interest to a sanitizer is that the search under each is right.
[ -z "${SANITIZE-}" ] || caps=$(echo "$caps" | tail -n 1)
for cap in $caps; do
	# Of the smallest of these limits torch says OOM in every row.
	tune $((cap == 9396102461)) "$base" --limit "$cap" --format json
	equal "limit of $cap" "$(member limit)" "{\"kind\":\"cap\",\"bytes\":$cap}"
	grep "^$cap$tab" tests/data/remedy.tsv >"$tmp/rows"
	while IFS="$tab" read -r _ outcome setting; do
		fits=true
		[ "$outcome" = runs ] || fits=false
		equal "fits of '$setting' in $cap" \
			"$(figure fits "$setting")" $fits
	done <"$tmp/rows"
	winner=$(member winner | tr -d '"')
	[ "$winner" != null ] || continue
	equal "the winner in $cap" "$(figure fits "$winner")" true
	allocctl replay "$base" --setting "$winner" --limit "$cap" \
		--format json >"$tmp/replay" ||
		fail "the winner '$winner' fails in $cap"
	equal "operations in $cap" "$(figure device_operations "$winner")" \
		"$(sed -n 's/.*"device_operations":\({[^}]*}\).*/\1/p' \
			"$tmp/replay")"
done

# Nothing fits: less than what is live.
tune 1 "$base" --limit 5GiB --format json
equal 'no winner' "$(member winner)" null
tune 1 "$base" --limit 5GiB
grep -q '^nothing fits: .* needs least, ' "$tmp/out" || fail 'what is least'
grep -q '^  .* GiB more than the cap of 5.00 GiB$' "$tmp/out" ||
	fail 'how much is missing'

# Who ran out of memory is told what fits there, here nothing.
tune 1 tests/data/gnn.oom.pickle.xz --format json
equal 'limit of the run' "$(member limit)" \
	'{"kind":"cap","bytes":8622760550}'
equal 'lower bound of the run' "$(member lower_bound)" true
equal 'the default at that limit' "$(figure fits '')" false
tune 0 tests/data/card.pickle.xz --format json
equal 'limit of a full card' "$(member limit)" \
	'{"kind":"card","bytes":9797435392}'
equal 'split on a full card' "$(figure fits max_split_size_mb:128)" true

# On a card an age threshold is inert; a name stands for the real total.
tune 0 tests/data/streams.default.pickle.xz --card T4 --format json
equal 'limit of a T4' "$(member limit)" \
	"{\"kind\":\"card\",\"bytes\":$((15633680957 - 518 * 1048576))}"
for key in minimum_memory estimated_seconds fits limit_kind; do
	equal "threshold on a card, $key" \
		"$(figure $key garbage_collection_threshold:0.6)" \
		"$(figure $key '')"
done
tune 0 tests/data/streams.default.pickle.xz --card T4
grep -q 'T4 less 518.00 MiB of CUDA context' "$tmp/out" ||
	fail 'what the name stands for'
tune 0 tests/data/streams.default.pickle.xz --card 512MB --format json
equal 'card of 512 MB' "$(member limit)" '{"kind":"card","bytes":512000000}'

# A setting with a cap of its own: 350 MiB of this card are too few for it.
tune 0 tests/data/streams.default.pickle.xz --format json \
	--setting roundup_power2_divisions:8,per_process_memory_fraction:0.0024 \
	--setting max_split_size_mb:200,per_process_memory_fraction:0.5
equal 'fits in its own cap' "$(figure fits \
	roundup_power2_divisions:8,per_process_memory_fraction:0.0024)" false
equal 'fits in half a card' "$(figure fits \
	max_split_size_mb:200,per_process_memory_fraction:0.5)" true
equal 'half a card' "$(figure limit \
	max_split_size_mb:200,per_process_memory_fraction:0.5)" 75054940160
tune 0 tests/data/streams.default.pickle.xz --format json --limit 1GiB \
	--setting max_split_size_mb:200,per_process_memory_fraction:0.5
equal 'the lower of two caps' "$(figure limit \
	max_split_size_mb:200,per_process_memory_fraction:0.5)" 1073741824

# A recording of a release that has no per_process_memory_fraction: the cap is
# not in the string.
cp tests/data/remedy-gnn.12.oom.pickle.xz "$tmp/old.pickle.xz"
cp tests/data/remedy-gnn.12.oom.json "$tmp/old.json"
tune 0 "$tmp/old.pickle.xz" --limit none
grep -q "export .*per_process_memory_fraction:" "$tmp/out" ||
	fail 'no cap in the string'
sed -i 's/"torch": "2.11/"torch": "2.9/' "$tmp/old.json"
tune 0 "$tmp/old.pickle.xz" --limit none --torch 2.9
grep -q "export .*per_process_memory_fraction:" "$tmp/out" &&
	fail 'an unknown option'
grep -q 'set_per_process_memory_fraction(' "$tmp/out" || fail 'no cap at all'

# --limit none forgets the recorded cap, auto takes it.
tune 0 "$tmp/old.pickle.xz" --limit none
grep -q '^limit       none' "$tmp/out" || fail 'limit none'
tune 0 "$tmp/old.pickle.xz" --limit auto
grep -q '^limit       cap of 8.40 GiB' "$tmp/out" || fail 'limit auto'

# What --card says in a word, and what it costs.
cost() {	# cost: seconds of the winner less those without any limit
	winner=$(member winner | tr -d '"')
	awk -v a="$(figure estimated_seconds "$winner")" \
		-v b="$(figure estimated_seconds_unlimited '')" \
		'BEGIN { printf "%.6f", (a > b ? a - b : 0) }'
}
tune 0 "$base" --card 24GiB --format json
equal 'a large card' "$(member answer)" '"fits"'
tune 0 "$base" --card 9.5GB --format json
equal 'a tight card' "$(member answer)" '"fits at a cost"'
equal 'its cost' "$(member cost_seconds | awk '{ printf "%.6f", $0 }')" \
	"$(cost)"
tune 1 "$base" --card 9.2GB --format json
equal 'a small card' "$(member answer)" '"does not fit"'
tune 1 "$base" --card 9.2GB
grep -q '^answer      card of 8.57 GiB: does not fit$' "$tmp/out" ||
	fail "$(grep answer "$tmp/out")"
tune 2 "$tmp/old.pickle.xz" --jobs 0
grep -q 'jobs wants 1 to' "$tmp/err" || fail 'no jobs'
