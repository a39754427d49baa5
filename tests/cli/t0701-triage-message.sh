#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Messages of torch alone: the verdict, what torch printed, and what is known
# of expandable segments, which torch tried (tests/data/remedy.tsv and its
# kin).
. tests/support.sh
. tests/triage.sh

# The cause was arranged: torch's messages of a full card, of a cap, and of a
# request that no card has.
message big_random.oom | sed 's/.*/[rank3]: &/' >"$tmp/cap.log"
tail=' If reserved but unallocated memory is large try setting'
tail="$tail PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid"
tail="$tail fragmentation.  See documentation for Memory Management "
tail="$tail (https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)"
cat >"$tmp/full.log" <<EOF
step 12 loss 0.3
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 4.29 GiB is free. Including non-PyTorch memory, this process has 135.51 GiB memory in use. Of the allocated memory 135.00 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.$tail
EOF
cat >"$tmp/large.log" <<EOF
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 500.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 139.29 GiB is free. Including non-PyTorch memory, this process has 518.00 MiB memory in use. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.$tail
EOF
cat >"$tmp/fraction.log" <<EOF
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 139.80 GiB of which 136.79 GiB is free. Including non-PyTorch memory, this process has 3.01 GiB memory in use. 2.80 GiB allowed; Of the allocated memory 2.50 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.$tail
EOF

triage 0 "$tmp/full.log"
says 'CAPACITY, '
says '5.00 GiB was asked of the device, 4.29 GiB was left'
says '135.00 GiB was in use'
says 'it is no'
says "from        $tmp/full.log, line 2"
triage 0 "$tmp/large.log"
says 'REQUEST_TOO_LARGE, '
says 'The card has 139.80 GiB in all.'
triage 0 "$tmp/fraction.log"
says 'FRACTION_CAP, '
says 'below the'
says 'The card itself had'
triage 0 "$tmp/cap.log"
says 'FRAGMENTATION, '
says 'also        FRACTION_CAP'
says '714.00 MiB was asked of the device'
says 'cap of 7.59 GiB'

# In JSON, bytes are bounds of what is printed: 714.00 MiB is 748,683,264.
triage 0 "$tmp/cap.log" --format json --try '' --try max_split_size_mb:128 \
	--try expandable_segments:True --try expandable_segments:False
says '{"schema":"allocctl.triage/1","ooms":[{"verdict":"FRAGMENTATION"'
says '"label":"fraction_cap"'
says '"rank":3'
awk '{
	if (match($0, /"segment":\{"low":[0-9]*,"high":[0-9]*,"basis":"printed","line":1/) == 0)
		exit 1
	split(substr($0, RSTART, RLENGTH), part, /[:,]/)
	exit !(part[3] <= 748683264 && part[5] >= 748683264 &&
	       part[5] - part[3] < 20000)
}' "$tmp/out" || fail "the segment: $(cat "$tmp/out")"
equal 'expandable segments' "$(outcome expandable_segments:True)" past
equal 'max_split_size_mb' "$(outcome max_split_size_mb:128)" unknown
equal 'the default' "$(outcome '')" unknown
equal 'expandable segments off' "$(outcome expandable_segments:False)" unknown

# What torch did under expandable segments: 7.02 GiB + 1.14 GiB of 8.23 GiB
# fitted, 8.06 GiB + 1.14 GiB did not.
says_expandable() {	# says_expandable ALLOCATED WANTED
	cat >"$tmp/log" <<EOF
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.14 GiB. GPU 0 has a total capacity of 139.80 GiB of which 129.35 GiB is free. Including non-PyTorch memory, this process has 7.88 GiB memory in use. 8.23 GiB allowed; Of the allocated memory $1 is allocated by PyTorch, and 138.53 MiB is reserved by PyTorch but unallocated.$tail
EOF
	triage 0 "$tmp/log" --format json
	equal "with $1 in use" "$(outcome expandable_segments:True)" "$2"
}
says_expandable '7.02 GiB' past
says_expandable '7.22 GiB' stuck

# What is in force is not to be advised, and was of no help.
triage 0 "$tmp/cap.log" --format json --setting max_split_size_mb:128
says '"setting":"max_split_size_mb:128","outcome":"stuck"'
says '"current":true'

