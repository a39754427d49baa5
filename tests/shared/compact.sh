#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Policy compact on all recordings of workloads, see compact-bounds.awk.
# Those of random/ and setters/ are made to reach every rule of torch's, by
# requests most of which fail.
. tests/support.sh

find "$SHARED/traces" tests/data -name '*.pickle.xz' ! -path '*/random/*' \
	! -path '*/setters/*' ! -name 'setters.*' \
	! -name oom_fragmentation_small.pickle.xz -print0 |
	xargs -0 -P "$(nproc)" -n 1 compact-figures -q >"$tmp/figures" ||
	fail 'figures'
awk -v least=120 -f tests/tools/compact-bounds.awk "$tmp/figures" ||
	fail 'out of bounds'
