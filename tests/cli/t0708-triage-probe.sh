#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files of cupti-probe are recordings: what is said of one is what is said of
# the snapshot of the same run, as far as such a file tells.
. tests/support.sh
. tests/triage.sh

probe() {	# probe NAME [DEVICE]: what the probe saw of a recording
	probe-of "$data/$1.pickle.xz" "$tmp/$1.cpr" ${2:+"$2"} ||
		fail "probe-of $1"
}

check_of() {	# check_of FILE: the self-check of its replay
	allocctl replay "$1" | grep ^self-check
}

for name in big_random.default big_random.expandable gnn.oom card two; do
	probe $name
	equal "self-check of $name" "$(check_of "$tmp/$name.cpr")" \
		"$(check_of "$data/$name.pickle.xz")"
done
allocctl replay "$tmp/two.cpr" | grep -q '^probe  *recorded by cupti-probe' ||
	fail 'replay does not say who recorded'

# The verdict is the same, but for its grade, and it says why.
probe big_random.oom
for name in card big_random.oom; do
	triage 0 "$tmp/$name.cpr"
	says 'FRAGMENTATION, STRONG'
	says 'Recorded by cupti-probe'
	fits_screen "letter on $name"
	triage 0 $data/$name.pickle.xz
	says 'FRAGMENTATION, PROVEN'
done
triage 0 "$tmp/card.cpr" --format json
says '"views":["driver","allocator"]'
says '"ooms_right":1'

# Packed, and of a pipe.
xz -k "$tmp/card.cpr"
triage 0 "$tmp/card.cpr.xz"
says 'FRAGMENTATION, STRONG'
allocctl triage - <"$tmp/card.cpr" >"$tmp/out" || fail 'triage of a pipe'
says 'FRAGMENTATION, STRONG'

# As a snapshot it tells the same program.
allocctl convert "$tmp/big_random.default.cpr" "$tmp/again.pickle" ||
	fail 'convert'
equal 'self-check of what was converted' "$(check_of "$tmp/again.pickle")" \
	"$(check_of "$tmp/big_random.default.cpr")"

# Blocks that were not split are larger than what was asked for.
peak() {	# peak FILE: bytes reserved at most under another setting
	allocctl replay --setting expandable_segments:True "$1" |
		sed -n 's/^reserved.*(\([0-9]*\) bytes)/\1/p'
}
one=$(peak "$tmp/big_random.default.cpr")
other=$(peak $data/big_random.default.pickle.xz)
[ $((one * 100 / other)) -ge 95 ] && [ $((one * 100 / other)) -le 105 ] ||
	fail "another setting reserves $one, of the snapshot $other"

# Without the allocator's level there is the driver's, and a letter.
probe-of --driver "$data/card.pickle.xz" "$tmp/driver.cpr" ||
	fail 'probe-of --driver'
for cmd in replay tune; do
	status=0
	allocctl $cmd "$tmp/driver.cpr" >"$tmp/out" 2>&1 || status=$?
	equal "status of $cmd" $status 3
	says "PyTorch's allocator was not seen"
done
triage 3 "$tmp/driver.cpr"
says CANNOT_TELL
says "Only the driver's calls were seen"
triage 3 "$tmp/driver.cpr" --format json
says '"views":["driver"]'
says '"probe":"'
