#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Allocate and release by address, 1 to 8 threads, against the same heap behind
# one mutex; wanted: at most 150 ns a pair on one thread.
set -eu
echo "$(nproc) processors, $(sed -n 's/^model name.*: //p;T;q' /proc/cpuinfo)"
for policy in torch compact; do
	echo "policy $policy"
	"$O/bin/bench-allocator" $policy
done
