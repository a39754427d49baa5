// SPDX-License-Identifier: Apache-2.0
/* allocctl doctor: in words, to be pasted. */
#include <stdio.h>

#include <liballoc/version.h>

#include "doctor.h"
#include "print.h"
#include "util/util.h"

static void print_torch(const struct env_view *view)
{
	fputs("torch     ", stdout);
	if (view->torch_asked) {
		printf("%s, as asked for", view->release);
	} else if (*view->torch.why) {
		fputs("not found: ", stdout);
		print_escaped(view->torch.why);
	} else {
		print_escaped(view->torch.version);
		printf(", %s build, ", env_builds[view->context.build]);
		print_escaped(view->torch.path);
	}
	putchar('\n');
}

static void print_gpus(const struct doctor_gpus *gpus)
{
	const struct doctor_gpu *gpu;
	size_t i;

	if (!gpus->how) {
		printf("driver    none seen: %s\n", gpus->why);
	} else {
		fputs("driver    NVIDIA ", stdout);
		print_escaped(*gpus->driver ? gpus->driver : "?");
		printf(", by %s\n", gpus->how);
	}
	if (gpus->how && *gpus->why)
		printf("          %s\n", gpus->why);
	for (i = 0; i < gpus->count; i++) {
		gpu = &gpus->gpu[i];
		printf("GPU %-5zu ", i);
		print_escaped(gpu->name);
		if (gpu->total)
			printf(", %.2f GiB, %.2f GiB in use",
			       (double)gpu->total / (double)GIB,
			       (double)gpu->used / (double)GIB);
		puts(gpu->mig ? ", divided by MIG" : "");
	}
	if (gpus->seen > gpus->count)
		printf("          and %zu more\n", gpus->seen - gpus->count);
}

static void print_values(const struct env_view *view)
{
	const struct la_env_choice *choice = view->choice;
	const struct la_env_variable *variable;
	size_t i;

	if (!choice->variable_count)
		puts("variables none of torch's is set");
	for (i = 0; i < choice->variable_count; i++) {
		variable = &choice->variable[i];
		printf("%s", i ? "          " : "variables ");
		print_escaped(variable->name);
		putchar('=');
		print_escaped(variable->value);
		if (view->check[i].check)
			printf(" (%s)",
			       la_setting_check_refusal(view->check[i].check) ?
				       "refused" :
				       "valid");
		else if (variable->unread)
			fputs(" (no effect)", stdout);
		putchar('\n');
	}
}

static void print_steps(const struct doctor *doctor)
{
	const struct doctor_step *step;
	size_t i;

	putchar('\n');
	if (!doctor->step_count) {
		puts("nothing to do");
		return;
	}
	puts("what to do, in order:");
	for (i = 0; i < doctor->step_count; i++) {
		step = &doctor->step[i];
		printf("%2zu. %s", i + 1, step->fault ? "" : "(note) ");
		print_wrapped_from(step->fault ? 4 : 11, 4, step->text);
	}
}

void doctor_print_text(const struct doctor *doctor)
{
	printf("allocctl  %s\n", LA_VERSION);
	printf("system    %s%s%s\n", doctor->system,
	       doctor->container ? ", in a container: " : "",
	       doctor->container ? doctor->container : "");
	print_torch(&doctor->env);
	print_gpus(&doctor->gpus);
	print_values(&doctor->env);
	printf("policy    %s\n", doctor->policy ? doctor->policy : "none");
	print_steps(doctor);
	putchar('\n');
	print_wrapped(0, env_when);
	printf("What is in force, Python tells:\n  %s\n", env_line);
}
