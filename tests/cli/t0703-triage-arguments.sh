#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What triage is given: options, odd files, and none.
. tests/support.sh
. tests/triage.sh

complains() {	# complains TEXT: the last report did, in one line
	grep -q -F -e "$1" "$tmp/err" || fail "no '$1' in: $(cat "$tmp/err")"
	equal 'lines of complaint' "$(wc -l <"$tmp/err" | tr -d ' ')" 1
	[ ! -s "$tmp/out" ] || fail "also says: $(cat "$tmp/out")"
}

message big_random.oom >"$tmp/oom.log"
triage 2 "$tmp/oom.log" --lang fr
complains "--lang wants en or zh, not 'fr'"
triage 2 "$tmp/oom.log" --torch 0.3
complains '--torch: '
triage 2 "$tmp/oom.log" --jobs 0
complains '--jobs wants 1 to 1024'
triage 2 "$tmp/oom.log" --limit many
complains 'limit'
triage 2 "$tmp/oom.log" --setting max_split_size_mb:1
complains 'torch refuses the setting'
triage 2 "$tmp/oom.log" --format yaml
triage 2 $data/big_random.oom.pickle.xz --device 7
complains 'has no device 7'
triage 2 "$tmp/oom.log" --shell fish

# A terminal is not waited for.
if script -q -e -c true /dev/null </dev/null >/dev/null 2>&1; then
	script -q -e -c "allocctl triage" /dev/null </dev/null >"$tmp/out" 2>&1 &&
		fail 'a terminal is read'
	grep -q 'triage wants a FILE' "$tmp/out" || fail 'no word of FILE'
fi

# Files that are none, and folders.
triage 3 "$tmp/nothing.log"
complains "cannot read '$tmp/nothing.log': "
triage 3 "$tmp"
complains "cannot read '$tmp': "
triage 3 "$tmp/nothing.log" --format json
equal 'what cannot be told' "$(cat "$tmp/out")" null
triage 3 --core "$tmp/oom.log"
complains "cannot read '$tmp/oom.log': "
if [ "$(id -u)" != 0 ]; then
	: >"$tmp/secret.log"
	chmod 0 "$tmp/secret.log"
	triage 3 "$tmp/secret.log"
fi

# Any bytes are a log.
: >"$tmp/empty"
triage 1 "$tmp/empty"
says 'No OOM was found. Lines of logs: 0; recordings: 0.'
triage 1 $data/two.pickle.xz
says 'No OOM was found. Recordings: 1.'
echo calm >"$tmp/line"
triage 1 "$tmp/line" $data/two.pickle.xz --format markdown
says 'No OOM was found. Lines of logs: 1; recordings: 1.'
head -c 300000 "$(command -v allocctl)" >"$tmp/junk"
triage 1 "$tmp/junk"
head -c 1000 /dev/zero >"$tmp/zeros"
triage 1 "$tmp/zeros"
triage 1 /dev/null --format json
equal 'nothing at all' "$(cat "$tmp/out")" \
	'{"schema":"allocctl.triage/1","ooms":[],"lines":0,"lost":0}'
{ cat "$tmp/zeros"; echo; cat "$tmp/oom.log" "$tmp/junk"; } >"$tmp/mixed"
triage 0 "$tmp/mixed"
says 'FRAGMENTATION, '

# Bytes of a pickle that is none, and a damaged one.
printf '\200' >"$tmp/stub"
triage 3 "$tmp/stub"
complains "cannot read '$tmp/stub': "
xz -dc $data/big_random.oom.pickle.xz | head -c 20000 >"$tmp/cut"
triage 3 "$tmp/cut"
complains "cannot read '$tmp/cut': "
xz -k "$tmp/oom.log"
{ head -c 100 "$tmp/oom.log.xz"; echo rubbish; tail -c +109 "$tmp/oom.log.xz"
} >"$tmp/rubbish.xz"
triage 3 "$tmp/rubbish.xz"
complains "cannot read '$tmp/rubbish.xz': "

# One file twice is read once, under any name.
ln -s oom.log "$tmp/link.log"
triage 0 "$tmp/oom.log" "$tmp/link.log" "$tmp/oom.log" --format json
equal 'OOMs of one file' "$(grep -o '"verdict"' "$tmp/out" | wc -l |
	tr -d ' ')" 1

# Many files take no longer than each of them does.
mkdir "$tmp/many"
(cd "$tmp/many" && seq 5000 | xargs touch)
seconds=20
[ -z "${SANITIZE:-}" ] || seconds=200
timeout $seconds allocctl triage "$tmp/oom.log" "$tmp"/many/* >"$tmp/out" ||
	fail "of 5000 files: status $?"

# No card is smaller than what was held on it.
triage 2 $data/gnn.oom.pickle.xz --card 1MiB
complains '--card: 1024.00 KiB is less than '

# What a message lacks, options say: F9 of torch 2.12 has the request alone.
cat >"$tmp/f9.log" <<'EOF'
torch.OutOfMemoryError: CUDA out of memory. Allocation was preemptively rejected because it would exceed per_process_memory_fraction limit. Requested size: 2.00 GiB
EOF
triage 0 "$tmp/f9.log" --limit 8GiB --card h200 --torch 2.13 --format json
says '"allowed":{"low":8589934592,"high":8589934592,"basis":"given"'
says '"basis":"given","line":null'
says '"release":{"oldest":"2.13","newest":"2.13"}'
