#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The device on a real GPU does what the simulated ones and the mock driver do.
. tests/support.sh
command -v nvidia-smi >/dev/null || skip 'no nvidia-smi'
nvidia-smi >/dev/null 2>&1 || skip 'no GPU'
"$O/bin/device-gpu" || fail 'not as it must be'
"$O/bin/device-gpu" fault || fail 'a fault is not known'
