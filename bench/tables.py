#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Put the tables of results/*.json into README.md beside this file, between <!-- bench:SUBJECT/TABLE --> and
<!-- bench:end -->; with --check only see that they are there. Either way see that figures that other pages quote
(quotes.txt) are those of the results. Status 1 if something is not as it must be.
"""
import argparse
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BEGIN, END = re.compile(r"<!-- bench:([\w-]+)/([\w-]+) -->"), "<!-- bench:end -->"
wrong = []


def results():
    found = {}
    for path in sorted(glob.glob(os.path.join(HERE, "results", "*.json"))):
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        found[result["subject"]] = result
        if result["quick"]:
            wrong.append(f"{path} is of a quick run")
        if not os.path.exists(os.path.join(ROOT, result["script"])):
            wrong.append(f"{path}: there is no {result['script']} to make it again")
    return found


def rendered(result, name):
    table, machine = result["tables"][name], result["machine"]
    if not table["rows"]:
        return [f"Not run yet; `{result['script']}` measures it."]
    lines = ["| " + " | ".join(table["columns"]) + " |", "|" + "---|" * len(table["columns"])]
    lines += ["| " + " | ".join(row) + " |" for row in table["rows"]]
    labels = {"cores": "{} cores", "torch": "torch {}", "python": "Python {}"}
    where = ", ".join(labels.get(key, "{}").format(machine[key]) for key in
                      ("gpu", "processor", "cores", "kernel", "compiler", "torch", "python") if machine.get(key))
    notes = "".join(" " + note for note in result["notes"])
    return lines + ["", f"`{result['script']}`, {result['date']}: {where}.{notes}"]


def fill(text, found):
    out, lines = [], iter(text.split("\n"))
    for line in lines:
        mark = BEGIN.fullmatch(line)
        out.append(line)
        if not mark:
            if line.startswith("|"):
                wrong.append(f"README.md: a table that nothing makes: {line}")
            continue
        old = []
        for line in lines:
            if line == END:
                break
            old.append(line)
        subject, name = mark.groups()
        if subject in found and name in found[subject]["tables"]:
            old = rendered(found[subject], name)
        else:
            wrong.append(f"README.md: no results for {subject}/{name}")
        out += [*old, END]
    return "\n".join(out)


def missing(text, found):
    """Tables that README.md does not show."""
    for subject, result in found.items():
        for name in result["tables"]:
            if f"<!-- bench:{subject}/{name} -->" not in text:
                wrong.append(f"README.md: {subject}/{name} is not shown")


def plain(text):
    return " ".join(text.replace("\n* ", "\n").split())


def quotes(found):
    figures = {key: value for result in found.values() for key, value in result["figures"].items()}
    pages, count = {}, 0
    with open(os.path.join(HERE, "quotes.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            page, words = line.rstrip("\n").split(": ", 1)
            if page not in pages:
                with open(os.path.join(ROOT, page), encoding="utf-8") as text:
                    pages[page] = plain(text.read())
            try:
                said = re.sub(r"\{([\w.-]+):([^}]*)\}", lambda m: format(figures[m[1]], m[2]), words)
            except KeyError as key:
                wrong.append(f"quotes.txt: {page}: no result has {key}")
                continue
            count += 1
            if plain(said) not in pages[page]:
                wrong.append(f"{page} should say: {said}")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    found, path = results(), os.path.join(HERE, "README.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    new = fill(text, found)
    missing(text, found)
    if options.check and new != text:
        wrong.append("README.md is not what bench/tables.py makes of results")
    if not options.check and new != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
    count = quotes(found)
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{sum(len(r['tables']) for r in found.values())} tables, {count} quoted figures")
    sys.exit(bool(wrong))


main()
