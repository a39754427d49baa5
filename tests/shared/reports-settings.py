# SPDX-License-Identifier: Apache-2.0
"""reports-settings.py SHARED: allocctl check against reports/settings.jsonl.

Of each line that a process sees a value of: the verdict and torch's text in
each release that the line lists, as the model of torch's parsers has it now;
and where torch refuses or misreads the value, a correction that the model
accepts.  A line whose own labels differ from the model's is listed.
"""
import json
import subprocess
import sys

shared = sys.argv[1]
sys.path.insert(0, shared + "/oracle")
import conf_parser_model as model  # noqa: E402

RELEASES = ["1.13", "2.0", "2.1", "2.6", "2.9", "2.10", "2.11", "2.14"]


def check(release, value):
    answer = subprocess.run(
        ["allocctl", "check", "--format", "json", "--policy", "none",
         "--torch", release, "--", value],
        capture_output=True, text=True)
    assert answer.returncode < 2, answer.stderr
    return json.loads(answer.stdout)


def same_text(ours, theirs):
    """The model leaves out the file and line of an assertion."""
    theirs = theirs.replace("at import: ", "").replace("INTERNAL ASSERT ", "")
    return theirs.strip() in ours or ours == theirs


def judge(report, release, failures):
    value = report["value_seen_by_process"]
    answer = check(release, value)
    kind, text = model.verdict(release, value)
    what = "%s in %s: %r" % (report["id"], release, value)
    # The model marks a read past the end, which has no verdict.
    if kind == "UB":
        return
    if answer["accepted"] != (kind == "OK"):
        failures.append("%s: %s, model %s" % (what, answer["accepted"], kind))
    elif kind != "OK" and not same_text(answer["error"], text):
        failures.append("%s: %r, model %r" % (what, answer["error"], text))
    ignored = report["by_version"] and "silently ignored" in \
        str(report["by_version"].get(release))
    if ignored and "LA123" not in [w["code"] for w in answer["warnings"]]:
        failures.append("%s: no word of what is ignored" % what)
    correction = answer["correction"]
    if correction is None:
        if kind != "OK" or ignored:
            failures.append("%s: no correction" % what)
    elif model.verdict(release, correction)[0] != "OK":
        failures.append("%s: correction %r" % (what, correction))


def labels_differ(report, release):
    label = (report["by_version"] or {}).get(release)
    kind = model.verdict(release, report["value_seen_by_process"])[0]
    return label and label.startswith("accepted") != (kind == "OK")


reports = [json.loads(line) for line in open(shared + "/reports/settings.jsonl")]
failures = []
values = 0
for report in reports:
    if report["value_seen_by_process"] is None:
        continue
    values += 1
    for release in RELEASES:
        judge(report, release, failures)
        if labels_differ(report, release):
            print("label differs:", report["id"], release)
print("%d lines, %d values in %d releases, %d failures"
      % (len(reports), values, len(RELEASES), len(failures)))
print("\n".join(failures))
sys.exit(bool(failures))
