#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report: where it writes to, single pictures, the terminal, replays, errors.
. tests/support.sh
gnn=tests/data/remedy-gnn.12.oom.pickle.xz
cp $gnn "$tmp/a.pickle.xz"
cp tests/data/remedy-gnn.12.oom.json "$tmp/a.json"

refused() {	# refused STATUS WORDS ARGUMENTS...: in one line
	wanted=$1 words=$2
	shift 2
	status=0
	allocctl report "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status of $*" $status "$wanted"
	equal "lines of $*" "$(wc -l <"$tmp/err")" 1
	grep -qF -e "$words" "$tmp/err" || fail "$*: $(cat "$tmp/err")"
}

# Beside the file, once.
allocctl report --no-tune "$tmp/a.pickle.xz" || fail 'beside the file'
[ -s "$tmp/a.pickle.xz.html" ] || fail 'no page beside the file'
refused 3 'is there; --force replaces it' --no-tune "$tmp/a.pickle.xz"
allocctl report --no-tune --force "$tmp/a.pickle.xz" || fail --force
allocctl report --no-tune "$tmp/a.pickle.xz" -o - >"$tmp/page" || fail '-o -'
cmp -s "$tmp/page" "$tmp/a.pickle.xz.html" || fail '-o - differs'
allocctl report --no-tune --output "$tmp/b.html" - <"$tmp/a.pickle.xz" ||
	fail 'from standard input'
[ -s "$tmp/b.html" ] || fail 'no page of standard input'
cp "$tmp/a.pickle.xz" "$tmp/second.xz"
refused 3 "'$tmp/second.xz' is the input" --no-tune --force \
	"$tmp/a.pickle.xz" "$tmp/second.xz" -o "$tmp/second.xz"
cmp "$tmp/a.pickle.xz" "$tmp/second.xz" || fail 'an input is replaced'
refused 3 "'$tmp/a.pickle.xz' is the input" --no-tune --force \
	"$tmp/a.pickle.xz" -o "$tmp/a.pickle.xz"

refused 2 'report wants a FILE' --no-tune
refused 2 'of standard input: say -o OUT' -
refused 2 'one picture: timeline, map, holes, settings or holders' --format svg $gnn
refused 2 '--plot goes with' --plot map $gnn
refused 2 '--term goes without' --term -o "$tmp/c" $gnn
refused 2 "know 'maps': it takes timeline, map, holes, settings or holders" \
	--plot maps --term $gnn
refused 3 'cannot read' "$tmp/none.pickle" -o "$tmp/c"
refused 2 'want one recording' --setting max_split_size_mb:64 $gnn \
	tests/data/card.pickle.xz -o "$tmp/c"
refused 3 'no stacks were recorded' --no-tune --term --plot holders $gnn
refused 3 'no settings were searched' --no-tune --term --plot settings $gnn
echo '{"schema":"allocctl.tune/1"' >"$tmp/cut.json"
refused 3 'cannot read' "$tmp/cut.json" -o "$tmp/c"
[ ! -e "$tmp/c" ] || fail 'something was written'

quick() {	# quick PLOT: settings are searched for their picture alone
	[ "$1" = settings ] || echo --no-tune
}

# Each picture alone; all in the terminal, none wider than it is.
for plot in timeline map holes settings; do
	# shellcheck disable=SC2046 # no word or one
	allocctl report $(quick $plot) --format svg --plot $plot \
		"$tmp/a.pickle.xz" || fail $plot
	head -n 1 "$tmp/a.pickle.xz.$plot.svg" | grep -q '^<svg ' ||
		fail "no SVG of $plot"
done
allocctl report --no-tune --format svg --plot holders -o "$tmp/holders.svg" \
	tests/data/windows-gnn.frames.pickle.xz || fail holders
if command -v python3 >/dev/null; then
	python3 -c 'import sys, xml.dom.minidom
for path in sys.argv[1:]:
    xml.dom.minidom.parse(path)' "$tmp"/*.svg || fail 'SVG that is no XML'
fi
allocctl report --term "$tmp/a.pickle.xz" >"$tmp/term" || fail --term
for title in 'Memory over time' 'Address map' 'Holes' 'Settings'; do
	grep -q "^$title" "$tmp/term" || fail "no '$title' in the terminal"
done
! LC_ALL=C grep -q "$(printf '\033')" "$tmp/term" || fail 'colours in a file'

# Replays stand beside the recording: one fits, the recorded one does not.
allocctl report --no-tune --setting expandable_segments:True \
	--setting max_split_size_mb:64 $gnn -o "$tmp/two.html" || fail --setting
equal 'views' "$(grep -c '<figure data-view="[012]">' "$tmp/two.html")" 9
grep -qF 'a.pickle.xz, expandable_segments:True' "$tmp/two.html" ||
	grep -qF 'remedy-gnn.12.oom.pickle.xz, expandable_segments:True' \
		"$tmp/two.html" || fail 'no name of the replay'
allocctl report --no-tune --limit 8GiB $gnn -o "$tmp/limit.html" || fail --limit
grep -qF '<dd>cap of 8.00 GiB</dd>' "$tmp/limit.html" || fail 'the other limit'
allocctl report --no-tune --at 100 $gnn -o "$tmp/at.html" || fail --at
grep -qF 'segments and blocks: event 100' "$tmp/at.html" || fail 'the moment'

# The end is behind the last of 13,907 events, and nothing behind the end.
events=13907
allocctl report --no-tune --force --at "$events" $gnn -o "$tmp/at.html" ||
	fail '--at the end'
grep -qF 'segments and blocks: end' "$tmp/at.html" || fail 'the end'
refused 2 "has no event $((events + 1)), it has $events" --no-tune \
	--at $((events + 1)) $gnn -o "$tmp/c"
refused 2 "has no event 9999999999, it has $events" --no-tune --term \
	--at 9999999999 $gnn

# Without history there is what was held; a log has its verdict alone.
allocctl report tests/data/nohistory.pickle.xz -o "$tmp/nohistory.html" \
	2>"$tmp/err" || fail "no history: $(cat "$tmp/err")"
grep -qF 'there is nothing to replay, as no history' "$tmp/nohistory.html" ||
	fail 'no history'
echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.00 MiB.' \
	>"$tmp/train.log"
allocctl report "$tmp/train.log" -o "$tmp/log.html" || fail 'of a log'
grep -qF 'Tried to allocate 14.00 MiB<' "$tmp/log.html" || fail 'its message'
refused 3 'allocctl triage says in words' --term "$tmp/train.log"

# Nothing is no page; what was tried has the words of triage.
: >"$tmp/empty.pickle"
echo 'epoch 1, loss 0.5' >"$tmp/calm.log"
for file in empty.pickle calm.log; do
	refused 3 'nothing to show' "$tmp/$file" -o "$tmp/nothing.html"
	[ ! -e "$tmp/nothing.html" ] || fail "a page of $file"
done
allocctl report --no-tune $gnn -o "$tmp/tried.html" || fail 'what was tried'
for tried in 'empty_cache() at steps above 80 %' 'ideal packing'; do
	grep -qF "<td>$tried</td>" "$tmp/tried.html" || fail "no '$tried'"
done
