# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# A real Slurm with four nodes on this host, for each test; instead of
# tests/support.sh.  It lives in namespaces of its own, with its own /etc, /run
# and network, and ends with them.
if [ -z "${SLURM_TEST-}" ]; then
	[ "$(id -u)" -eq 0 ] || { echo 'skipped: a Slurm of its own needs root'; exit 77; }
	for c in slurmctld slurmd srun munged unshare ip cc allocctl; do
		command -v $c >/dev/null || { echo "skipped: no $c"; exit 77; }
	done
	SLURM_TEST=$(mktemp -d)
	export SLURM_TEST
	chmod 755 "$SLURM_TEST"
	mkdir "$SLURM_TEST/upper" "$SLURM_TEST/work" "$SLURM_TEST/tmp"
	status=0
	TMPDIR=$SLURM_TEST/tmp unshare --mount --net --pid --uts --fork \
		--kill-child --mount-proc sh "$0" || status=$?
	rm -rf "$SLURM_TEST"
	exit $status
fi
. tests/support.sh
. tests/slurm.sh
chmod 755 "$tmp"
mount -t overlay -o "lowerdir=/etc,upperdir=$SLURM_TEST/upper,workdir=$SLURM_TEST/work" \
	none /etc || skip 'no overlay file systems'
mount -t tmpfs none /run
hostname node
ip link set lo up
# Slurm wants an address that is not of the loopback.
ip address add 10.0.0.1/32 dev lo
printf '127.0.0.1 localhost\n10.0.0.1 node\n' >/etc/hosts
unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF \
	VIRTUAL_ENV CONDA_PREFIX PYTHONPATH CUDA_VISIBLE_DEVICES

mkdir -p /etc/slurm /etc/munge /run/munge /run/slurm/state /etc/liballoc
slurm_conf 4 /etc/slurm/taskprolog /run/slurm >/etc/slurm/slurm.conf
: >/etc/slurm/plugstack.conf
printf '#!/bin/sh\n' >/etc/slurm/taskprolog
chmod 755 /etc/slurm/taskprolog
head -c 128 /dev/urandom >/etc/munge/munge.key
chmod 400 /etc/munge/munge.key
chown root /etc/munge/munge.key
munged --force --key-file=/etc/munge/munge.key \
	--socket=/run/munge/munge.socket.2 --pid-file=/run/munge/pid \
	--log-file=/run/munge/log --seed-file=/run/munge/seed 2>/dev/null
slurmctld -c
for i in 1 2 3 4; do slurmd -N n$i; done
tries=0
until [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; do
	tries=$((tries + 1))
	[ $tries -lt 100 ] || fail "no cluster: $(cat /run/slurm/*.log)"
	sleep 0.1
done
