#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example alerts are raised when they should be; they and the dashboard ask
# for what is written.
. tests/support.sh
. tests/metrics/support.sh
program promtool prometheus

cp packaging/prometheus/alerts.yml tests/metrics/alerts-test.yml "$tmp"
promtool check rules "$tmp/alerts.yml" || fail 'promtool check rules'
promtool test rules "$tmp/alerts-test.yml" || fail 'promtool test rules'
mkdir "$tmp/records"
{
	allocctl metrics
	cupti-probe metrics "$tmp/records"
	# Of the collector itself.
	echo '# TYPE node_textfile_mtime_seconds gauge'
} >"$tmp/metrics"
python3 - "$tmp/metrics" packaging/prometheus tests/metrics/alerts-test.yml \
	<<'END' || fail 'metrics or tests'
import json, re, sys

metrics, folder, tests = sys.argv[1:]
there = set(re.findall(r"^# TYPE (\S+)", open(metrics).read(), re.M))
rules = open(folder + "/alerts.yml").read()
text = "".join(line for line in rules.splitlines(True)
               if not line.lstrip().startswith(("#", "summary:", "description:")))
dashboard = json.load(open(folder + "/dashboard.json"))
targets = [t for p in dashboard["panels"] for t in p["targets"]]
asked = re.compile(r"\b(?:allocctl|cupti_probe|node)_[a-z_]+\b")
used = {"alerts": set(asked.findall(text)) - {"cupti_probe"},
        "dashboard": set(asked.findall(" ".join(t["expr"] for t in targets)))}
for who, names in used.items():
    assert names, who
    assert names <= there, (who, names - there)
    print(who, "uses", len(names), "of", len(there))
alone = there - used["alerts"] - used["dashboard"]
assert alone <= {"allocctl_info", "allocctl_torch_found",
                 "cupti_probe_recordings"}, alone
alerts = set(re.findall(r"- alert: (\w+)", rules))
tested = set(re.findall(r"alertname: (\w+)", open(tests).read()))
assert alerts == tested, alerts ^ tested
ids = [p["id"] for p in dashboard["panels"]]
assert len(ids) == len(set(ids)), ids
END
