#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What released versions wrote is read, and tells the same facts; and the files
# of this version can be written.
. tests/support.sh
for c in cupti-probe xz python3; do
	command -v $c >/dev/null || skip "no $c"
done
allocctl replay tests/data/oom_fraction.pickle.xz >/dev/null 2>"$tmp/err" || :
! grep -q 'left out of this build' "$tmp/err" || skip 'no xz in this build'
allocctl tune --merge /dev/null >/dev/null 2>"$tmp/err" || :
! grep -q 'made without jansson' "$tmp/err" || skip 'no jansson'
version=$(allocctl --version | sed 's/.* //')
unset CUPTI_PROBE_DIR

agree() {	# agree KIND OLD NEW
	python3 tests/tools/compare-golden.py "$@" || fail "$2"
}

unpack() {	# unpack FOLDER: into $tmp/files
	rm -rf "$tmp/files"
	cp -r "$1" "$tmp/files"
	# Probes keep their files from other users.
	chmod 600 "$tmp"/files/*
	xz -d "$tmp"/files/*.xz
}

answer() {	# answer FILE COMMAND...: $tmp/files/FILE, of a file in it
	name=$1
	shift
	status=0
	(cd "$tmp/files" && "$@") >"$tmp/files/$name" 2>"$tmp/err" || status=$?
	[ $status -le 1 ] || fail "$*: $(cat "$tmp/err")"
}

# What lies beside recordings counts: who has read them, and the verdicts.
check_list() {
	answer list cupti-probe list --format json .
	python3 - "$tmp/files" <<-'END' || fail "what lies beside recordings"
	import json, sys
	folder = sys.argv[1]
	said = json.load(open(folder + "/list"))
	assert said["unreadable"] == 0 and len(said["recordings"]) == 2, said
	for entry in said["recordings"]:
	    report = folder + "/" + entry["name"][:-4] + ".report.json"
	    wanted = json.load(open(report))
	    assert not entry["unseen"], entry
	    for key in "verdict", "grade", "signature":
	        assert entry[key] == wanted[key], (entry, key)
	END
}

check_files() {	# check_files FOLDER
	unpack "$1"
	check_list
	for old in "$tmp"/files/*.answer.json; do
		recording=${old##*/}
		recording=${recording%.answer.json}
		if [ "$recording" = converted ]; then
			answer new allocctl replay --format json converted.pickle
			agree replay "$old" "$tmp/files/new"
			continue
		fi
		answer new cupti-probe report --format json "$recording.cpr"
		agree report "$old" "$tmp/files/new"
		answer new cupti-probe info --format json "$recording.cpr"
		agree info "$tmp/files/$recording.info.json" "$tmp/files/new"
	done
	answer new allocctl tune --merge --format json shard-1.json shard-2.json
	agree tune "$tmp/files/merged.json" "$tmp/files/new"
}

[ -d "tests/data/golden/$version" ] ||
	fail "no files of $version: docs/release.md says how to write them"
for folder in tests/data/golden/*; do
	check_files "$folder"
done
sh tests/tools/write-golden.sh "$tmp/written"
equal 'files that are written' "$(cd "$tmp/written" && echo *)" \
	"$(cd "tests/data/golden/$version" && echo *)"
check_files "$tmp/written"
