#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which variables each release reads: what the libraries of its wheels did with
# three names unset, empty or set (tests/wheels/variables.sh).
. tests/support.sh

for cuda in '' 'PYTORCH_CUDA_ALLOC_CONF=' 'PYTORCH_CUDA_ALLOC_CONF=key_c:1'; do
	for hip in '' 'PYTORCH_HIP_ALLOC_CONF=' \
		'PYTORCH_HIP_ALLOC_CONF=key_h:1'; do
		for common in '' 'PYTORCH_ALLOC_CONF=' \
			'PYTORCH_ALLOC_CONF=key_a:1'; do
			printf '%s\n%s\n%s\nX=\n\0' "$cuda" "$hip" "$common"
		done
	done
done >"$tmp/environments"

releases=$(cut -d ' ' -f 1 tests/data/variables-torch.txt | uniq)
for release in $releases; do
	choose-variables "$release" cuda <"$tmp/environments" |
		sed "s/^/$release /" >>"$tmp/ours"
done
diff tests/data/variables-torch.txt "$tmp/ours" ||
	fail "variables that a release reads"
equal "answers" "$(wc -l <"$tmp/ours")" 432

# Builds for ROCm: no recordings; from their sources.
rocm() {	# rocm RELEASE LINES WANTED
	equal "ROCm $1, $2" "$(printf "$2\n\0" | choose-variables "$1" rocm)" \
		"$3"
}
both='PYTORCH_CUDA_ALLOC_CONF=key_c:1\nPYTORCH_HIP_ALLOC_CONF=key_h:1'
rocm 2.6 "$both" 'key_h key_h'
rocm 2.7 "$both" 'key_c key_c'
rocm 2.7 'PYTORCH_HIP_ALLOC_CONF=key_h:1' 'key_h key_h'
rocm 2.9 'PYTORCH_HIP_ALLOC_CONF=key_h:1\nPYTORCH_ALLOC_CONF=key_a:1' \
	'key_h key_a'
rocm 2.11 'PYTORCH_HIP_ALLOC_CONF=key_h:1\nPYTORCH_ALLOC_CONF=key_a:1' \
	'key_h key_h'

# What the command says of it.
unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF
say() {	# say WANTED-STATUS RELEASE WANTED-CODES NAME=VALUE...
	want=$1 release=$2 codes=$3
	shift 3
	status=0
	env "$@" allocctl env --torch "$release" --build cuda --format json \
		>"$tmp/out" || status=$?
	equal "status of $*" "$status" "$want"
	equal "codes of $* in $release" "$(python3 -c 'import json, sys
print(" ".join(f["code"] + ("*" if f["harmless"] else "")
    for f in json.load(open(sys.argv[1]))["findings"]))' "$tmp/out")" "$codes"
}
a=max_split_size_mb:64
b=max_split_size_mb:128
say 0 2.11 '' X=1
say 0 2.11 '' PYTORCH_CUDA_ALLOC_CONF=$a
say 0 2.11 '' PYTORCH_ALLOC_CONF=$a
say 1 2.11 LA297 PYTORCH_CUDA_ALLOC_CONF=$a PYTORCH_ALLOC_CONF=$b
say 1 2.11 LA297 PYTORCH_CUDA_ALLOC_CONF= PYTORCH_ALLOC_CONF=$b
say 0 2.11 'LA297*' PYTORCH_CUDA_ALLOC_CONF=$a PYTORCH_ALLOC_CONF=$a
say 1 2.11 LA290 PYTORCH_HIP_ALLOC_CONF=$a PYTORCH_ALLOC_CONF=$b
say 0 2.11 'LA290*' PYTORCH_HIP_ALLOC_CONF=$a PYTORCH_ALLOC_CONF=$a
say 1 2.11 LA290 PYTORCH_HIP_ALLOC_CONF=$a
say 1 2.8 LA293 PYTORCH_ALLOC_CONF=$a
say 1 2.8 LA299 PYTORCH_HIP_ALLOC_CONF=$a
say 0 2.8 'LA293*' PYTORCH_ALLOC_CONF=$a PYTORCH_CUDA_ALLOC_CONF=$a
say 1 2.9 'LA290 LA293' PYTORCH_ALLOC_CONF=$a PYTORCH_CUDA_ALLOC_CONF=$b
say 1 2.11 LA294 PYTORCH_CUDA_ALLOC_CONFIG=$a
say 1 2.11 LA294 PYTORCH_CUDA_ALOC_CONF=$a
say 1 2.11 LA294 pytorch_cuda_alloc_conf=$a
say 0 2.11 '' PYTORCH_NPU_ALLOC_CONF=$a
say 1 2.11 LA296 PYTORCH_NO_CUDA_MEMORY_CACHING=1
say 1 2.6 LA296 PYTORCH_NO_CUDA_MEMORY_CACHING=0
say 1 2.11 '' PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb=64
