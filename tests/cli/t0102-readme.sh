#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README.md: the quick start has two commands that exist, the table of
# variables has those of make help, its picture is what report draws, and the
# snippet has three lines that write the companion file with its keys (torch is
# a stand-in here).
. tests/support.sh

block() {	# block HEADING: the first code block after it
	awk -v heading="$1" '
	index($0, heading) == 1 { on = 1; next }
	on && /^```/ { if (inside) exit; inside = 1; next }
	inside' README.md
}

equal 'quick start' "$(block '## Quick start')" 'sh scripts/quickstart.sh
sh scripts/quickstart.sh check'

help=$(make -s help)
for v in $(sed -n '/^| variable/,/^$/p' README.md | cut -d '|' -f 2 |
	grep -o '`[A-Za-z_]*=' | tr -d '`'); do
	echo "$help" | grep -q -F -e "$v" || fail "make help has no $v"
done

if allocctl report tests/data/remedy-gnn.12.oom.pickle.xz --format svg \
	--plot timeline -o - >"$tmp/example.svg" 2>"$tmp/err"; then
	cmp "$tmp/example.svg" docs/pictures/timeline.svg ||
		fail 'the picture is of another program'
else
	grep -q 'this build lacks' "$tmp/err" || fail "$(cat "$tmp/err")"
fi

command -v python3 >/dev/null || skip 'no python3 to run the snippet'
block '<!-- snippet -->' >"$tmp/snippet.py"
equal 'lines of the snippet' "$(wc -l <"$tmp/snippet.py")" 3
mkdir -p "$tmp/torch"
cat >"$tmp/torch/__init__.py" <<'END'
import types
__version__ = "2.11.0"
FRACTION = 0.25
def _dump_snapshot(filename="dump_snapshot.pickle"):
    open(filename, "wb").close()
cuda = types.SimpleNamespace(
    memory=types.SimpleNamespace(_dump_snapshot=_dump_snapshot),
    get_device_properties=lambda device=None: types.SimpleNamespace(
        total_memory=150109880320, name="NVIDIA H200"),
    get_per_process_memory_fraction=lambda device=None: FRACTION)
END
companion() {	# companion VARIABLE=VALUE...: run the snippet, print X.json
	(cd "$tmp" && env -u PYTORCH_CUDA_ALLOC_CONF -u PYTORCH_ALLOC_CONF \
		PYTHONPATH="$tmp" "$@" python3 snippet.py && cat X.json)
	[ -e "$tmp/X.pickle" ] || fail 'the snippet wrote no snapshot'
}
rest='"total": 150109880320, "torch": "2.11.0", "gpu": "NVIDIA H200"}'
equal 'with a cap' \
	"$(companion PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128)" \
	"{\"conf\": \"max_split_size_mb:128\", \"cap\": 37527470080, $rest"
sed -i 's/^FRACTION.*/FRACTION = 1.0/' "$tmp/torch/__init__.py"
equal 'without a cap' "$(companion PYTORCH_ALLOC_CONF=a:b)" \
	"{\"conf\": \"a:b\", \"cap\": 0, $rest"
equal 'the older variable wins' \
	"$(companion PYTORCH_CUDA_ALLOC_CONF= PYTORCH_ALLOC_CONF=a:b)" \
	"{\"conf\": \"\", \"cap\": 0, $rest"
