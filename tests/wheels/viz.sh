#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torch's own viewer says the same of a recording and of the pickle that
# convert makes of it.  VIZ names the wheel of torch; WHEELS keeps its viewer
# between runs.
. tests/support.sh
for tool in python3 pip unzip xz; do
	command -v "$tool" >/dev/null || skip "no $tool"
done

version=${VIZ:-2.11.0}
folder=${WHEELS:-$tmp}/$version
viewer=$folder/_memory_viz.py
if [ ! -e "$viewer" ]; then
	pip download -q --no-cache-dir --no-deps -d "$tmp/wheel" \
		--only-binary=:all: --python-version 311 \
		--implementation cp --abi cp311 \
		--platform manylinux2014_x86_64 \
		--platform manylinux_2_28_x86_64 \
		"torch==$version" >"$tmp/pip" 2>&1 ||
		skip "no wheel of torch $version: $(tail -n 1 "$tmp/pip")"
	unzip -q -o -j "$tmp"/wheel/*.whl torch/cuda/_memory_viz.py \
		-d "$folder"
	rm -r "$tmp/wheel"
fi

# Plots hold the whole pickle in base64: what it holds is compared.
unpack_plot() {	# unpack_plot FILE
	python3 - "$1" <<'END'
import base64, pickle, re, sys
text = open(sys.argv[1]).read()
data = max(re.findall(r'"([A-Za-z0-9+/=]{1000,})"', text), key=len)
snapshot = pickle.loads(base64.b64decode(data))
print(len(snapshot["segments"]), len(snapshot["device_traces"]))
for trace in snapshot["device_traces"]:
    for event in trace:
        print({k: v for k, v in sorted(event.items())
               if k not in ("compile_context", "user_metadata")})
END
}

for name in two windows-gnn.frames graphs.default big_random.expandable \
	streams.cap; do
	xz -dc "tests/data/$name.pickle.xz" >"$tmp/a.pickle"
	allocctl convert --force "$tmp/a.pickle" "$tmp/b.pickle"
	for file in a b; do
		for action in stats trace; do
			python3 "$viewer" $action "$tmp/$file.pickle" \
				>"$tmp/out" || fail "$name: $action of $file"
			# Some events it prints as they are.
			sed "s/, 'compile_context': 'N\/A', 'user_metadata': ''//" \
				<"$tmp/out" >"$tmp/$file.$action"
		done
		python3 -W ignore "$viewer" trace_plot "$tmp/$file.pickle" \
			-o "$tmp/$file.html" || fail "$name: plot of $file"
		unpack_plot "$tmp/$file.html" >"$tmp/$file.plot" ||
			fail "$name: what the plot of $file holds"
	done
	for kind in stats trace plot; do
		[ -s "$tmp/a.$kind" ] || fail "$name: $kind is empty"
		cmp -s "$tmp/a.$kind" "$tmp/b.$kind" ||
			fail "$name: $kind differs"
	done
done
