#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replays as another release; the release of a recording, and how it is learnt.
. tests/support.sh
data=tests/data
file=$data/big_random.cap_gc_split.pickle.xz

has() {	# has TEXT: the report does
	grep -qF "$1" "$tmp/out" || fail "no '$1': $(cat "$tmp/out")"
}

status() {	# status WANTED COMMAND...
	wanted=$1
	shift
	got=0
	"$@" >"$tmp/out" 2>"$tmp/err" || got=$?
	equal "$*" "$got" "$wanted"
}

status 0 allocctl replay $file
has 'torch       2.11, from the companion file'
has 'both as recorded'
status 0 allocctl replay $file --torch auto
has 'both as recorded'
status 0 allocctl replay $file --torch 2.11.0+cu130
has 'both as recorded'

# The companion knows who recorded; the replay is of another.
status 0 allocctl replay $file --torch 2.13
has 'torch       2.11, from the companion file'
has 'self-check  exact'
has 'limit cap of 9.77 GiB, torch 2.13'
status 0 allocctl replay $file --torch 2.13 --format json
has '"release":"2.13","as_recorded":false'
has '"release":"2.11","release_source":"the companion file"'

# 2.12 tells equal blocks apart in another way.
status 1 allocctl replay $file --torch 2.12 --verify
has 'torch       2.12, from the command line'
has 'self-check  not exact'

# Without a companion 2.11 explains all; else the option says it.
cp $file "$tmp/x.pickle.xz"
status 0 allocctl replay "$tmp/x.pickle.xz" --verify
has 'torch       2.11, taken, as nothing tells it'
status 0 allocctl replay "$tmp/x.pickle.xz" --torch 2.10
has 'torch       2.10, from the command line'

# A setting is read as the release does.
status 1 allocctl replay $file --torch 2.9 --setting large_segment_size_mb:64
grep -q 'torch refuses the setting' "$tmp/err" || fail 'setting of 2.9'
status 0 allocctl replay $file --torch 2.11 --limit none \
	--setting large_segment_size_mb:64

status 2 allocctl replay $file --torch soon
grep -q "not a release of torch" "$tmp/err" || fail 'a release that is none'
status 0 allocctl replay $file --torch 9.9
grep -q 'torch 9.9 is not known yet' "$tmp/err" || fail 'a release to come'
