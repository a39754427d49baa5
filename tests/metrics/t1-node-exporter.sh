#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prometheus's node_exporter reads what allocctl metrics and cupti-probe metrics
# write, whatever names users choose, and never half a file.
. tests/support.sh
. tests/metrics/support.sh
program prometheus-node-exporter prometheus-node-exporter
program promtool prometheus

mkdir "$tmp/records" "$tmp/text"
unset PYTORCH_ALLOC_CONF VIRTUAL_ENV CONDA_PREFIX
export HOME="$tmp" CUPTI_PROBE_DIR="$tmp/records"
port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
prometheus-node-exporter --web.listen-address="127.0.0.1:$port" \
	--collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$tmp/text" 2>"$tmp/exporter.log" &
exporter=$!
writer=
trap 'kill $exporter $writer 2>/dev/null || :; rm -rf "$tmp"' EXIT

# scrape [FILE]...: each number of the files is in what a scrape gets, and the
# collector has no complaint.
cat >"$tmp/scrape.py" <<'END'
import re, sys, time, urllib.request

def numbers(text):
    found = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, labels, value = re.fullmatch(
            r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)", line).groups()
        pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or "")
        # An empty label and none are the same to Prometheus.
        found[name, frozenset(p for p in pairs if p[1])] = float(value)
    return found

url, wanted, *files = sys.argv[1:]
for _ in range(100):
    try:
        got = numbers(urllib.request.urlopen(url, timeout=20).read().decode())
        break
    except OSError:
        time.sleep(0.1)
assert got["node_textfile_scrape_error", frozenset()] == float(wanted), got
count = 0
for path in files:
    for key, value in numbers(open(path).read()).items():
        assert got.get(key) == value, (key, value, got.get(key))
        count += 1
print(count, "numbers arrived")
sys.exit(bool(files) and count < 15)
END
scrape() {	# scrape WANTED-ERRORS [FILE]...
	python3 "$tmp/scrape.py" "http://127.0.0.1:$port/metrics" "$@" || {
		cat "$tmp/exporter.log"
		fail "scrape: $*"
	}
}

write() {
	cupti-probe metrics --output "$tmp/text/cupti_probe.prom"
	allocctl metrics --output "$tmp/text/allocctl.prom"
}

write-probe "$tmp/records/1.cpr" running=$$ live=1000 reserved=300 ooms=1
write
scrape 0 "$tmp/text/cupti_probe.prom" "$tmp/text/allocctl.prom"
for file in "$tmp"/text/*.prom; do
	promtool check metrics <"$file" >"$tmp/lint" 2>&1 &&
		[ ! -s "$tmp/lint" ] || fail "$file: $(cat "$tmp/lint")"
done

# Names that would break the form.
odd='a"} 1
evil{x="\'
export PYTORCH_CUDA_ALLOC_CONF="$odd"
n=0
for name in device exe host run job note; do
	n=$((n + 1))
	write-probe "$tmp/records/odd$n.cpr" running=$$ live=5 ooms=1 \
		$name="$odd"
done
write-probe "$tmp/records/$(printf 'odd"}\n1').cpr" running=$$ live=5
write
scrape 0 "$tmp/text/cupti_probe.prom" "$tmp/text/allocctl.prom"
! grep evil "$tmp"/text/*.prom || fail 'a name of a user is in the text'
grep -q -x 'cupti_probe_recordings 8' "$tmp/text/cupti_probe.prom" ||
	fail 'a recording is not counted'

# The collector's complaint is seen where there is cause.
printf 'half{' >"$tmp/text/half.prom"
scrape 1
rm "$tmp/text/half.prom"

# Writers that are killed at any time: a reader has a whole file.
while :; do
	for delay in 001 002 004 008 016 032 064 128 256 512; do
		timeout -s KILL 0.$delay cupti-probe metrics \
			--output "$tmp/text/cupti_probe.prom" || :
		timeout -s KILL 0.$delay allocctl metrics \
			--output "$tmp/text/allocctl.prom" || :
	done
done >/dev/null 2>&1 &
writer=$!
python3 - "$tmp/text" <<'END' || fail 'half a file'
import os, sys, time
last = {"cupti_probe.prom": "cupti_probe_recordings_bytes ",
        "allocctl.prom": "allocctl_policy_broken "}
end, reads, files = time.monotonic() + 4, 0, set()
while time.monotonic() < end:
    for name, start in last.items():
        with open(os.path.join(sys.argv[1], name)) as file:
            text = file.read()
            files.add(os.fstat(file.fileno()).st_mtime_ns)
        assert text.endswith("\n"), text
        assert text.splitlines()[-1].startswith(start), text
        reads += 1
print(reads, "reads of", len(files), "files")
sys.exit(len(files) < 9)
END
kill $writer
wait $writer 2>/dev/null || :
writer=
scrape 0
