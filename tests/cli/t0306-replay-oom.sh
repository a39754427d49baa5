#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What replay tells of an OOM: what torch said then, and the readable model's
# heap at that moment.
. tests/support.sh
data=tests/data

replay() {	# replay STATUS ARGUMENTS...: the report is in $tmp/out
	wanted=$1
	shift
	status=0
	allocctl replay "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "exit status of replay $*" "$status" "$wanted"
}

says() {	# says TEXT: the last replay did
	grep -q -F -e "$1" "$tmp/out" || fail "no '$1' in: $(cat "$tmp/out")"
}

# Torch's message: what was asked for, allocated, and cached.
for name in gnn.oom big_random.oom streams.cap big_random.cap; do
	said=$(sed -n 's/.*"err": "\([^"]*\)".*/\1/p' $data/$name.json)
	asked=$(echo "$said" | sed 's/.*Tried to allocate \([0-9.]* [A-Za-z]*\)\..*/\1/')
	live=$(echo "$said" | sed 's/.*allocated memory \([0-9.]* [A-Za-z]*\) is allocated by PyTorch.*/\1/')
	free=$(echo "$said" | sed 's/.* and \([0-9.]* [A-Za-z]*\) is reserved by PyTorch but unallocated.*/\1/')
	replay 1 $data/$name.pickle.xz
	says ": wants $asked of the device"
	says ": $live live, "
	says ", $free free ("
done

# From the readable model.
replay 1 $data/gnn.oom.pickle.xz --format json
says '"oom":{"event":8376,"size":1199796224,"rounded":1199796224,"segment":1201668096,"stream":0,"pool":[0,0],"small":false,"layout":"rule"'
says '"reserved":7518289920,"allocated":7399755776,"active":7399755776'
says '"own":{"bytes":116195328,"count":12,"largest":37015552,"histogram":[{"from":1048576,"count":8,"bytes":15589376},'
says '"other_class":{"bytes":2338816,"count":4,"largest":1048576,'
says '"holder_count":8,"holders":[{"bytes":5998981120,"blocks":5,"size":1199796224,"event":8309,"frames":null},{"bytes":1308868608,"blocks":12,"size":109072384,"event":8287,"frames":null},'

# From the recording alone: live requests before the failed one, by stack.
replay 1 $data/windows-gnn.frames.pickle.xz --limit 6GiB
says '      11 x <= 927.71 MiB, first at event 2,945'
says '                        gnn, <string>:70'
says '556.63 MiB       6 x <=  92.77 MiB, first at event 2,939'
replay 1 $data/windows-gnn.frames.pickle.xz --limit 6GiB --format json
says '"blocks":11,"size":972779520,"event":2945,"frames":[{"name":"gnn","filename":"<string>","line":70},'
says '{"bytes":97277952,"blocks":1,"size":97277952,"event":2986,"frames":null},'

# The first request of all, and one that the start leaves no room for.
replay 1 $data/big_random.default.pickle.xz --limit 200MiB
says 'held        0 bytes reserved'
replay 1 $data/windows-varlen_gpt.late.pickle.xz --card 100MiB
says 'from before the recording'

# Under some layouts: of the first that fails.  A limit that is known as an
# interval: of its upper end.
replay 3 $data/big_random.default.pickle.xz --limit 11538530304
says "layout      'rule' is the first that fails"
replay 1 $data/oom_fraction.pickle.xz
says 'room        at most 512.00 MiB below the cap of 3.00 GiB'

# Nothing of the kind where it runs.
replay 0 $data/big_random.default.pickle.xz --format json
says '"oom":null'
