#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cupti-probe metrics: sums by device, a bounded set of labels, and a file that
# is replaced at once.
. tests/support.sh
. tests/recordings.sh

write-probe "$d/1.cpr" running=$$ live=1000 reserved=300 free=11 retries=2 lost=3
write-probe "$d/2.cpr" running=$$ live=500 reserved=40 free=11 retries=1 ooms=1
write-probe "$d/3.cpr" live=7 ooms=2 retries=4
run 0 report --write "$d/2.cpr"
run 0 metrics
g=GPU-01020304-0506-0708-090a-0b0c0d0e0f10
for line in "live_bytes{device=\"$g\",kind=\"device\"} 1500" \
	"allocated_bytes{device=\"$g\"} 340" \
	"reserved_bytes{device=\"$g\"} 340" "free_bytes{device=\"$g\"} 11" \
	"total_bytes{device=\"$g\"} 1073741824" \
	"alloc_retries_total{device=\"$g\"} 7" \
	'oom_total{verdict="REQUEST_TOO_LARGE"} 1' \
	'oom_total{verdict="CANNOT_TELL"} 2' 'dropped_total 3' \
	'processes 2' 'recordings 3'; do
	grep -q -x -F "cupti_probe_$line" "$tmp/out" ||
		fail "no '$line' in $(cat "$tmp/out")"
done

# Each name has a help and a type ahead of its numbers, as parsers want it.
awk '
/^# HELP / { helped[$3] = 1; next }
/^# TYPE / {
	if (!helped[$3] || typed[$3]++)
		exit 1
	if (($4 == "counter") != ($3 ~ /_total$/))
		exit 1
	next
}
/^[a-z_]+({[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*})? [0-9]+$/ {
	name = $1
	sub(/{.*/, "", name)
	if (!typed[name] || seen[$1]++)
		exit 1
	next
}
{ exit 1 }' "$tmp/out" || fail 'no text of Prometheus'
if python3 -c 'import prometheus_client' 2>/dev/null; then
	python3 -c 'import sys
from prometheus_client.parser import text_string_to_metric_families as parse
list(parse(sys.stdin.read()))' <"$tmp/out" || fail 'its own parser refuses it'
fi

# Labels are those of devices, whatever processes call them.
n=0
while [ $n -lt 20 ]; do
	write-probe "$d/x$n.cpr" running=$$ device="name $n" exe="/bin/$n" \
		host="h$n"
	n=$((n + 1))
done
run 0 metrics
equal 'labels' "$(grep -c '^cupti_probe_free_bytes' "$tmp/out")" 1

# A file: whole, for all to read, in place of the old one.
echo old >"$tmp/f.prom"
run 0 metrics -o "$tmp/f.prom"
equal 'output' "$(cat "$tmp/out")" ''
run 0 metrics
cmp "$tmp/out" "$tmp/f.prom" || fail 'the file is another'
equal 'mode' "$(stat -c %a "$tmp/f.prom")" 644
run 0 metrics --output=- "$d"
cmp "$tmp/out" "$tmp/f.prom" || fail '-o -'
run 3 metrics -o "$tmp/none/f.prom"
equal 'lines' "$(wc -l <"$tmp/err")" 1
run 3 metrics -o "$tmp/"
run 3 metrics "$tmp/none"
CUPTI_PROBE_DIR=$tmp/none run 0 metrics
has 'cupti_probe_recordings 0'
