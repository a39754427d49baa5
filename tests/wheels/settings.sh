#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Strings given to the libraries of torch's wheels and to our parser: the same
# verdicts, texts and values.  TORCH lists the wheels, STRINGS how many strings
# (1,000) at each time; WHEELS keeps the libraries between runs; RECORD is a
# folder for the answers, as tests/data has them.
. tests/support.sh
. tests/wheels.sh

# Strings whose lists all close: others make 2.0 to 2.9 read what is not
# theirs, after which nothing can be compared.
strings() {	# strings SEED
	python3 tests/shared/setting-model.py strings "$1" \
		"${STRINGS:-1000}" >"$tmp/all"
	python3 -c 'import sys
for text in sys.stdin.buffer.read().split(b"\0")[:-1]:
    if text.count(b"[") == text.count(b"]"):
        sys.stdout.buffer.write(text + b"\0")' <"$tmp/all" >"$tmp/strings"
}

ask() {	# ask VERSION TIME
	release=${1%.*}
	when=$2 keep='' build=cuda
	case $2 in
	keep) when=runtime keep=keep ;;
	cpu) when=init build=cpu ;;
	esac
	LD_LIBRARY_PATH=$wheels/$1 "$tmp/ask-torch-$abi" "$release" "$2" \
		"$wheels/$1" <"$tmp/strings" >"$tmp/torch" 2>"$tmp/log" ||
		fail "ask-torch $*: $(tail -n 3 "$tmp/log")"
	parse-settings "$release" "$when" "$build" $keep <"$tmp/strings" \
		>"$tmp/ours" || fail "parse-settings $*: status $?"
	python3 tests/wheels/compare.py "$tmp/strings" "$tmp/torch" \
		"$tmp/ours" >"$tmp/differences" ||
		fail "$* differs: $(cat "$tmp/differences")"
	echo "$1 $2: $(cat "$tmp/differences")"
	[ -z "${RECORD-}" ] || python3 tests/wheels/record.py "$tmp/strings" \
		<"$tmp/torch" | xz -6e >"$RECORD/conf-$2-torch-$release.jsonl.xz"
}

for abi in 0 1; do
	g++ -std=c++17 -O1 -D_GLIBCXX_USE_CXX11_ABI=$abi -o \
		"$tmp/ask-torch-$abi" tests/wheels/ask-torch.cpp -ldl
done
seed=0
for version in $TORCH; do
	seed=$((seed + 1))
	fetch "$version" || skip "no torch $version: $(tail -n 1 "$tmp/pip")"
	stub_cudart "$wheels/$version"
	abi=1
	case $version in 1.*|2.[0-6].*) abi=0 ;; esac
	times='import init keep'
	# Before 2.10 nothing reads the variable without CUDA.
	case $version in 2.1[0-9].*) times="$times cpu" ;; esac
	for when in $times; do
		strings "$seed"
		seed=$((seed + 100))
		ask "$version" "$when"
	done
	[ -n "${WHEELS-}" ] || rm -r "${wheels:?}/$version"
done
