# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the tests with a Slurm of one host share.

# slurm.conf of nodes n1 to nCOUNT; what TASK-PROLOG prints is for every task.
slurm_conf() {	# slurm_conf COUNT TASK-PROLOG FOLDER-OF-LOGS
	cat <<END
ClusterName=t
SlurmctldHost=node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
StateSaveLocation=/run/slurm/state
SlurmdSpoolDir=/run/slurm/spool-%n
SlurmctldPidFile=/run/slurm/ctld.pid
SlurmdPidFile=/run/slurm/%n.pid
SlurmctldLogFile=$3/ctld.log
SlurmdLogFile=$3/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
PlugStackConfig=/etc/slurm/plugstack.conf
TaskProlog=$2
NodeName=n[1-$1] NodeHostname=node NodeAddr=127.0.0.1 Port=[17001-1700$1] CPUs=1
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
END
}
