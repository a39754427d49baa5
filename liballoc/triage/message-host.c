// SPDX-License-Identifier: Apache-2.0
/*
 * The host's memory, and faults that the GPU's driver reports.
 *
 *	kernel-oom-kill slurm-oom-kill kubernetes-oomkilled
 *	killed exit-137	a process was killed, by whom is not said
 *	dataloader-killed	a worker of PyTorch's DataLoader
 *	errno-12 bad-alloc numpy	a call failed
 *	shm-full	/dev/shm
 *	xid		NVRM Xid
 */
#include <string.h>

#include "triage/message.h"

/* Kernels say three things of one kill; the first here is the kill. */
static const struct la_beginning kernel_starts[] = {
	{ "Out of memory: Killed process %i", .form = "kernel-oom-kill" },
	{ "Out of memory: Kill process %i", .form = "kernel-oom-kill" },
	{ "Memory cgroup out of memory: Killed process %i",
	  .form = "kernel-oom-kill" },
	{ "Memory cgroup out of memory: Kill process %i",
	  .form = "kernel-oom-kill" },
	{ "oom-kill:constraint=", .form = "kernel-oom-kill",
	  .flags = LA_BEGIN_DETAIL },
	{ "oom_reaper: reaped process %i", .form = "kernel-oom-kill",
	  .flags = LA_BEGIN_DETAIL },
	{ "invoked oom-killer:", .form = "kernel-oom-kill",
	  .flags = LA_BEGIN_DETAIL },
	{ .pattern = NULL },
};

/* "...,task=python,pid=12,uid=0" */
static bool finish_kernel(struct la_message *m)
{
	const struct la_text *text = m->text;
	size_t at = m->last;

	if (m->facts.pid >= 0)
		return true;
	for (; at < text->length && !la_is_white(text->data[at]); at++) {
		struct la_captures captures;

		if (!la_pattern_match(",pid=%i", text->data, text->length, &at,
				      &captures))
			continue;
		m->facts.pid = (int64_t)captures.capture[0].number;
		m->last = m->end = at;
		break;
	}
	return true;
}

static const struct la_grammar kernel = {
	.framework = "host",
	.backend = "cpu",
	.kind = LA_OOM_KILLED,
	.lines = true,
	.start = kernel_starts,
	.finish = finish_kernel,
};

static const struct la_beginning slurm_starts[] = {
	{ "Detected %n oom-kill event", .form = "slurm-oom-kill" },
	{ "Detected %n oom_kill event", .form = "slurm-oom-kill" },
	{ "Exceeded job memory limit", .form = "slurm-oom-kill" },
	{ "Exceeded step memory limit", .form = "slurm-oom-kill" },
	{ "task %n: Out Of Memory", .form = "slurm-oom-kill",
	  .flags = LA_BEGIN_DETAIL },
	{ "tasks %w Out Of Memory", .form = "slurm-oom-kill",
	  .flags = LA_BEGIN_DETAIL },
	{ .pattern = NULL },
};

static const struct la_grammar slurm = {
	.framework = "host",
	.backend = "cpu",
	.kind = LA_OOM_KILLED,
	.lines = true,
	.start = slurm_starts,
};

static const struct la_beginning kubernetes_starts[] = {
	{ "OOMKilled", .form = "kubernetes-oomkilled" },
	{ .pattern = NULL },
};

static const struct la_clause kubernetes_clauses[] = {
	{ "Exit Code: 137", 0 },
	{ NULL, 0 },
};

static const struct la_grammar kubernetes = {
	.framework = "host",
	.backend = "cpu",
	.kind = LA_OOM_KILLED,
	.lines = true,
	.start = kubernetes_starts,
	.clause = kubernetes_clauses,
};

/* Shells say "Killed" alone, or the process and its command around it. */
static const struct la_beginning killed_starts[] = {
	{ "Killed", .form = "killed",
	  .flags = LA_BEGIN_ALONE | LA_BEGIN_LOWER },
	{ "Killed: 9", .form = "killed",
	  .flags = LA_BEGIN_FIRST | LA_BEGIN_LOWER },
	{ "%i Killed ", .form = "killed" },
	{ "received signal 9", .form = "killed" },
	{ "Signal 9 (SIGKILL) received by PID %i", .form = "killed" },
	{ "died with <Signals.SIGKILL: 9>", .form = "killed" },
	{ "terminated by signal SIGKILL", .form = "killed" },
	{ "terminated with signal 9", .form = "killed" },
	{ "exitcode : -9 (pid: %i)", .form = "killed" },
	{ "exitcode: -9 (pid: %i)", .form = "killed" },
	{ "failed (exitcode: -9) local_rank: %n (pid: %i)", .form = "killed" },
	{ "exit code 137", .form = "exit-137" },
	{ "exit code: 137", .form = "exit-137" },
	{ "exit status 137", .form = "exit-137" },
	{ "exited with code 137", .form = "exit-137" },
	{ "exited with status 137", .form = "exit-137" },
	{ .pattern = NULL },
};

