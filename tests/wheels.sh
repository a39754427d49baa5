# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced behind support.sh by the tests against torch's wheels.  TORCH lists
# the wheels; WHEELS keeps what is taken from them between runs.
for tool in python3 pip unzip objdump nm g++; do
	command -v "$tool" >/dev/null || skip "no $tool"
done

export PYTHONDONTWRITEBYTECODE=1
TORCH=${TORCH:-1.13.1 2.0.1 2.1.2 2.2.2 2.3.1 2.4.1 2.5.1 2.6.0 2.7.1 2.8.0 \
2.9.1 2.10.0 2.11.0 2.12.1 2.13.0 2.14.0 2.15.0}
wheels=${WHEELS:-$tmp}

fetch() {	# fetch VERSION: its libraries and headers into $wheels/VERSION
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
	unzip -q -o "$tmp"/wheel/*.whl 'torch/include/c10/*' \
		-d "$wheels/$version"
	# Older ones bring libraries that they need; others have none.
	unzip -q -o -j "$tmp"/wheel/*.whl 'torch/lib/libgomp*' \
		-d "$wheels/$version" 2>/dev/null || true
	unzip -q -o "$tmp"/wheel/*.whl 'torch/include/torch/headeronly/*' \
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
