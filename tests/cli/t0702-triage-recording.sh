#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recordings of OOMs: what torch did under each setting is the truth for the
# table, what torch said is the truth for the facts.
. tests/support.sh
. tests/triage.sh

# Torch ran out with the default, garbage_collection_threshold:0.8 and
# roundup_power2_divisions:4, with these two earlier; it ended well with the
# others.
recording=$data/remedy-gnn.12.oom.pickle.xz
both=expandable_segments:True,garbage_collection_threshold:0.8
triage 0 $recording --format json --try max_split_size_mb:128 --try $both \
	--try garbage_collection_threshold:0.8 \
	--try roundup_power2_divisions:4 --try no_such_option:1
for row in ,stuck expandable_segments:True,past max_split_size_mb:128,past \
	garbage_collection_threshold:0.8,stuck \
	roundup_power2_divisions:4,stuck $both,past; do
	equal "outcome of ${row%,*}" "$(outcome "${row%,*}")" "${row##*,}"
done
says '"verdict":"FRAGMENTATION"'
says '"grade":"PROVEN"'
says '"exact":true'
says '"action":"ideal_packing","outcome":"past"'
says '"action":"no_cap","outcome":"past"'
for row in garbage_collection_threshold:0.8 roundup_power2_divisions:4; do
	tr '{' '\n' <"$tmp/out" |
		grep -q "^\"setting\":\"$row\",.*\"worse\":true" ||
		fail "$row is not worse"
done
tr '{' '\n' <"$tmp/out" | grep -q '^"setting":"no_such_option:1".*"outcome":"unknown"' ||
	fail 'what torch refuses is no row'

# 6.31 GiB were live, 1.26 GiB were free, says torch.
triage 0 $recording
says 'FRAGMENTATION, PROVEN: with expandable_segments:True the failed request is'
says ' GiB of 8.40 GiB reserved.'
says '1008.00 MiB was asked of the device'
says 'PyTorch held 1.26 GiB'
says 'Getting past one request is not finishing'
says 'export PYTORCH_CUDA_ALLOC_CONF='
says 'self-check  exact: 4,599 of 4,599 placements'
fits_screen 'the letter'
triage 0 $recording --shell powershell
says '$env:PYTORCH_CUDA_ALLOC_CONF = '

# None of the settings gets past it: none is promised.
triage 0 $data/gnn.oom.pickle.xz
says 'FRAGMENTATION, PROVEN: ideal packing would have served it, with '
says_not 'what to do  1. Turn expandable segments on'
says 'no help     expandable_segments:True; '

# A snapshot does not see others on the card.
triage 0 $data/oom_capacity.pickle.xz
says 'PyTorch had 139.29'
says 'Replay fails, even with ideal packing'

# A first screen has 40 lines, whatever is asked and in which language.
for file in "$data"/oom_*.pickle.xz "$data"/*.oom.pickle.xz \
	"$data"/streams.cap*.pickle.xz $data/seed_squares.cap_gc_split.pickle.xz; do
	for lang in en zh; do
		triage 0 "$file" --lang $lang
		fits_screen "the letter of $file in $lang"
		triage 0 "$file" --lang $lang --try max_split_size_mb:64 \
			--try garbage_collection_threshold:0.5 \
			--try expandable_segments:True,max_split_size_mb:256 \
			--try no_such_option:1
		fits_screen "the letter of $file in $lang with rows"
	done
done

# A message of the same OOM completes the recording; it is one OOM.
message remedy-gnn.12.oom >"$tmp/gnn.log"
triage 0 $recording "$tmp/gnn.log" "$tmp/gnn.log"
says_not 'OOMs were found'
says "from        $tmp/gnn.log, line 1;"
says "$recording, device 0, event "
message big_random.oom >"$tmp/other.log"
triage 0 "$tmp/other.log" $recording
says '2 OOMs were found:'
triage 0 $recording "$tmp/other.log" --format json
grep -q '"log":"[^"]*/other.log".*"log":null' "$tmp/out" ||
	fail 'logs do not come first'

# The same from pipes.
cat $recording | allocctl triage --format json >"$tmp/out" ||
	fail 'a recording on standard input'
says '"verdict":"FRAGMENTATION"'
allocctl triage - <"$tmp/gnn.log" >"$tmp/out" || fail 'a log on standard input'
says 'from        standard input, line 1'
xz -c "$tmp/gnn.log" >"$tmp/gnn.log.xz"
triage 0 "$tmp/gnn.log.xz"
says 'FRAGMENTATION, '
allocctl triage <"$tmp/gnn.log.xz" >"$tmp/out" || fail 'a packed log, piped'
says 'FRAGMENTATION, '

# Causes that were arranged.
for row in capacity,CAPACITY fraction,FRACTION_CAP \
	too_large,REQUEST_TOO_LARGE; do
	triage 0 "$data/oom_${row%,*}.pickle.xz" --card 150109880320 \
		--format json
	says "\"verdict\":\"${row#*,}\""
done

# A program that caught OOMs, five by the table of its events, went on.
allocctl convert $data/setters.s2016.pickle.xz "$tmp/events.csv"
equal 'OOMs of setters.s2016' "$(grep -c ,oom, "$tmp/events.csv")" 5
# It also changed its setting, so that its heap is known within bounds alone.
triage 3 $data/setters.s2016.pickle.xz
says '4 earlier OOMs were caught'
says 'The program caught this OOM and went on.'
says_not 'PROVEN'

# Of the same program without a limit, under the limit at which the recorded
# run failed: whether torch got to its end (remedy.tsv).
tab=$(printf '\t')
for factor in 1.03 1.15; do
	name=remedy-big_random.11.$factor
	cap=$(sed -n 's/.*"cap": \([0-9]*\),.*/\1/p' "$data/$name.json")
	triage 0 "$data/$name.pickle.xz" --format json \
		--program $data/big_random.11.base.pickle.xz \
		--try max_split_size_mb:128
	grep "^$cap$tab" $data/remedy.tsv >"$tmp/rows"
	while IFS=$tab read -r _ end setting; do
		whole=$(tr '{' '\n' <"$tmp/out" |
			sed -n 's/^"setting":"'"$setting"'",.*"outcome":"past".*"whole":"\([a-z]*\)".*/\1/p')
		[ -n "$whole" ] || continue
		checked=1
		equal "$setting under $cap" "$whole" \
			"$(echo "$end" | sed 's/^oom$/stuck/; s/^runs$/past/')"
	done <"$tmp/rows"
	[ "${checked-}" ] || fail "nothing to compare under $cap"
	checked=
	triage 0 "$data/$name.pickle.xz" \
		--program $data/big_random.11.base.pickle.xz
	says_not 'Getting past one request'
	case $factor in
	1.03) says 'yes, fails later' ;;
	1.15) says 'yes, to the end' ;;
	esac
done
