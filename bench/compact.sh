#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What policy compact needs for each recording, beside torch's own policy
# native and with expandable segments; wanted: see compact-bounds.awk.
set -eu
[ -d "${SHARED:-.}/traces" ] || { echo 'skipped: no recordings in SHARED'; exit 0; }
find "$SHARED/traces" -name '*.pickle.xz' -print0 | sort -z |
	xargs -0 "$O/bin/compact-figures" | awk -f bench/compact.awk
