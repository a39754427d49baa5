# SPDX-License-Identifier: Apache-2.0
"""verify-settings.py FILE [-v]: allocctl verify against settings people wrote.

Of each line: the value that a program sees, and the slip in one word.  95 % of
the values that the text holds and of the slips are to be right, and no value
wrong without a diagnostic.
"""
import json
import subprocess
import sys


def verify(report):
    answer = subprocess.run(
        ["allocctl", "verify", "--script", "-", "--format", "json", "--kind",
         report["where"]],
        input=report["snippet"].encode(), capture_output=True)
    if answer.returncode == 2 or not answer.stdout:
        return None, None, answer.stderr.decode()
    found = json.loads(answer.stdout)
    places = found["assignments"]
    said = [d["kind"] for p in places for d in p["diagnostics"]]
    said += [d["kind"] for d in found["diagnostics"]]
    return places[-1]["value"] if places else None, said, found


def main():
    verbose = "-v" in sys.argv
    reports = [json.loads(line) for line in open(sys.argv[1])]
    right = named = slips = untold = 0
    wrong, missed = [], []
    for report in reports:
        value, said, found = verify(report)
        what = "%s %s %r: wanted %r, got %r" % (
            report["id"], report["where"], report["snippet"],
            report["value_seen_by_process"], value)
        wanted = report["value_seen_by_process"]
        if said is not None and value == wanted:
            right += 1
        elif said and value is None and wanted not in report["snippet"]:
            untold += 1  # the text does not hold it
            continue
        elif value is not None and not said:
            wrong.append(what)
        if verbose and value != report["value_seen_by_process"]:
            print(what, said if said is not None else found)
        slip = report["error_kind"]
        if slip != "none":
            slips += 1
            if said and slip in said:
                named += 1
            else:
                missed.append("%s wants %s, got %s" % (what, slip, said))
    total = len(reports) - untold
    print("%d of %d values right, %d not in the text, %d of %d slips named" %
          (right, total, untold, named, slips))
    for line in wrong:
        print("wrong without a word: " + line)
    for line in missed if verbose else []:
        print("missed: " + line)
    return right < 0.95 * total or bool(wrong) or named < 0.95 * slips


sys.exit(main())
