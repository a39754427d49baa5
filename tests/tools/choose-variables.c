// SPDX-License-Identifier: Apache-2.0
/*
 * choose-variables RELEASE cuda|rocm|cpu: which variables torch reads.  The
 * input has environments, each ended by NUL, of lines "NAME=key_x:1" or
 * "NAME=".  A line of the key of the variable that the CUDA allocator obeys
 * and of that for common options, - for none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/env.h>

static const char *const builds[] = { "cuda", "rocm", "cpu" };

static void print_key(const struct la_env_variable *variable, char end)
{
	const char *value = variable ? variable->value : "";

	printf("%.*s%c", *value ? (int)strcspn(value, ":") : 1,
	       *value ? value : "-", end);
}

static int choose(char *text, const struct la_setting_context *context)
{
	struct la_env_choice *choice;
	const char *entry[8];
	struct la_env *env;
	size_t count = 0;

	while (count < 8 && (entry[count] = strsep(&text, "\n")))
		count++;
	if (la_env_of_entries(&env, entry, count, LA_PLATFORM_LINUX) < 0 ||
	    la_env_choose(&choice, env, context) < 0)
		return 1;
	print_key(choice->device, ' ');
	print_key(choice->common, '\n');
	la_env_choice_free(choice);
	la_env_free(env);
	return 0;
}

int main(int argc, char **argv)
{
	struct la_setting_context context = { 0 };
	size_t capacity = 0, i;
	char *text = NULL;
	int ret = 0;

	if (argc != 3 || la_release_parse(&context.release, argv[1], NULL) < 0)
		return 2;
	for (i = 0; i < 3; i++)
		if (!strcmp(builds[i], argv[2]))
			context.build = (enum la_build)i;
	while (!ret && getdelim(&text, &capacity, '\0', stdin) > 0)
		ret = choose(text, &context);
	free(text);
	return ret;
}
