#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Core files: the message in the memory of the dead process, and the setting
# of its environment.
. tests/support.sh
. tests/triage.sh
core=tests/fuzz/corpus/core/plain

# "2.50 GiB", "23.69 GiB" and "1.50 GiB" are in its memory, as is the start of
# an environment with PYTORCH_ALLOC_CONF=expandable_segments:True.
triage 3 --core $core
says '2.50 GiB was asked of the device, 1.50 GiB was left'
says "from        the memory of $core"
says_not ', line '
triage 3 --core $core --format json
says "\"core\":\"$core\""
says '"setting":"expandable_segments:True"'
says '{"setting":"expandable_segments:True","outcome":"stuck"'

# A log beside it comes first.
message big_random.oom >"$tmp/oom.log"
triage 0 --core $core "$tmp/oom.log" --format json
grep -q '"FRAGMENTATION".*"log":.*"CANNOT_TELL".*"core":' "$tmp/out" ||
	fail "the order: $(cat "$tmp/out")"

if [ ! -d /var/lib/systemd/coredump ]; then
	triage 3 --core latest
	grep -q 'no core of python in /var/lib/systemd/coredump' "$tmp/err" ||
		fail 'a core out of nowhere'
fi
