#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# calibrate measures what the driver takes, here one of ours with a clock that
# only it turns, and tune finds what was measured.
. tests/support.sh
. tests/tune.sh
[ -d "$O/mock" ] || skip 'no stand-ins for CUDA here'
PATH=$(cd "$O/bin" && pwd):$PATH
mock=$(cd "$O/mock" && pwd)
file=tests/data/streams.default.pickle.xz # of a GPU of 150109880320 bytes

# Microseconds, and those for each MiB.
times='cudaMalloc:50:0.1 cudaFree:40:0.5 cuMemCreate:10:0.1 cuMemMap:1.5:0
cuMemSetAccess:30:0.05 cuMemUnmap:20:0.01 cuMemRelease:12:0.5
cuEventRecord:0.25:0 cuStreamWaitEvent:0.16:0 cuEventQuery:0.125:0'
times=$(echo "$times" | tr '\n' ' ')

# The runtime of a sanitizer wants to be the first of all libraries.
runtime=$(ldd "$O/bin/allocctl" |
	sed -n 's/.* => \([^ ]*lib[at]san[^ ]*\) .*/\1/p')
HOME=$tmp/home
XDG_CONFIG_HOME=
export HOME XDG_CONFIG_HOME
unset VIRTUAL_ENV CONDA_PREFIX
mkdir "$HOME"
costs=$HOME/.config/liballoc/costs.d

calibrate() {	# calibrate STATUS ARGUMENTS...
	wanted=$1
	shift
	status=0
	LSAN_OPTIONS=detect_leaks=0 \
	ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 \
	MOCK_CUDA_TIMES=$times LD_LIBRARY_PATH=$mock:${LD_LIBRARY_PATH:-} \
	LD_PRELOAD="$runtime $mock/libmock_clock.so" \
		"$O/bin/allocctl" calibrate "$@" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
	equal "exit status of calibrate $*: $(cat "$tmp/err")" \
		"$status" "$wanted"
}

says() {	# says TEXT: all of standard error
	equal 'standard error' "$(cat "$tmp/err")" "${1:+allocctl: $1}"
}

# What the file has to say of so many MiB, by the list above.
expected() {	# expected MIB
	awk -v m="$1" 'BEGIN {
		create = 10 + 0.1 * m; attach = 31.5 + 0.05 * m
		detach = 20 + 0.01 * m; release = 12 + 0.5 * m
		printf "  - size: %d\n    malloc: %.2f\n    free: %.2f\n", m,
			50 + 0.1 * m, 40 + 0.5 * m
		printf "    map: %.2f\n    unmap: %.2f\n", create + attach,
			detach + release
		printf "    create: %.2f\n    attach: %.2f\n", create, attach
		printf "    detach: %.2f\n    release: %.2f\n", detach, release
	}'
}

# Of each operation a fifth takes ten times as long: medians do not see it,
# but the mean of a hundred events does.
calibrate 0 --cudart "$mock/libcudart.so.13"
says ''
grep -q "^written to  $costs/Mock-GPU-0.yaml\$" "$tmp/out" ||
	fail "it does not say where: $(cat "$tmp/out")"
{
	cat <<-'END'
	# What device operations cost, by allocctl calibrate: times in microseconds,
	# sizes in MiB, medians of 20.
	# wait: not measured, as shipped.
	# Events: record 0.70, wait for 0.45, query 0.35.
	gpu: "Mock GPU 0"
	total: 16384.000000
	context: 256.000000
	wait: 800
	order: 1.15
	sizes:
	END
	for size in 2 20 64 256 1024 4096; do
		expected $size
	done
} >"$tmp/wanted"
diff "$tmp/wanted" "$costs/Mock-GPU-0.yaml" || fail 'it measured otherwise'
equal 'files' "$(ls "$costs")" Mock-GPU-0.yaml
grep -q '^      64    56.40    72.00 ' "$tmp/out" || fail 'no table'

# The same on standard output; a file that is there stays unless forced.
calibrate 0 --cudart "$mock/libcudart.so.13" --output -
diff "$tmp/wanted" "$tmp/out" || fail 'standard output differs'
echo mine >"$tmp/file"
calibrate 3 --cudart "$mock/libcudart.so.13" --output "$tmp/file"
says "'$tmp/file' is there; --force replaces it"
equal 'the file' "$(cat "$tmp/file")" mine
calibrate 0 --cudart "$mock/libcudart.so.13" --output "$tmp/file" --force
diff "$tmp/wanted" "$tmp/file" || fail 'the file differs'
calibrate 0 --cudart "$mock/libcudart.so.13" --output - --format json
python3 - "$tmp/out" <<'END' || fail 'JSON differs'
import json, sys
report = json.load(open(sys.argv[1]))
assert report['schema'] == 'allocctl.calibrate/1' and report['file'] is None
assert report['gpu'] == 'Mock GPU 0' and report['total'] == 16 << 30
assert report['context'] == 256 << 20 and report['cudart_version'] == 13000
assert (report['record'], report['wait_for'], report['query']) == \
    (0.7, 0.45, 0.35)
assert report['sizes'][2]['size'] == 64 << 20
assert report['sizes'][2]['release'] == 44.0
assert len(report['sizes']) == 6
END

