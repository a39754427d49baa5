// SPDX-License-Identifier: Apache-2.0
/*
 * hold-environment MODE [NAME VALUE]: say "ready" and wait to be ended.
 *
 * keep: as it was started; set: with NAME set to VALUE; race: NAME is set to
 * VALUE and to "first" in turn, and others come and go; clear: without an
 * environment; twice: started again with NAME=VALUE and NAME=first after it;
 * zero: the block that it was started with is overwritten with zeros;
 * many: with NAME=VALUE behind 100,000 others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hold(void)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

static void race(const char *name, const char *value)
{
	char other[32];
	unsigned int i;

	puts("ready");
	fflush(stdout);
	for (i = 0;; i++) {
		setenv(name, i % 2 ? value : "first", 1);
		snprintf(other, sizeof(other), "OTHER_%u", i % 50);
		if (i % 100 < 50)
			setenv(other, "x", 1);
		else
			unsetenv(other);
	}
}

static void start_twice(char *program, const char *name, const char *value)
{
	char first[256], second[256], mode[] = "keep";
	char *arguments[] = { program, mode, NULL };
	char *entries[] = { first, second, NULL };

	snprintf(first, sizeof(first), "%s=%s", name, value);
	snprintf(second, sizeof(second), "%s=first", name);
	execve("/proc/self/exe", arguments, entries);
}

static void add_many(const char *name, const char *value)
{
	enum { OTHERS = 100000, BYTES = 32 };
	char *text = calloc(OTHERS + 1, BYTES), **entries;
	size_t i;

	entries = calloc(OTHERS + 2, sizeof(*entries));
	for (i = 0; i < OTHERS; i++) {
		entries[i] = text + i * BYTES;
		snprintf(entries[i], BYTES, "OTHER_%zu=x", i);
	}
	entries[OTHERS] = malloc(strlen(name) + strlen(value) + 2);
	sprintf(entries[OTHERS], "%s=%s", name, value);
	environ = entries;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "keep";
	char **entry;

	if (argc > 3 && !strcmp(mode, "set"))
		setenv(argv[2], argv[3], 1);
	if (argc > 3 && !strcmp(mode, "race"))
		race(argv[2], argv[3]);
	if (argc > 3 && !strcmp(mode, "twice"))
		start_twice(argv[0], argv[2], argv[3]);
	if (argc > 3 && !strcmp(mode, "many"))
		add_many(argv[2], argv[3]);
	if (!strcmp(mode, "clear"))
		clearenv();
	if (!strcmp(mode, "zero"))
		for (entry = environ; *entry; entry++)
			memset(*entry, 0, strlen(*entry));
	hold();
}