static bool finish_killed(struct la_message *m)
{
	const struct la_text *text = m->text;

	return strcmp(m->facts.form, "exit-137") != 0 ||
	       m->last == text->length || !la_is_digit(text->data[m->last]);
}

static const struct la_grammar killed = {
	.framework = "host",
	.backend = "cpu",
	.kind = LA_OOM_KILLED,
	.lines = true,
	.start = killed_starts,
	.finish = finish_killed,
};

static const struct la_beginning worker_starts[] = {
	{ "DataLoader worker (pid %i) is killed by signal: Killed",
	  .form = "dataloader-killed" },
	{ "DataLoader worker (pid(s) %i", .form = "dataloader-killed",
	  .flags = LA_BEGIN_DETAIL },
	{ .pattern = NULL },
};

static const struct la_grammar worker = {
	.framework = "host",
	.backend = "cpu",
	.kind = LA_OOM_KILLED,
	.lines = true,
	.start = worker_starts,
};

static const struct la_beginning shared_starts[] = {
	{ "DataLoader worker (pid %i) is killed by signal: Bus error",
	  .form = "shm-full" },
	{ "dataloader's workers are out of shared memory", .form = "shm-full" },
	{ "Unexpected bus error encountered in worker", .form = "shm-full" },
	{ "unable to write to file </torch_", .form = "shm-full" },
	{ "unable to open shared memory object </torch_", .form = "shm-full" },
	{ "unable to allocate shared memory(shm) for file </torch_",
	  .form = "shm-full" },
	{ "Error while creating shared memory segment /dev/shm/",
	  .form = "shm-full" },
	{ "No space left on device: '/dev/shm", .form = "shm-full" },
	{ "Bus error (core dumped)", .form = "shm-full" },
	{ .pattern = NULL },
};

static const struct la_clause shared_clauses[] = {
	{ "dataloader's workers are out of shared memory", 0 },
	{ "insufficient shared memory (shm)", 0 },
	{ "No space left on device (28)", 0 },
	{ NULL, 0 },
};

static const struct la_grammar shared = {
	.framework = "host",
	.backend = "cpu",
	.kind = LA_OOM_SHARED,
	.lines = true,
	.start = shared_starts,
	.clause = shared_clauses,
};

static const struct la_beginning failed_starts[] = {
	{ "[Errno 12] Cannot allocate memory", .form = "errno-12" },
	{ "errno 12 (Cannot allocate memory)", .form = "errno-12" },
	{ "Error code 12 (Cannot allocate memory)", .form = "errno-12" },
	{ "fork: Cannot allocate memory", .form = "errno-12" },
	{ "unable to mmap %r from file", .form = "errno-12" },
	{ "Unable to allocate %r for an array with shape", .form = "numpy" },
	{ "terminate called after throwing an instance of 'std::bad_alloc'",
	  .form = "bad-alloc" },
	{ .pattern = NULL },
};

static const struct la_grammar failed = {
	.framework = "host",
	.backend = "cpu",
	.kind = LA_OOM_HOST,
	.lines = true,
	.start = failed_starts,
};

static const struct la_beginning xid_starts[] = {
	{ "NVRM: Xid (%w %n", .form = "xid" },
	{ .pattern = NULL },
};

static const struct la_clause xid_clauses[] = {
	{ "pid=%i", 0 },
	{ NULL, 0 },
};

static const struct la_grammar xid = {
	.framework = "host",
	.backend = "cuda",
	.kind = LA_OOM_FAULT,
	.lines = true,
	.start = xid_starts,
	.clause = xid_clauses,
};

const struct la_grammar *const la_host_grammars[] = {
	&kernel, &slurm,  &kubernetes, &worker, &shared,
	&killed, &failed, &xid,	       NULL,
};