# What there is room for; others on the GPU hide what a context takes.
MOCK_CUDA_TOTAL=1G calibrate 0 --cudart "$mock/libcudart.so.13" --output -
equal 'sizes' "$(grep -c 'size:' "$tmp/out")" 4
MOCK_CUDA_TOTAL=257M calibrate 3 --cudart "$mock/libcudart.so.13"
says 'cannot measure: the GPU has only 1 MiB left'
MOCK_CUDA_OTHERS=4G calibrate 0 --cudart "$mock/libcudart.so.13" --output -
says 'warning: other programs use the GPU: times may be too long, and what a context takes is not known'
grep -q '^context: 518.0' "$tmp/out" || fail 'the context of others'
grep -q '^# wait, context: not measured' "$tmp/out" || fail 'it hides that'

# Where torch keeps the runtime.
packages=$tmp/venv/lib/python3.12/site-packages
mkdir -p "$packages/torch" "$packages/nvidia/cu13/lib"
echo "__version__ = '2.11.0+cu130'" >"$packages/torch/version.py"
ln -s "$mock/libcudart.so.13" "$packages/nvidia/cu13/lib/libcudart.so.13"
VIRTUAL_ENV=$tmp/venv calibrate 0 --output "$tmp/venv.yaml"
grep -q "^cudart      $packages/nvidia/cu13/lib/libcudart.so.13\$" \
	"$tmp/out" || fail "not torch's: $(cat "$tmp/out")"

# Nothing to measure with.
MOCK_CUDA_DEVICES=0 calibrate 3 --format json
equal 'no GPU, JSON' "$(cat "$tmp/out")" null
grep -q '^allocctl: no GPU to measure: cuDeviceGet: ' "$tmp/err" ||
	fail "no GPU: $(cat "$tmp/err")"
calibrate 3 --device 1
calibrate 3 --cudart "$tmp/none.so"
says "cannot load the CUDA runtime '$tmp/none.so'"
calibrate 3 --cudart "$mock/libcuda.so.1"
says "'$mock/libcuda.so.1' lacks 'cudaSetDevice'"
calibrate 2 --system --output -
says '--system and --output exclude each other'
calibrate 2 operand
says 'calibrate takes no operands'
calibrate 2 --device 2147483648
says '--device wants a number of a GPU'
: >"$tmp/no-folder"
XDG_CONFIG_HOME=$tmp/no-folder calibrate 3 --cudart "$mock/libcudart.so.13"
says "cannot make folder '$tmp/no-folder': File exists"

# tune finds it by the bytes that the recording's GPU has, ...
tune 0 "$file" --format json
equal 'costs of another GPU' "$(member costs)" null
allocctl tune "$file" --costs "$tmp/wanted" >"$tmp/given" 2>"$tmp/err" || {
	grep -q 'no YAML reader' "$tmp/err" || fail "$(cat "$tmp/err")"
	exit 0
}
MOCK_CUDA_TOTAL=150109880320 calibrate 0 --cudart "$mock/libcudart.so.13"
tune 0 "$file" --format json
equal 'costs by size' "$(member costs)" "\"$costs/Mock-GPU-0.yaml\""
tune 0 "$file"
grep -q "^    from $costs/Mock-GPU-0.yaml\$" "$tmp/out" || fail 'not said'
sed "s,from $costs/Mock-GPU-0.yaml,from $tmp/wanted," "$tmp/out" |
	diff "$tmp/given" - || fail 'the same costs, another report'

# ... or by the name that --card gives; and XDG_CONFIG_HOME counts.
mkdir -p "$tmp/config/liballoc/costs.d"
printf '%s\n' 'gpu: NVIDIA A100-SXM4-80GB' 'total: 81000' 'context: 300' \
	'sizes:' '- {size: 2, malloc: 1}' \
	>"$tmp/config/liballoc/costs.d/b.yaml"
cp "$tmp/config/liballoc/costs.d/b.yaml" \
	"$tmp/config/liballoc/costs.d/a.yaml"
echo 'sizes: 3' >"$tmp/config/liballoc/costs.d/bad.yaml"
XDG_CONFIG_HOME=$tmp/config
tune 0 "$file" --card A100-80GB --format json
equal 'costs by name' "$(member costs)" \
	"\"$tmp/config/liballoc/costs.d/a.yaml\""
equal 'warning' "$(cat "$tmp/err")" \
	"allocctl: warning: cannot read '$tmp/config/liballoc/costs.d/bad.yaml': line 1, column 8: no list"
tune 0 "$file" --card A100-80GB
grep -q 'less 300.00 MiB of CUDA context, as measured on NVIDIA A100' \
	"$tmp/out" || fail "another context: $(cat "$tmp/out")"
tune 0 "$file" --card H100-80GB --format json
equal 'costs of no GPU here' "$(member costs)" null

# A shard says which file it had.
rm "$tmp/config/liballoc/costs.d/bad.yaml"
tune 0 "$file" --card A100-80GB --shard 1/2
grep -q "\"costs\":\"$tmp/config/liballoc/costs.d/a.yaml\"" "$tmp/out" ||
	fail 'the shard does not say'
