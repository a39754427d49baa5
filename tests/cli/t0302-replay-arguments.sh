#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What replay cannot answer, and what it does not understand.
. tests/support.sh
data=tests/data

refuses() {	# refuses STATUS MESSAGE ARGUMENTS...
	wanted=$1 message=$2
	shift 2
	status=0
	allocctl replay "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "exit status of replay $*" "$status" "$wanted"
	equal "lines of error of replay $*" "$(wc -l <"$tmp/err")" 1
	grep -q -F -e "$message" "$tmp/err" ||
		fail "message of replay $*: $(cat "$tmp/err")"
}

refuses 1 "Unrecognized key 'debug'" \
	$data/big_random.default.pickle.xz --setting debug:1
refuses 3 "cannot read 'nosuch.pickle'" nosuch.pickle
refuses 2 'one FILE, got 0'
refuses 2 'exclude each other' $data/gnn.oom.pickle.xz --card 1G --limit 1G
refuses 2 "has no device 7" $data/gnn.oom.pickle.xz --device 7
refuses 2 "12 parsecs" $data/gnn.oom.pickle.xz --limit '12 parsecs'
refuses 3 "cannot write '/nosuch/events'" $data/gnn.oom.pickle.xz \
	--emit-events /nosuch/events

# What is read is not written over.
cp $data/streams.cap.pickle.xz "$tmp/own.pickle.xz"
refuses 2 'is the recording itself' "$tmp/own.pickle.xz" \
	--emit-events "$tmp/own.pickle.xz"
cmp -s $data/streams.cap.pickle.xz "$tmp/own.pickle.xz" ||
	fail 'the recording was written over'

# Two devices: the one with more events is the second.
allocctl replay $data/two.pickle.xz >"$tmp/out" || fail 'two devices'
grep -q 'device 1, 8,301 events' "$tmp/out" || fail 'the main device'
grep -q 'cap of 700.00 MiB, from the companion' "$tmp/out" ||
	fail 'the cap of the second device'
allocctl replay $data/two.pickle.xz --device 0 >"$tmp/out"
grep -q 'limit none, from the companion' "$tmp/out" ||
	fail 'no cap of the first device'

# No history: nothing to replay under another setting.
refuses 3 'no history' $data/nohistory.pickle.xz --limit 1G
refuses 3 'no history' $data/nohistory.pickle.xz --verify

# Settings of the setter, and calls that are put in.
refuses 2 'EVENT:SETTING' $data/gnn.oom.pickle.xz --set-at debug:1
refuses 1 "Unrecognized key 'debug'" $data/gnn.oom.pickle.xz --set-at 5:debug:1
refuses 2 'two settings at event 5' $data/gnn.oom.pickle.xz \
	--set-at 5:max_split_size_mb:64 --set-at 5:max_split_size_mb:32
refuses 2 'a ratio from 0 to 1' $data/gnn.oom.pickle.xz --empty-cache-above 80
refuses 2 '1 step or more' $data/gnn.oom.pickle.xz --empty-cache-every 0
refuses 2 'exclude each other' $data/gnn.oom.pickle.xz \
	--empty-cache-above 0.8 --empty-cache-every 5
refuses 3 'shows no steps' $data/streams.cap.pickle.xz --empty-cache-every 5
refuses 2 'want one device' $data/two.pickle.xz --device all --log-splits
refuses 2 'a whole number or all' $data/two.pickle.xz --device both
