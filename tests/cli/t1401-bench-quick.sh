#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each script of make bench works; what is measured this way is worth nothing.
# What measures on a GPU says that there is none, and reads what it wrote.
. tests/support.sh
[ -z "${SANITIZE:-}" ] || skip 'sanitizers take minutes'
command -v python3 >/dev/null || skip 'no python3'
allocctl replay tests/data/big_random.oom.pickle.xz >"$tmp/out" 2>&1 || :
grep -q 'from the companion file' "$tmp/out" ||
	skip 'built without liblzma or jansson'
export PYTHONDONTWRITEBYTECODE=1
mkdir "$tmp/o"
ln -s "$(realpath "$O")"/* "$tmp/o"
O=$tmp/o SHARED='' QUICK=1 T='' sh bench/run.sh >"$tmp/bench" ||
	fail "$(cat "$tmp/bench")"
grep '^SKIP' "$tmp/bench" || :
for subject in exact reader replay heap memory articles growth; do
	grep -q '"quick": true' "$tmp/o/bench/$subject.json" ||
		fail "no results of $subject"
	sed -n 's/^ *"columns": \[$/table/p' "$tmp/o/bench/$subject.json" |
		grep -q table || fail "$subject has no table"
done

# The model of the long recording: exactly what an allocator does.
python3 bench/long-recording.py tests/data/big_random.default.pickle.xz 20000 \
	"$tmp/long.pickle" >/dev/null
allocctl replay "$tmp/long.pickle" --verify >"$tmp/out" ||
	fail "long recording: $(cat "$tmp/out")"

sh bench/gpu/run.sh >/dev/null 2>&1 && fail 'GPU: no folder'
sh bench/gpu/run.sh "$tmp/gpu" nothing 2>/dev/null && fail 'GPU: no such part'
for script in articles results; do
	python3 bench/gpu/$script.py --help >/dev/null || fail "$script --help"
done

# Lines as hooks.cpp prints them, answers as torch_workloads.py does.
mkdir -p "$tmp/gpu/programs" "$tmp/results"
echo '1-5 MB     8 threads: liballoc    100 ns (90 to 110), torch    400 ns (380 to 420), ratio 4.0; 80.0 and 20.0 M pairs/s' \
	>"$tmp/gpu/hooks.txt"
python3 - "$tmp/gpu" <<'END'
import json
import sys
out = sys.argv[1]
for policy, ms in (("native", 20), ("compact", 19)):
    answer = {"error": None, "live": 1 << 30, "reserved": 2 << 30, "hooks": [0.0001] * 40,
              "steps": [ms / 1e3 + n / 1e6 for n in range(40)]}
    for key in ("", ".tight"):
        with open(f"{out}/programs/gnn.{policy}{key}.0.json", "w") as file:
            print(json.dumps(answer), file=file)
with open(f"{out}/machine.json", "w") as file:
    json.dump({"gpu": "some GPU"}, file)
timed = {"rates": [5.0], "allocated": 3 << 20, "reserved": 4 << 20}
with open(f"{out}/articles.json", "w") as file:
    json.dump({"cache": {"/0": [{"sizes": [{"size": 512, "cached": 2, "emptied": 100}]}]},
               "empty": {"/0": [timed], "max_split_size_mb:64/100": [{**timed, "rates": [4.0]}]},
               "ledger": {"/0": [{"rows": [{"when": "now", "allocated": 1 << 20, "reserved": 2 << 20, "shown": 500,
                                            "card": 600 << 20}]}]}}, file)
END
python3 bench/gpu/results.py "$tmp/gpu" --results "$tmp/results" ||
	fail 'GPU: results'
row() {	# row SUBJECT TABLE NUMBER: its cells
	python3 -c 'import json, sys
print("|".join(json.load(open(sys.argv[1]))["tables"][sys.argv[2]]["rows"][int(sys.argv[3])]))' \
		"$tmp/results/$1.json" "$2" "$3"
}
equal hooks "$(row gpu-hooks hooks 0)" \
	'1-5 MB|8|100 (90 to 110)|400 (380 to 420)|4.0'
equal programs "$(row gpu-programs programs 0)" \
	'gnn|1.00|2.00|-|-|2.00|20.0|-|-|19.0|-5.0 ± 0.0 %'
equal tight "$(row gpu-programs tight 0)" 'gnn|20.0|-|19.0|0.5 %|0.5 %|2 ms'
equal cache "$(row gpu-articles cache 0)" '512|2.0|100.0|50|-'
equal empty "$(row gpu-articles empty 1)" \
	'`max_split_size_mb:64`|every 100|3|4|75 %|4.0|0.80'
equal ledger "$(row gpu-articles ledger 0)" 'default|now|1|2|500|600'
