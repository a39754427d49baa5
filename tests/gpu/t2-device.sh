#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The device on a real GPU does what the simulated ones and the mock driver do;
# calibrate measures it, and tune takes that.
. tests/support.sh
command -v nvidia-smi >/dev/null || skip 'no nvidia-smi'
nvidia-smi >/dev/null 2>&1 || skip 'no GPU'
"$O/bin/device-gpu" || fail 'not as it must be'
"$O/bin/device-gpu" fault || fail 'a fault is not known'

costs=${OUT:-$tmp}/costs.yaml
"$O/bin/allocctl" calibrate --output "$costs" --force ||
	fail 'calibrate fails'
awk '$1 ~ /^(malloc|free|map|unmap|create|attach|detach|release|order):$/ {
		n++
		if ($2 <= 0 || $2 > 1e5)
			exit 1
	}
	END { exit n < 8 * 4 + 1 }' "$costs" || fail "odd: $(cat "$costs")"
"$O/bin/allocctl" tune tests/data/streams.default.pickle.xz \
	--costs "$costs" >"$tmp/tuned" || fail 'tune does not take it'
