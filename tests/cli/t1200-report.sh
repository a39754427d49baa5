#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report: its pages hold what CPython reads of the recordings, event by event,
# and nothing that a browser would fetch or run but its own script.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
data=tests/data
page=$tmp/page.html

check() {	# check log|safe ...
	python3 tests/tools/report-page.py "$@" >"$tmp/said" 2>&1 ||
		fail "$*: $(tail -n 1 "$tmp/said")"
}

# Of all kinds: OOMs, frames, chains, private pools, streams, late starts.
for name in remedy-gnn.12.oom windows-gnn.frames streams.cap graphs.default \
	big_random.expandable mempools.default windows-varlen_gpt.late \
	recapture.expandable compiled.default; do
	allocctl report --no-tune --force $data/$name.pickle.xz -o "$page" \
		2>"$tmp/err" || fail "$name: $(cat "$tmp/err")"
	check safe "$page"
	check log "$page" $data/$name.pickle.xz
done

# Verdict, settings and both recordings, in words that are read without a script.
allocctl report --force $data/remedy-gnn.12.oom.pickle.xz -o "$page" || fail tune
check safe "$page"
sed '/<script/,$d' "$page" >"$tmp/text"
for words in '<strong>FRAGMENTATION, PROVEN: ' 'expandable_segments:True' \
	'<section id="verdict" ' '<section id="timeline" ' '<section id="map" ' \
	'<section id="holes" ' '<section id="settings" ' \
	'<section id="holders" ' 'role="img"' '>1006.57 MiB were asked for.'; do
	grep -qF "$words" "$tmp/text" || fail "no '$words' in the page"
done
[ "$(wc -c <"$page")" -lt 2000000 ] || fail 'the page has 2 MB or more'

allocctl report --force $data/gnn.oom.pickle.xz $data/card.pickle.xz \
	-o "$page" || fail 'two recordings'
check safe "$page"
check log "$page" $data/gnn.oom.pickle.xz $data/card.pickle.xz
grep -qF '<div class="compare">' "$page" || fail 'not side by side'

# What triage and tune wrote says the same as the recording.
allocctl triage $data/remedy-gnn.12.oom.pickle.xz --format json >"$tmp/triage" ||
	fail triage
allocctl tune $data/remedy-gnn.12.oom.pickle.xz --format json >"$tmp/tune" ||
	fail tune
allocctl report "$tmp/triage" "$tmp/tune" -o - >"$tmp/json.html" || fail JSON
check safe "$tmp/json.html"
part() {	# part ID PAGE
	sed -n "/<section id=\"$1\"/,/<\/section>/p" "$2"
}
allocctl report --force $data/remedy-gnn.12.oom.pickle.xz -o "$page" || fail tune
for id in verdict settings; do
	part $id "$page" >"$tmp/of-recording"
	part $id "$tmp/json.html" | cmp -s - "$tmp/of-recording" ||
		fail "$id of JSON differs"
	[ -s "$tmp/of-recording" ] || fail "no $id"
done

# The limit that tune was asked for is in its picture.
allocctl report --no-tune "$tmp/tune" --format svg --plot settings \
	-o "$tmp/settings.svg" || fail 'svg of settings'
grep -qF '>limit 8.40 GiB<' "$tmp/settings.svg" || fail 'svg: no limit'

# What blocks have behind their requests, in the terminal and in the picture.
streams=$data/streams.cap.pickle.xz
unused=$(python3 tests/tools/report-page.py unused $streams)
allocctl report --no-tune --term --plot map --at 667 $streams |
	tr '\n' ' ' >"$tmp/term"
grep -qF "$unused of these unused" "$tmp/term" || fail "term: not $unused"
grep -qF '░ unused in blocks' "$tmp/term" || fail 'term: no entry of the legend'
allocctl report --no-tune --format svg --plot map --at 667 $streams \
	-o "$tmp/map.svg" || fail svg
grep -qF "$unused of these unused" "$tmp/map.svg" || fail "svg: not $unused"
grep -qF '>unused in blocks<' "$tmp/map.svg" || fail 'svg: no entry of the legend'

# Streams that hold blocks have the names that were recorded.
for stream in $(python3 tests/tools/report-page.py streams $streams); do
	grep -q "stream ${stream}[,:] " "$tmp/map.svg" ||
		fail "svg: no stream $stream"
	grep -qF "█ stream $stream: " "$tmp/term" || fail "term: no stream $stream"
done
