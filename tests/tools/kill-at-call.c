// SPDX-License-Identifier: Apache-2.0
/*
 * kill-at-call NUMBER COMMAND...: run a command and kill it just before that
 * system call, counted from 1 after it was started.  Status 0 if it was killed,
 * 1 if it ended before, 77 if programs cannot be traced here.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int trace(pid_t child, long number)
{
	int status;
	long stops;

	ptrace(PTRACE_SETOPTIONS, child, 0,
	       PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (stops = 0; stops < 2 * number - 1;) {
		if (ptrace(PTRACE_SYSCALL, child, 0, 0) < 0 ||
		    waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status))
			return 1;
		stops += WSTOPSIG(status) == (SIGTRAP | 0x80);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return 0;
}

int main(int argc, char **argv)
{
	int status;
	pid_t child;

	if (argc < 3)
		return 2;
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			_exit(77);
		execvp(argv[2], argv + 2);
		_exit(2);
	}
	waitpid(child, &status, 0);
	if (!WIFSTOPPED(status))
		return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
	return trace(child, atol(argv[1]));
}
