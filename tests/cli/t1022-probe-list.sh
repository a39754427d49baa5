#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cupti-probe list, info and stat: what they print, of which folder, of many
# files, and of what is none.
. tests/support.sh
. tests/recordings.sh

# States, by what the files and their reports say.
write-probe "$d/run.cpr" running=$$ host=here began=1000000400
write-probe "$d/end.cpr" pid=11 ooms=2 began=1000000300
write-probe "$d/lost.cpr" pid=12 ended=0 began=1000000200
write-probe "$d/boot.cpr" running=$$ boot=another began=1000000100
run 0 report --write "$d/end.cpr"
# That let go of what is so old and has no OOM.
run 0 list
equal 'title' "$(sed -n 1p "$tmp/out" | tr -s ' ')" \
	'BEGAN HOST PID STATE OOMS SIZE VERDICT PROGRAM'
equal 'rows' "$(sed 1d "$tmp/out" | awk '{ print $3, $4, $5, $6, $9 }' |
	tr '\n' ';')" \
	"here $$ running 0 -;node7 11 ended 2* REQUEST_TOO_LARGE;"

for n in run end lost boot; do rm -f "$d/$n".*; done
write-probe "$d/run.cpr" running=$$ host=here
write-probe "$d/lost.cpr" pid=12 ended=0
write-probe "$d/boot.cpr" running=$$ boot=another
run 0 list --format json
equal 'schema' "$(show 'd["schema"], d["folder"]')" \
	"('cupti-probe.list/1', '$d')"
equal 'states' "$(show 'sorted((r["name"], r["ended"])
	for r in d["recordings"])')" \
	"[('boot.cpr', 'killed'), ('lost.cpr', 'killed'), ('run.cpr', 'running')]"

# What is no recording that can be read is counted, and never opened for long.
mkfifo "$d/fifo.cpr"
mkdir "$d/folder.cpr"
ln -s lost.cpr "$d/link.cpr"
ln -s nothing "$d/dangling.cpr"
echo text >"$d/text.cpr"
: >"$d/empty.cpr"
echo x >"$d/.hidden.cpr"
echo x >"$d/other"
printf '{"schema":"cupti-probe.report/1","verdict":"%s' AAAAAAAAAAAA \
	>"$d/lost.report.json"
run 0 list
has '6 more cannot be read'
equal 'rows' "$(wc -l <"$tmp/out")" 5
rm -rf "$d/fifo.cpr" "$d/folder.cpr" "$d"/*.json "$d"/l*.cpr "$d"/[det]*.cpr

# Hostile names and texts.
evil=$(printf 'a\033]0;b\007\n')x
write-probe "$d/$evil.cpr" host="$evil" exe="$evil" run="$evil"
run 0 list
! grep -q "$(printf '[\033\007]')" "$tmp/out" || fail 'escapes get through'
run 0 list --format json
show 'd["recordings"]' >/dev/null || fail 'JSON of hostile names'
rm "$d/$evil.cpr"

# Folders that are not there, empty, named, and not to be read.
run 3 list "$tmp/none"
said 'no folder' "cannot read '$tmp/none'"
mkdir "$tmp/void"
run 0 list "$tmp/void"
equal 'an empty one' "$(cat "$tmp/out")" "no recordings in $tmp/void"
CUPTI_PROBE_DIR=$tmp/none run 0 list
equal 'one that is not there yet' "$(cat "$tmp/out")" \
	"no recordings in $tmp/none"
write-probe "$tmp/void/a.cpr"
if [ ! -e /var/lib/cupti-probe ]; then
	(unset CUPTI_PROBE_DIR; run 0 info)
	has "$HOME/.local/state/cupti-probe (not there yet)"
	(unset CUPTI_PROBE_DIR; XDG_STATE_HOME=$tmp/state run 0 info)
	has "$tmp/state/cupti-probe (not there yet)"
	mkdir -p "$tmp/state"
	mv "$tmp/void" "$tmp/state/cupti-probe"
	(unset CUPTI_PROBE_DIR; XDG_STATE_HOME=$tmp/state run 0 list \
		--format json)
	equal "the user's own" "$(show '(d["folder"],
		len(d["recordings"]))')" "('$tmp/state/cupti-probe', 1)"
fi

# info without a file: bounds and variables; with one: what it has.
CUPTI_PROBE_SIZE=8M CUPTI_PROBE_NODE_SIZE=32M run 0 info
has ' of 32.00 MiB'
has 'a process   8M at most'
for v in $(sed -n 's/^PROBE_VARIABLE([A-Z_]*, "\([A-Z_]*\)".*/\1/p' \
	cupti-probe/inject/core/variables.inc); do
	has "$v "
done
has 'set to: 8M'
run 0 info --format json
equal 'variables' "$(show '[v["value"] for v in d["variables"]
	if v["name"] == "CUPTI_PROBE_DIR"]')" "['$d']"
write-probe "$tmp/a.cpr" ooms=1 retries=2 size=4096 job='RANK=3'
run 0 info "$tmp/a.cpr"
has '100 calls of the driver, 3 failed; 3 episodes: 1 OOMs, 2 retries'
has 'GPU-01020304-0506-0708-090a-0b0c0d0e0f10'
has '4.00 KiB asked for'
has 'RANK=3'
run 0 info "$tmp/a.cpr" --format json
equal 'JSON of a recording' "$(show '(d["ooms"][0]["size"],
	d["recording"]["job"], d["devices"][0]["live"]["device"])')" \
	"(4096, 'RANK=3', 943718400)"
run 3 info "$tmp/none"

# stat of a file and of a process; again until that ends.
run 0 stat "$tmp/a.cpr"
has '900.00 MiB  peak   900.00 MiB'
sleep 2 &
write-probe "$d/now.cpr" running=$! live=1048576
run 0 stat $! --format json
equal 'of a process' "$(show '(d["pid"], d["ended"],
	d["devices"][0]["live"]["device"])')" "($!, 'running', 1048576)"
run 0 stat $! --interval 1
[ "$(wc -l <"$tmp/out")" -ge 3 ] || fail "one line: $(cat "$tmp/out")"
equal 'columns' "$(sed -n 's/^  *//;2p' "$tmp/out" | tr -s ' ')" \
	'5.0 1 1 0 0 0 0'
run 3 stat 999999999
said 'no such process' 'no recording of process 999999999'
run 2 stat

# Many.
mkdir "$tmp/many"
write-probe "$tmp/many/0.cpr" ooms=1
n=1
while [ $n -lt 1000 ]; do
	ln "$tmp/many/0.cpr" "$tmp/many/$n.cpr"
	n=$((n + 1))
done
run 0 list "$tmp/many"
equal 'rows of many' "$(wc -l <"$tmp/out")" 1001
