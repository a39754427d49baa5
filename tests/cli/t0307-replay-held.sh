#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A snapshot shows what is held even without history.  Numbers are sums over
# the segments that Python reads from the pickle.
. tests/support.sh
data=tests/data

allocctl replay $data/nohistory.pickle.xz >"$tmp/out" || fail 'no history'
grep -q 'held        596.00 MiB reserved: 32.00 MiB live, 0 bytes pending, 564.00 MiB free' \
	"$tmp/out" || fail "what is held: $(cat "$tmp/out")"
grep -q 'largest     20.00 MiB is free in one piece, of 57 holes' "$tmp/out" ||
	fail 'the largest hole'
grep -q 'not known   peaks, the limit' "$tmp/out" || fail 'what is not known'
allocctl replay $data/nohistory.pickle.xz --format json >"$tmp/out"
grep -q -F '"held_at_end":{"reserved":624951296,"segments":58,"expandable":0,"expandable_ranges":0,"live":33554432,' \
	"$tmp/out" || fail "JSON of what is held: $(cat "$tmp/out")"
grep -q -F '"releasable":591396864,"free":{"bytes":591396864,"count":57,"largest":20971520,"histogram":[{"from":2097152,"count":32,"bytes":67108864},{"from":16777216,"count":25,"bytes":524288000}]}' \
	"$tmp/out" || fail 'JSON of the holes'

# enabled="state": the end of a free is all that there is of a history.
allocctl replay $data/windows-gnn.state.pickle.xz --format json >"$tmp/out" ||
	fail 'state alone'
grep -q -F '"self_check":null,"setting":"","held_at_end":{"reserved":25799163904,"segments":47,"expandable":0,"expandable_ranges":0,"live":68157440,' \
	"$tmp/out" || fail "what is held: $(cat "$tmp/out")"
grep -q -F '"releasable":25367150592,"free":{"bytes":25731006464,"count":47,"largest":1293942784,' \
	"$tmp/out" || fail 'holes of a state'

# Beside the replay, where there is history.
allocctl replay $data/windows-gnn.first.pickle.xz --format json >"$tmp/out"
grep -q -F '"held_at_end":{"reserved":12197036032,"segments":35,"expandable":0,"expandable_ranges":0,"live":68157440,' \
	"$tmp/out" || fail 'what was held at the end'
grep -q -F '"releasable":11765022720,"free":{"bytes":12128878592,"count":35,' \
	"$tmp/out" || fail 'holes at the end'

# All devices, each with what it answers alone.
allocctl replay $data/two.pickle.xz --device all >"$tmp/out"
allocctl replay $data/two.pickle.xz --device 0 >"$tmp/alone"
echo >>"$tmp/alone"
allocctl replay $data/two.pickle.xz --device 1 >>"$tmp/alone"
cmp -s "$tmp/out" "$tmp/alone" || fail 'all devices'
allocctl replay $data/two.pickle.xz --device all --format json >"$tmp/out"
grep -q '^{"schema":"allocctl.replay-devices/1","devices":\[{.*},{.*}\]}$' \
	"$tmp/out" || fail 'JSON of all devices'

# Calls of empty_cache() that are put in.  The figures are the readable model's
# with a flush before the same events.
status=0
allocctl replay $data/gnn.oom.pickle.xz --limit none --empty-cache-every 5 \
	--format json >"$tmp/out" || status=$?
equal 'exit status with empty_cache' "$status" 0
grep -q -F '"outcome":"runs","oom":null,"peak_reserved":12404654080,' \
	"$tmp/out" || fail 'peak with empty_cache'
grep -q -F '"device_operations":{"mallocs":109,"frees":78,"maps":0,"unmaps":0,"synchronisations":4}' \
	"$tmp/out" || fail 'operations with empty_cache'
grep -q -F '"empty_cache":{"every":5,"steps_from":"requests","steps":21,' \
	"$tmp/out" || fail 'steps'
allocctl replay $data/gnn.oom.pickle.xz --limit none --empty-cache-every 5 \
	>"$tmp/out"
grep -q 'put in      4 calls of empty_cache(), at every 5. step;' "$tmp/out" ||
	fail 'text with empty_cache'
