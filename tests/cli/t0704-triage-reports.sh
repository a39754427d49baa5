#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reports of triage: what a screen holds, both languages, every number, and
# nothing private where strangers read.
. tests/support.sh
. tests/triage.sh

fits() {	# fits ARGUMENTS...: a screen, in both languages
	for lang in en zh; do
		triage 0 "$@" --lang $lang
		fits_screen "$* --lang $lang"
	done
}

message big_random.oom >"$tmp/oom.log"
fits "$tmp/oom.log"
fits $data/remedy-gnn.12.oom.pickle.xz
fits $data/gnn.oom.pickle.xz
fits $data/card.pickle.xz
fits $data/streams.cap.pickle.xz --try max_split_size_mb:20 --try ''
fits $data/oom_capacity.pickle.xz

# The language of the environment, of which the first that is set counts.
speaks() {	# speaks LANGUAGE ASSIGNMENT...
	wanted=$1
	shift
	env -u LC_ALL -u LC_MESSAGES -u LANG "$@" \
		allocctl triage "$tmp/oom.log" >"$tmp/out"
	case $wanted in
	zh) says '原因' ;;
	en) says 'why  ' ;;
	esac
}
speaks en A=1
speaks zh LANG=zh_CN.UTF-8
speaks en LANG=zh_CN.UTF-8 LC_MESSAGES=C
speaks zh LANG=C LC_ALL=zh_TW
speaks en LANG=de_DE.UTF-8

# The ledger sums to the card, and the amounts are what torch printed.
triage 0 $data/card.pickle.xz "$tmp/oom.log" --explain
for text in '139.80 GiB' '109.86 GiB' '7.59 GiB' '5.85 GiB' '1.57 GiB' \
	'7.92 GiB' 'process 2443' '10.00 GiB' 'printed, rounded, line 1' \
	'recorded, exact' 'mallocs and maps'; do
	says "$text"
done
triage 0 "$tmp/oom.log" --format json
tr '{' '\n' <"$tmp/out" | awk '
/"ledger":/ { on = 1; next }
on {
	split($0, part, /[:,}]/)
	if (seen_total) {
		total[0] = part[2]
		total[1] = part[4]
		exit
	}
	low += part[2]
	high += part[4]
	if (/"total":$/)
		seen_total = 1
}
END {
	if (!seen_total || low > total[1] || high < total[0]) {
		printf "%.0f to %.0f is not %.0f to %.0f\n", low, high,
			total[0], total[1]
		exit 1
	}
}' >"$tmp/bad" || fail "the ledger: $(cat "$tmp/bad")"

# JSON is JSON.
if command -v python3 >/dev/null; then
	for file in "$tmp/oom.log" $data/gnn.oom.pickle.xz \
		$data/windows-gnn.frames.pickle.xz; do
		allocctl triage "$file" --format json --try a=b >"$tmp/out" ||
			[ $? = 1 ] || fail "triage of $file"
		python3 -m json.tool "$tmp/out" >/dev/null || fail 'not JSON'
	done
fi

# For a bug report: the numbers, but neither pids, paths, hosts nor users.
cat >"$tmp/private.log" <<EOF
[node17:4711] Traceback: File "/home/alice/secret/train.py", line 3
$(cat "$tmp/oom.log") on host gpu03.example.org by alice@gpu03 in /home/alice/secret
gpu03:392:494 [2] enqueue.cc:43 NCCL WARN Cuda failure 'out of memory'
epoch 1
THCudaCheck FAIL file=/home/alice/THCTensorRandom.cu line=25 error=2 : out of memory
epoch 2
Memory cgroup out of memory: Killed process 4711 (python) total-vm:66048kB, anon-rss:64512kB, file-rss:8kB, shmem-rss:0kB, UID:4712 pgtables:172kB oom_score_adj:0
slurmstepd: error: node17: task 0 oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0,oom_memcg=/slurm/uid_4712/job_4713,task_memcg=/slurm/uid_4712/job_4713/step_0/task_0,task=python,pid=4714,uid=4712
RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.
OSError: [Errno 12] Cannot allocate memory: '/home/alice/data.bin'
(RayTrainWorker pid=4711, ip=10.1.2.3) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 4.29 GiB is free. Process 4711 has 130.16 GiB memory in use.
EOF
triage 0 "$tmp/private.log" $data/card.pickle.xz --format markdown
says '**FRAGMENTATION, '
says '| in use | 5.85 GiB | printed, rounded |'
says '| `expandable_segments:True` | yes |'
says 'Killed process [number] (python)'
says 'slurmstepd: error: [host]: task 0 oom-kill'
for private in alice secret gpu03 node17 471 2443 10.1.2.3 "$tmp" tests/data; do
	says_not "$private"
done

# Nor keys, what a shell ran, or addresses but those of documentation.
cat >"$tmp/keys.log" <<'EOF'
run.sh: line 3: 12345 Killed                  python train.py --epochs 77
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. hf_abcdefgh1 --api-key mine token=yours runs/zoe/x.pt https://bob:pw@corp.example/ 0123456789abcdef0123 https://pytorch.org/docs/ GPU 0 has a total capacity of 79.25 GiB of which 1.00 GiB is free.
EOF
triage 0 "$tmp/keys.log" --format markdown
says '[number] Killed [command]'
says 'torch.cuda.OutOfMemoryError: CUDA'
says 'https://pytorch.org/docs/'
for private in 12345 77 hf_ mine yours zoe bob corp 0123456789; do
	says_not "$private"
done
triage 0 "$tmp/oom.log" --format markdown --lang zh
says '| 使用中 | 5.85 GiB |'

# shellcheck disable=SC2016
triage 0 "$tmp/oom.log" --format markdown --try 'a|`b'
# shellcheck disable=SC2016
says '| `ab` | not known | - |'

# What a log says reaches no terminal as it is, nor ends a cell.
printf 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB \033[31m\033]0;x\007 | ` <b>. GPU 0 has a total capacity of 139.80 GiB of which 4.29 MiB is free.\n' \
	>"$tmp/evil.log"
for how in --explain --format=markdown --format=json; do
	allocctl triage "$tmp/evil.log" $how >"$tmp/out" || true
	! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$tmp/out" ||
		fail "control characters with $how"
done
