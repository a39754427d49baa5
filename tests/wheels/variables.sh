#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which variables the libraries of torch's wheels read, for each way to have
# three names unset, empty or set: the ones that we say.  TORCH lists the
# wheels; WHEELS keeps the libraries between runs; RECORD is a folder for the
# answers, as tests/data has them.
. tests/support.sh
. tests/wheels.sh

environments() {
	for cuda in '' 'PYTORCH_CUDA_ALLOC_CONF=' \
		'PYTORCH_CUDA_ALLOC_CONF=key_c:1'; do
		for hip in '' 'PYTORCH_HIP_ALLOC_CONF=' \
			'PYTORCH_HIP_ALLOC_CONF=key_h:1'; do
			for common in '' 'PYTORCH_ALLOC_CONF=' \
				'PYTORCH_ALLOC_CONF=key_a:1'; do
				printf '%s\n%s\n%s\n' "$cuda" "$hip" \
					"$common" | sed '/^$/d'
				# What is empty is no environment for getdelim.
				printf 'X=\n\0'
			done
		done
	done
}

environments >"$tmp/environments"
for abi in 0 1; do
	g++ -std=c++17 -O1 -D_GLIBCXX_USE_CXX11_ABI=$abi -o \
		"$tmp/ask-variables-$abi" tests/wheels/ask-variables.cpp -ldl
done
for version in $TORCH; do
	fetch "$version" || skip "no torch $version: $(tail -n 1 "$tmp/pip")"
	stub_cudart "$wheels/$version"
	abi=1
	case $version in 1.*|2.[0-6].*) abi=0 ;; esac
	release=${version%.*}
	LD_LIBRARY_PATH=$wheels/$version "$tmp/ask-variables-$abi" "$release" \
		"$wheels/$version" <"$tmp/environments" >"$tmp/torch" \
		2>"$tmp/log" || fail "$version: $(tail -n 3 "$tmp/log")"
	choose-variables "$release" cuda <"$tmp/environments" >"$tmp/ours"
	diff "$tmp/torch" "$tmp/ours" >"$tmp/differences" ||
		fail "torch $version differs: $(cat "$tmp/differences")"
	echo "$version: $(wc -l <"$tmp/torch") environments alike"
	[ -z "${RECORD-}" ] ||
		cp "$tmp/torch" "$RECORD/variables-torch-$release.txt"
	[ -n "${WHEELS-}" ] || rm -r "${wheels:?}/$version"
done
