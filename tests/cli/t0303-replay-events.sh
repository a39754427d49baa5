#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --emit-events gives what was recorded; --log-splits tells of the blocks that
# were handed out from bigger ones.
. tests/support.sh
data=tests/data

# From the pickle: the first events and the OOM of streams.cap.
status=0
allocctl replay $data/streams.cap.pickle.xz --emit-events "$tmp/events" \
	>"$tmp/out" || status=$?
equal 'exit status' "$status" 1
equal 'events' "$(wc -l <"$tmp/events")" 296
equal 'allocs' "$(grep -c '"action":"alloc"' "$tmp/events")" 190
equal 'oom' "$(grep '"action":"oom"' "$tmp/events")" \
	'{"action":"oom","device":0,"addr":null,"size":13868032,"stream":583419840}'
# "-" is stdout, and then nothing else is there.
allocctl replay $data/streams.cap.pickle.xz --emit-events - >"$tmp/stdout" ||
	status=$?
cmp -s "$tmp/events" "$tmp/stdout" || fail 'events on stdout'

# With --verify too, and then the status is of the comparison.
allocctl replay $data/streams.cap.pickle.xz --verify --format json \
	--emit-events "$tmp/verified" >"$tmp/out" || fail 'events of --verify'
cmp -s "$tmp/events" "$tmp/verified" || fail 'other events with --verify'
grep -q '"exact":true' "$tmp/out" || fail 'no report with --verify'

# Each split is of a block that an alloc got, at its start.
allocctl replay $data/streams.default.pickle.xz --log-splits >"$tmp/splits"
allocctl replay $data/streams.default.pickle.xz --emit-events - |
	sed -n 's/{"action":"alloc",.*"addr":\([0-9]*\),.*/\1/p' >"$tmp/allocs"
grep -q -v -E '^Allocator block 0x[0-9a-f]+ - 0x[0-9a-f]+ \([0-9]+(MB|KB|B)\) split from 0x[0-9a-f]+ - 0x[0-9a-f]+ \([0-9]+(MB|KB|B)\)$' \
	"$tmp/splits" && fail 'form of the split log'
sed 's/^Allocator block 0x\([0-9a-f]*\) .*/\1/' "$tmp/splits" |
	while read -r hex; do printf '%d\n' "0x$hex"; done >"$tmp/starts"
# The starts are a subsequence of the allocs.
equal 'splits that an alloc explains' "$(awk '
	NR == FNR { start[++n] = $1; next }
	at < n && $1 == start[at + 1] { at++ }
	END { print at + 0 }' "$tmp/starts" "$tmp/allocs")" \
	"$(wc -l <"$tmp/starts")"
[ -s "$tmp/starts" ] || fail 'no splits'
