#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What PyTorch's allocator reports is seen under both front ends, however its
# library is linked, and reaches libc10.so as before.
. tests/support.sh
. tests/probe.sh

# Blocks as the allocator's rules say: 512 bytes of a segment of 2 MiB, 3 MiB
# of one of 20 MiB; 30 GiB are more than there is, and before the limit is
# hit the free segment goes.
wanted='block 512 512 2097152 0
block 3145728 3146240 23068672 0
block oom 32212254720 3146240 23068672 0
block -512 3145728 23068672 0
block 31457280 34603008 54525952 0
block oom 31457280 34603008 52428800 0'
operations='init;begin;torch 100;torch 3M;torch 30G;torchfree 0
	torchexpandable;torch 30M;torchlimit 60M;torch 30M;reports'
operations=$(echo "$operations" | tr '\n' ';')
# The library is loaded before: later ones are seen a moment after.
load='torchlimit 0;sleep 300'

blocks() {
	sed -n 's/^block 0x[0-9a-f]*/block/p; /^block oom/p' "$tmp/log"
}

for folder in "$O/mock" "$O/mock/lazy"; do
	LD_LIBRARY_PATH=$folder:$O/mock
	plain cuda-program dlsym "init;$load;$operations"
	grep -q '^6 reports, 2 of them OOM' "$tmp/plain" || fail 'no reports'
	for front in $fronts; do
		watched "$front" cuda-program dlsym "init;$load;$operations"
		same "$front"
		equal "$front: blocks" "$(blocks)" "$wanted"
		equal "$front: views" "$(grep -c '^view' "$tmp/log")" 2
		CUPTI_PROBE_ALLOCATOR=off watched "$front" cuda-program dlsym \
			"init;$load;$operations"
		same "$front, off"
		equal "$front, off: blocks" "$(blocks)" ''
		equal "$front, off: views" "$(grep -c '^view' "$tmp/log")" 1
	done
	# The last one was the allocator's own limit: no call has failed.
	equal 'failed calls' "$(grep -c '^exit cuMem[AC].* 2 ' "$tmp/log")" 2
done

# Loaded before the driver is begun, the slots are ours from the start.
plain cuda-program dlsym "torchlimit 0;$operations"
watched cupti cuda-program dlsym "torchlimit 0;$operations"
same 'loaded first'
equal 'loaded first: blocks' "$(blocks)" "$wanted"

# Unloaded and loaded again.
again='torchclose;torchlimit 0;sleep 300;torch 100'
plain cuda-program dlsym "init;begin;$load;torch 100;$again;reports"
watched cupti cuda-program dlsym "init;begin;$load;torch 100;$again;reports"
same 'loaded again'
equal 'loaded again: blocks' "$(blocks | wc -l)" 2

# No place in CUPTI: the allocator is seen all the same.
MOCK_CUPTI_HOLDER=Nsight watched cupti cuda-program dlsym \
	"init;$load;$operations"
equal 'without CUPTI: blocks' "$(blocks)" "$wanted"