# A bare error has no numbers: what to gather is one line.
echo 'RuntimeError: CUDA error: out of memory' >"$tmp/bare.log"
triage 3 "$tmp/bare.log"
says 'CANNOT_TELL: '
says '_record_memory_history()'
[ "$(grep -c '^import .*_dump_snapshot' "$tmp/out")" = 1 ] ||
	fail 'what to gather is not one line'
triage 3 "$tmp/bare.log" --format json
says '"verdict":"CANNOT_TELL"'

# Two other processes held the card: they are named, but not to strangers.
cat >"$tmp/others.log" <<EOF
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.44 GiB. GPU 0 has a total capacity of 139.80 GiB of which 1.44 GiB is free. Including non-PyTorch memory, this process has 1.48 GiB memory in use. Process 730 has 60.51 GiB memory in use. Process 733 has 76.35 GiB memory in use. Of the allocated memory 1000.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.$tail
EOF
triage 0 "$tmp/others.log"
says 'OTHER_PROCESS, '
grep -z -q 'process 733:[^;]*76.35 GiB,[^;]*730:[^;]*60.51 GiB' "$tmp/out" ||
	fail "no list of processes: $(cat "$tmp/out")"
triage 0 "$tmp/others.log" --format markdown
says_not '733'
says_not '730'

# A stack limit of CUDA's took 33 GiB: it could be another allocator as well.
cat >"$tmp/beyond.log" <<EOF
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.86 GiB. GPU 0 has a total capacity of 139.80 GiB of which 1.95 GiB is free. Including non-PyTorch memory, this process has 137.84 GiB memory in use. Of the allocated memory 104.50 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.$tail
EOF
triage 0 "$tmp/beyond.log"
says 'DRIVER_OVERHEAD, '
says 'other allocators in the process look the'

# What each backend reads, and what it has.
sed 's/CUDA out/HIP out/; s/PYTORCH_CUDA/PYTORCH_HIP/' "$tmp/cap.log" \
	>"$tmp/hip.log"
triage 0 "$tmp/hip.log"
says 'export PYTORCH_HIP_ALLOC_CONF='
cat >"$tmp/npu.log" <<'EOF'
RuntimeError: NPU out of memory. Tried to allocate 4.90 GiB (NPU 3; 59.38 GiB total capacity; 48.19 GiB already allocated; 1.29 GiB free; 56.06 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.
EOF
triage 0 "$tmp/npu.log"
says 'export PYTORCH_NPU_ALLOC_CONF='
cat >"$tmp/mps.log" <<'EOF'
RuntimeError: MPS backend out of memory (MPS allocated: 5.50 GB, other allocations: 14.76 GB, max allowed: 20.40 GB). Tried to allocate 147.24 MB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause system failure).
EOF
triage 0 "$tmp/mps.log"
says 'held 5.50 GiB and others 14.76 GiB'
says_not 'nvidia-smi'

# The host's memory is never mixed with the GPU's.
echo 'RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.' \
	>"$tmp/host.log"
triage 0 "$tmp/host.log"
says 'HOST_MEMORY'

# Warnings that harm nothing are no OOM.
cat >"$tmp/calm.log" <<'EOF'
2024-01-01 10:00:00.000000: W external/local_tsl/tsl/framework/bfc_allocator.cc:296] Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.25GiB with freed_by_count=0. The caller indicates that this is not a failure, but this may mean that there could be performance gains if more memory were available.
EOF
triage 1 "$tmp/calm.log"
says 'Only harmless warnings were found'
triage 1 "$tmp/calm.log" --format json
says '"kind":"harmless"'

# Ranks of a job: a line for each cause, a letter for one.
cat "$tmp/full.log" "$tmp/cap.log" "$tmp/large.log" "$tmp/calm.log" \
	>"$tmp/all.log"
triage 0 "$tmp/all.log"
says '3 OOMs were found:'
says 'CAPACITY                 1  GPU 0 (line 2)'
says 'FRAGMENTATION            1  rank 3 (line 3)'
says 'REQUEST_TOO_LARGE        1  GPU 0 (line 4)'
says 'that harm nothing: 1.'
triage 0 "$tmp/all.log" --format json
says '"lines":5,"lost":0}'
grep -q '"CAPACITY".*"FRAGMENTATION".*"REQUEST_TOO_LARGE"' "$tmp/out" ||
	fail 'OOMs are not in the order of their lines'
