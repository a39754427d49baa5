#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Strings given to the libraries of torch's wheels and to our parser: the same
# verdicts, texts and values.  TORCH lists the wheels, STRINGS how many strings
# (1,000) at each time; WHEELS keeps the libraries between runs; RECORD is a
# folder for the answers, as tests/data has them.
. tests/support.sh
for tool in python3 pip unzip objdump nm g++; do
	command -v "$tool" >/dev/null || skip "no $tool"
done

export PYTHONDONTWRITEBYTECODE=1
TORCH=${TORCH:-1.13.1 2.0.1 2.1.2 2.2.2 2.3.1 2.4.1 2.5.1 2.6.0 2.7.1 2.8.0 \
2.9.1 2.10.0 2.11.0 2.12.1 2.13.0 2.14.0 2.15.0}
wheels=${WHEELS:-$tmp}

fetch() {	# fetch VERSION: its libraries into $wheels/VERSION
	[ ! -e "$wheels/$1/libc10_cuda.so" ] || return 0
	python=311
	case $1 in 1.*|2.0.*) python=310 ;; esac
	set -- "$1" --only-binary=:all: --python-version "$python" \
		--implementation cp --abi "cp$python" \
		--platform manylinux1_x86_64 --platform manylinux2014_x86_64 \
		--platform manylinux_2_28_x86_64
	version=$1
	shift
	pip download -q --no-cache-dir --no-deps -d "$tmp/wheel" "$@" \
		"torch==$version" >"$tmp/pip" 2>&1 || return 1
	unzip -q -o -j "$tmp"/wheel/*.whl 'torch/lib/libc10.so' \
		'torch/lib/libc10_cuda.so' -d "$wheels/$version"
	# Older ones bring libraries that they need; others have none.
	unzip -q -o -j "$tmp"/wheel/*.whl 'torch/lib/libgomp*' \
		-d "$wheels/$version" 2>/dev/null || true
	rm -r "$tmp/wheel"
}

# Beside libc10_cuda.so, a CUDA runtime of the name and with the functions that
# it wants, all of which say yes and do nothing: no device is needed.
stub_cudart() {	# stub_cudart FOLDER
	library=$1/libc10_cuda.so
	name=$(objdump -p "$library" | awk '/NEEDED.*cudart/ { print $2 }')
	[ "$name" ] || return 0
	nm -D --undefined-only "$library" |
		awk '$2 ~ /^cuda/ { sub(/@.*/, "", $2); print $2 }' | sort -u |
		awk '
		$1 == "cudaDriverGetVersion" {
			print "int " $1 "(int *v) { *v = 13000; return 0; }"
			next
		}
		{ print "int " $1 "(void) { return 0; }" }' >"$tmp/stub.c"
	objdump -p "$library" | awk '
		/required from libcudart/ { on = 1; next }
		on { print $4 " { global: *; };"; exit }' >"$tmp/stub.map"
	${CC:-cc} -shared -fPIC -o "$1/$name" -Wl,-soname,"$name" \
		-Wl,--version-script="$tmp/stub.map" "$tmp/stub.c"
}

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
