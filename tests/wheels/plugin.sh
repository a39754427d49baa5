#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The plug-in in torch's wheels, on a CUDA without a GPU: hooks, exceptions,
# statistics, streams, pools, snapshots, under both policies.  Prints the table
# of liballoc-torch(7).  TORCH lists the wheels, of which those before 2.4 are
# left out; WHEELS keeps what is unpacked between runs.
. tests/support.sh
# Both ABIs of std::string, the oldest and the newest; each takes a minute.
TORCH=${TORCH:-2.4.1 2.6.0 2.11.0 2.15.0}
. tests/wheels.sh
[ -e "$O/lib/liballoc-torch.so" ] || skip 'no liballoc-torch.so'
abi=$(python3 -c 'import sys; print("%d%d" % sys.version_info[:2])')
export GPUS=1 MOCK_CUDA_TOTAL=80G
export LIBALLOC_TORCH="$PWD/$O/lib/liballoc-torch.so"
case $O in /*) LIBALLOC_TORCH=$O/lib/liballoc-torch.so ;; esac

fetch_whole() {	# fetch_whole VERSION: what import needs, in $wheels/VERSION.all
	to=$wheels/$1.all
	[ ! -e "$to/torch/bin/torch_shm_manager" ] || return 0
	pip download -q --no-cache-dir --no-deps -d "$tmp/whole" \
		--only-binary=:all: --python-version "$abi" \
		--implementation cp --abi "cp$abi" \
		--platform manylinux1_x86_64 --platform manylinux2014_x86_64 \
		--platform manylinux_2_28_x86_64 "torch==$1" \
		>"$tmp/pip" 2>&1 || return 1
	unzip -q -o "$tmp"/whole/*.whl -d "$to" -x 'torch/include/*' 'torch/bin/*'
	rm -r "$tmp/whole"
	mkdir -p "$to/torch/bin"
	: >"$to/torch/bin/torch_shm_manager"
}

# The libraries of CUDA that torch's want, all one of ours: what they are asked
# for says yes, but for tests/wheels/fake-cudart.c; the driver is that of
# tests/mock.
stub_cuda() {	# stub_cuda FOLDER-OF-TORCH TO
	mkdir -p "$2"
	for library in "$1"/lib/*.so*; do
		objdump -p "$library" 2>/dev/null |
			awk '/NEEDED/ { print $2 }' >>"$2/needed"
		nm -D "$library" 2>/dev/null |
			awk '{ sub(/@.*/, "", $NF) }
			$1 == "U" { print $2 >>undefined; next }
			NF == 3 { print $3 >>defined }' \
			undefined="$2/undefined" defined="$2/defined"
	done
	sort -u "$2/defined" >"$2/has"
	sort -u "$2/undefined" | comm -23 - "$2/has" |
		grep -E '^(__?cuda|cu[a-z]|cuFile|nv|nccl)[A-Za-z0-9_]+$' |
		awk '{ print "__attribute__((weak)) int " $1 "(void)" \
			"{ return 0; }" }' >"$2/stub.c"
	${CC:-cc} -shared -fPIC -w -o "$2/libfake.so" \
		tests/wheels/fake-cudart.c "$2/stub.c"
	sort -u "$2/needed" | grep -E '^lib(cu|nv|nccl)' |
		while read -r name; do
			[ -e "$1/lib/$name" ] || ln -s libfake.so "$2/$name"
		done
	ln -sf "$(realpath "$O/mock/libcuda.so.1")" "$2/libcuda.so.1"
}

try() {	# try PACKAGES: one line of the table
	rm -rf "$tmp/cuda"
	stub_cuda "$1/torch" "$tmp/cuda"
	export LD_LIBRARY_PATH="$tmp/cuda" PYTHONPATH="$1:$tmp/pure"
	python3 -W ignore -c 'import json, torch
torch.cuda.init()
print(json.dumps(sorted(torch.cuda.memory_stats())))' >"$tmp/keys" \
		2>"$tmp/log" || fail "$1: $(tail -n 3 "$tmp/log")"
	for policy in mempool torch compact; do
		python3 -W ignore tests/wheels/plugin.py \
			liballoc/torch/python "$tmp/keys" "$tmp" $policy \
			>"$tmp/row" 2>"$tmp/log" ||
			fail "$1, $policy: $(tail -n 8 "$tmp/log")"
	done
	cat "$tmp/row"
	unset LD_LIBRARY_PATH PYTHONPATH
}

pip install -q --no-cache-dir --target "$tmp/pure" typing_extensions filelock \
	sympy networkx jinja2 fsspec >"$tmp/pip" 2>&1 ||
	skip "nothing that torch needs: $(tail -n 1 "$tmp/pip")"
for version in $TORCH; do
	case $version in 1.*|2.[0-3].*) continue ;; esac
	fetch_whole "$version" ||
		skip "no torch $version: $(tail -n 1 "$tmp/pip")"
	try "$wheels/$version.all"
	[ -n "${WHEELS-}" ] || rm -r "${wheels:?}/$version.all"
done
