#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A search of two recordings as a job array gives what one run gives.
. tests/slurm/support.sh

a=$PWD/tests/data/streams.default.pickle.xz
b=$PWD/tests/data/graphs.default.pickle.xz
batch=$PWD/packaging/slurm/tune.sbatch
cd "$tmp" || fail 'no folder'
allocctl tune "$a" "$b" --card 2GiB --format json >one || :
sbatch --parsable -W -o log.%a "$batch" "$a" "$b" --card 2GiB >job ||
	fail "$(cat log.*)"
job=$(cat job)
equal shares "$(echo tune-"$job".*)" \
	"tune-$job.1 tune-$job.2 tune-$job.3 tune-$job.4"
srun -N1 allocctl tune --format json --merge tune-"$job".* >merged ||
	fail 'merge'
cmp one merged || fail 'another answer'
sbatch --parsable -W --array=1-2 -o log.%a "$batch" "$a" "$b" --card 2GiB >job ||
	fail "$(cat log.*)"
allocctl tune --format json --merge tune-"$(cat job)".* >merged || fail 'merge'
cmp one merged || fail 'another answer of two shares'

# A share that fails leaves no file that would be merged.
status=0
sbatch --parsable -W --array=1-2 -o log.%a "$batch" /none >job || status=$?
[ $status -ne 0 ] || fail 'no failure'
equal 'files' "$(echo tune-"$(cat job)".*)" "tune-$(cat job).*"
