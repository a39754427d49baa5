#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that is measured on a GPU, in one call: run.sh OUT [PART...] of
#	hooks		liballoc's hooks beside torch's allocator (2 minutes)
#	articles	experiments that articles describe (8 minutes)
#	programs	PyTorch programs under each allocator (8 minutes)
#	probe		cupti-probe beside torch: causes, profiler, cost (6 minutes)
# then bench/results/gpu-*.json, and the tables of bench/README.md.  What a
# part left in OUT stays when another call does the rest.  Wants torch with
# CUDA, g++, one GPU with nothing else on it, and what make has built.
# BENCH_SECONDS bounds all of it (1500); O: where make built (build/release).
set -eu
usage() {
	echo 'usage: bench/gpu/run.sh OUT [hooks|articles|programs|probe]...' >&2
	exit 2
}
[ $# -gt 0 ] || usage
case $1 in -*) usage ;; esac
out=$1
shift
for part; do
	case $part in hooks | articles | programs | probe) ;; *) usage ;; esac
done
[ $# -gt 0 ] || set -- hooks articles programs probe
O=${O:-build/release}
end=$(($(date +%s) + ${BENCH_SECONDS:-1500}))
mkdir -p "$out"

python3 -c 'import torch; torch.cuda.init()' 2>/dev/null || {
	echo 'SKIP gpu: no torch that finds a GPU'
	exit 0
}

# Seconds that are left, at most $1.
left() {
	seconds=$((end - $(date +%s)))
	[ "$seconds" -lt "$1" ] || seconds=$1
	[ "$seconds" -gt 0 ] || seconds=1
	echo "$seconds"
}

hooks() {
	torch=$(python3 -c \
		'import os, torch; print(os.path.dirname(torch.__file__))')
	runtime=$(find "$torch/../nvidia" -name 'libcudart.so.1?' | head -n 1)
	[ -n "$runtime" ] || { echo 'SKIP hooks: no libcudart'; return; }
	libs=${runtime%/*}
	${CXX:-g++} -std=c++20 -O2 bench/gpu/hooks.cpp -o "$out/hooks" \
		-I"$torch/include" -I/usr/local/cuda/include -L"$torch/lib" \
		-Wl,-rpath,"$torch/lib:$libs" -Wl,--no-as-needed -lc10 \
		-lc10_cuda -ltorch_cpu -ltorch_cuda -ltorch -ldl -pthread \
		"$runtime" || return
	timeout "$(left 150)" "$out/hooks" "$O/lib/liballoc-torch.so" \
		>"$out/hooks.txt"
}

articles() {
	python3 bench/gpu/articles.py --out "$out" --seconds "$(left 500)"
}

programs() {
	most=$(left 500)
	python3 tests/gpu/torch_plugin.py --lib "$O/lib" --out "$out/programs" \
		--steps 120 --rounds 1 --stress 0 --seconds "$most" \
		>"$out/programs.txt"
}

probe() {
	python3 tests/gpu/probe.py --bin "$O/bin" --lib "$O/lib" \
		--out "$out/probe" --pairs 4 --seconds "$(left 150)" \
		>"$out/probe.txt"
}

python3 - >"$out/machine.json" <<'END'
import json
import os
import platform
import torch
print(json.dumps({"gpu": torch.cuda.get_device_name(), "cores": os.cpu_count(), "torch": torch.__version__,
                  "kernel": f"{platform.system()} {platform.release().split('-')[0]}", "python": platform.python_version()}))
END
status=0
for part; do
	"$part" || { echo "FAILED $part: status $?"; status=1; }
done
python3 bench/gpu/results.py "$out" || status=1
python3 bench/tables.py || status=1
exit $status
