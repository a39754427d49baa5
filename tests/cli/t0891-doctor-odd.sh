#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl doctor with a broken driver and broken installations of torch.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTORCH_CUDA_ALLOC_CONF \
	PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF CUDA_VISIBLE_DEVICES
export HOME="$tmp/home"
[ ! -e /etc/liballoc/policy.yaml ] || skip 'the site has a policy'
case ${SANITIZE-} in *address*) skip 'another library under the sanitizer' ;; esac

run() {	# run ARGUMENTS: $tmp/out, within $most seconds
	status=0
	start=$(date +%s)
	allocctl doctor "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ $(($(date +%s) - start)) -le "${most-3}" ] || fail "$* takes too long"
	[ $status -lt 2 ] || fail "status $status: $(cat "$tmp/err")"
	[ ! -s "$tmp/err" ] || fail "said: $(cat "$tmp/err")"
}

has() {	# has TEXT, with line ends as blanks
	tr -s '\n ' '  ' <"$tmp/out" | grep -q -F -e "$1" || {
		cat "$tmp/out" >&2
		fail "no '$1'"
	}
}

# What it does is told by NVML_MODE.
cat >"$tmp/nvml.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int is(const char *mode) { return !strcmp(getenv("NVML_MODE"), mode); }
int nvmlInit_v2(void)
{
	if (is("hang"))
		for (;;)
			sleep(100);
	if (is("crash"))
		abort();
	if (is("exit"))
		exit(0);
	puts("chatter");
	return 0;
}
int nvmlShutdown(void) { return is("hang-late") ? (int)sleep(100) : 0; }
int nvmlSystemGetDriverVersion(char *out, unsigned int size)
{
	memset(out, is("garbage") ? 0x1b : '5', size);
	return 0;
}
int nvmlDeviceGetCount_v2(unsigned int *out)
{
	*out = is("many") ? 256 : is("none") ? 0 : is("garbage") ? -1u : 1;
	return is("error") ? 999 : 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned int i, void **out)
{
	*out = NULL;
	return is("garbage") && i == 1 ? 15 : 0;
}
int nvmlDeviceGetName(void *gpu, char *out, unsigned int size)
{
	(void)gpu;
	memset(out, is("garbage") ? 0xff : 'G', size);
	return 0;
}
int nvmlDeviceGetMemoryInfo(void *gpu, unsigned long long *out)
{
	(void)gpu;
	memset(out, is("garbage") ? 0xff : 1, 24);
	return 0;
}
END
${CC:-cc} -shared -fPIC -o "$tmp/libnvidia-ml.so.1" "$tmp/nvml.c" \
	2>/dev/null || skip 'no shared objects here'
export LD_LIBRARY_PATH="$tmp" NVML_MODE

for NVML_MODE in hang hang-late; do
	most=8 run --torch 2.11
	[ -e /proc/driver/nvidia/version ] ||
		has 'driver none seen: NVML: it does not answer'
done
! ps -A -o args 2>/dev/null | grep -q '^allocctl doctor' || fail 'it runs on'
for NVML_MODE in crash exit; do
	run --torch 2.11
	[ -e /proc/driver/nvidia/version ] ||
		has 'driver none seen: NVML: it crashes'
done
NVML_MODE=many
run --torch 2.11
has 'GPU 63 GGG'
has 'and 192 more'
! grep -q chatter "$tmp/out" || fail 'the library is heard'
for NVML_MODE in none error garbage many crash; do
	run --torch 2.11 --format json
	python3 - "$tmp/out" $NVML_MODE <<'END' || fail "$NVML_MODE: JSON"
import json, sys
d = json.loads(open(sys.argv[1], encoding="utf-8").read())
mode = sys.argv[2]
assert d["schema"] == "allocctl.doctor/1"
count = {"many": 256, "none": 0, "error": 0, "garbage": 2**32 - 1}
assert d["gpu_count"] == count.get(mode), d["gpu_count"]
assert len(d["gpus"]) == min(64, d["gpu_count"] or 0)
assert (d["nvml_trouble"] is None) == (mode != "crash")
for gpu in d["gpus"]:
    assert set(gpu) == {"name", "total", "used", "mig"}
END
done
NVML_MODE=garbage
run --torch 2.11
! grep -q "$(printf '\033')" "$tmp/out" || fail 'control characters are printed'

# Torch that is broken, among a hundred installations.
NVML_MODE=none
i=0
while [ $i -lt 100 ]; do
	i=$((i + 1))
	mkdir -p "$tmp/venv/lib/python3.$i/site-packages"
done
mkdir -p "$tmp/venv/bin"
: >"$tmp/venv/bin/python3"
chmod +x "$tmp/venv/bin/python3"
broken() {	# broken WANTED: of the version file in $torch
	VIRTUAL_ENV=$tmp/venv run
	has "$1"
	VIRTUAL_ENV=$tmp/venv run --format json
	python3 -c 'import json, sys
d = json.loads(open(sys.argv[1], encoding="utf-8").read())
assert d["torch"]["found"] is False' "$tmp/out" || fail "$1: JSON"
}
broken 'torch not found: no torch in the packages'
torch=$tmp/venv/lib/python3.57/site-packages/torch
mkdir "$torch"
broken 'torch not found: no torch in the packages'
printf 'nothing\n' >"$torch/version.py"
broken 'torch not found:'
head -c 100000 /dev/urandom >"$torch/version.py"
broken 'torch not found:'
printf "__version__ = '\\033[31m\\377'\n" >"$torch/version.py"
broken 'torch not found:'
! grep -q "$(printf '\033')" "$tmp/out" || fail 'control characters are printed'
rm "$torch/version.py"
mkfifo "$torch/version.py"
broken 'torch not found: cannot read'
rm "$torch/version.py"
ln -s version.py "$torch/version.py"
broken 'torch not found:'
