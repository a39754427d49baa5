// SPDX-License-Identifier: Apache-2.0
/*
 * env fresh NAME: what a new logon would give.
 * env live NAME: change it twice, and have another process read each.
 * env pid PID NAME: what a process has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include <liballoc/env.h>

static int show(const struct la_env *env, const char *name)
{
	const char *value = la_env_value(env, name, 0);

	if (la_env_unknown(env))
		printf("unknown: %s\n", la_env_unknown(env));
	else
		printf("%s\n", value ? value : "(unset)");
	return 0;
}

static int show_fresh(const char *name)
{
	struct la_env *env;

	if (la_env_fresh(&env, NULL))
		return 1;
	show(env, name);
	la_env_free(env);
	return 0;
}

static int show_process(const char *pid, const char *name)
{
	struct la_env_process *process;
	int ret = la_env_process_open(&process, atoi(pid), NULL);

	if (ret)
		return 1;
	printf("%s: ", la_env_process_info(process)->command);
	show(la_env_process_info(process)->current, name);
	la_env_process_free(process);
	return 0;
}

/* The other process reads this one while it waits. */
static int read_me(const char *program, const char *name)
{
	char line[1024];
	STARTUPINFOA start = { .cb = sizeof(start) };
	PROCESS_INFORMATION child;
	DWORD status;

	snprintf(line, sizeof(line), "\"%s\" pid %lu %s", program,
		 GetCurrentProcessId(), name);
	fflush(stdout);
	if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start,
			    &child))
		return 1;
	WaitForSingleObject(child.hProcess, INFINITE);
	GetExitCodeProcess(child.hProcess, &status);
	return (int)status;
}

static int change_live(const char *program, const char *name)
{
	char entry[256];

	snprintf(entry, sizeof(entry), "%s=crt:1", name);
	if (_putenv(entry) || read_me(program, name))
		return 1;
	SetEnvironmentVariableA(name, "win32:1");
	if (read_me(program, name))
		return 1;
	printf("getenv %s\n", getenv(name));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "fresh"))
		return show_fresh(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "live"))
		return change_live(argv[0], argv[2]);
	if (argc > 3 && !strcmp(argv[1], "pid"))
		return show_process(argv[2], argv[3]);
	return 2;
}
