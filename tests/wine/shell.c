// SPDX-License-Identifier: Apache-2.0
/*
 * shell /s /c ...: a shell that misbehaves as SHELL_DOES says: "much" prints
 * for ever, "hang" starts itself once more and waits; both add to the file
 * SHELL_FILE as long as they live.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

static void live(const char *path)
{
	FILE *file;

	for (;;) {
		file = fopen(path, "a");
		if (file) {
			fputc('.', file);
			fclose(file);
		}
		Sleep(100);
	}
}

static void start_again(char *self)
{
	STARTUPINFOA info = { .cb = sizeof(info) };
	PROCESS_INFORMATION process;

	SetEnvironmentVariableA("SHELL_DOES", "wait");
	CreateProcessA(self, NULL, NULL, NULL, FALSE, 0, NULL, NULL, &info,
		       &process);
}

int main(int argc, char **argv)
{
	const char *does = getenv("SHELL_DOES"), *path = getenv("SHELL_FILE");

	(void)argc;
	if (!does || !path)
		return 1;
	if (!strcmp(does, "hang"))
		start_again(argv[0]);
	while (!strcmp(does, "much"))
		puts("much");
	live(path);
}
