#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl doctor: with a torch and an NVML of our own.
. tests/support.sh
. tests/nvml.sh

unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTORCH_CUDA_ALLOC_CONF \
	PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF CUDA_VISIBLE_DEVICES
export HOME="$tmp/home"
[ ! -e /etc/liballoc/policy.yaml ] || skip 'the site has a policy'

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out
	want=$1
	shift
	status=0
	allocctl doctor "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = "$want" ] || cat "$tmp/out" "$tmp/err" >&2
	equal "status of doctor $*" "$status" "$want"
}

has() {	# has TEXT, with line ends as blanks
	tr -s '\n ' '  ' <"$tmp/out" | grep -q -F -e "$1" || {
		cat "$tmp/out" >&2
		fail "no '$1'"
	}
}

venv=$tmp/venv
mkdir -p "$venv/bin" "$venv/lib/python3.11/site-packages/torch"
: >"$venv/bin/python3"
chmod +x "$venv/bin/python3"
printf "__version__ = '2.11.0+cu130'\ncuda = '13.0'\n" \
	>"$venv/lib/python3.11/site-packages/torch/version.py"

nvml_source >"$tmp/nvml.c"
case ${SANITIZE-} in *address*) skip 'another library under the sanitizer' ;; esac
${CC:-cc} -shared -fPIC -o "$tmp/libnvidia-ml.so.1" "$tmp/nvml.c"
export LD_LIBRARY_PATH="$tmp"

run 0 --python "$venv/bin/python3"
has "torch 2.11.0+cu130, cuda build, $venv/lib/python3.11/site-packages"
has 'driver NVIDIA 580.65.06, by NVML'
has 'GPU 0 NVIDIA H200, 3.00 GiB, 1.00 GiB in use GPU 1'
has 'GPU 1 NVIDIA H100, 3.00 GiB, 1.00 GiB in use, divided by MIG'
has 'GPU 1 is divided by MIG: a program has the memory of its slice'
has 'variables none'

PYTORCH_CUDA_ALLOC_CONF=expandable_segments=True \
	run 1 --python "$venv/bin/python3"
has 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments=True (refused)'
has "write: export PYTORCH_CUDA_ALLOC_CONF='expandable_segments:True'"
PYTORCH_CUDA_ALLOC_CONFIG=backend:native run 1 --torch 2.11
has 'torch reads no PYTORCH_CUDA_ALLOC_CONFIG; PYTORCH_CUDA_ALLOC_CONF was'
CUDA_VISIBLE_DEVICES='' run 1 --torch 2.11
has "CUDA_VISIBLE_DEVICES='' hides all GPUs"
# Nothing but what matters is printed.
SECRET_TOKEN=hunter2 run 0 --torch 2.11
! grep -q hunter2 "$tmp/out" || fail 'a secret is printed'

printf "__version__ = '2.11.0+cpu'\ncuda = None\n" \
	>"$venv/lib/python3.11/site-packages/torch/version.py"
run 1 --python "$venv/bin/python3"
has 'install a build of torch for the GPU'

run 0 --torch 2.11 --format json
python3 - "$tmp/out" <<'EOF' || fail "JSON: $(cat "$tmp/out")"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "allocctl.doctor/1" and d["system"] in ("linux", "wsl")
assert d["driver"] == "580.65.06" and d["driver_seen_by"] == "NVML"
assert d["gpus"][1] == {"name": "NVIDIA H100", "total": 3 << 30,
                        "used": 1 << 30, "mig": True}
assert not d["torch"]["found"] and d["variables"] == []
assert not any(step["fault"] for step in d["steps"])
EOF

# An NVML that does not start, as where the driver is not loaded.
sed -i 's/nvmlInit_v2(void) { return 0; }/nvmlInit_v2(void) { return 9; }/' \
	"$tmp/nvml.c"
${CC:-cc} -shared -fPIC -o "$tmp/libnvidia-ml.so.1" "$tmp/nvml.c"
[ -e /proc/driver/nvidia/version ] || {
	run 1 --torch 2.11
	has 'driver none seen: NVML does not start: error 9'
	has 'load the NVIDIA driver'
}
run 2 --torch 2.11 --python x
run 2 x
