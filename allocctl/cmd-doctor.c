// SPDX-License-Identifier: Apache-2.0
/* allocctl doctor: all that decides about GPU memory here, on one page. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "doctor.h"
#include "opt.h"
#include "platform.h"
#include "print.h"

struct options {
	struct env_query query;
	int format;
};

/* Files and variables that only containers have. */
static const char *container_of(const struct la_env *env)
{
	if (la_env_value(env, "KUBERNETES_SERVICE_HOST", 0))
		return "Kubernetes";
	if (la_env_value(env, "APPTAINER_CONTAINER", 0) ||
	    la_env_value(env, "SINGULARITY_CONTAINER", 0))
		return "Apptainer";
	if (platform_is_there("/.dockerenv"))
		return "Docker";
	if (platform_is_there("/run/.containerenv"))
		return "Podman";
	return NULL;
}

static const char *system_of(enum la_platform platform)
{
	if (platform_is_macos())
		return "macos";
	return platform == LA_PLATFORM_WINDOWS ? "windows" :
	       platform == LA_PLATFORM_WSL     ? "wsl" :
						 "linux";
}

static int examine(struct doctor *doctor, struct la_json *json)
{
	int status;

	doctor->system = system_of(doctor->env.context.platform);
	doctor->container = container_of(doctor->env.env);
	if (platform_is_there(LA_POLICY_PATH))
		doctor->policy = LA_POLICY_PATH;
	if (!platform_host(doctor->host, sizeof(doctor->host)))
		*doctor->host = '\0';
	doctor->node = la_env_value(doctor->env.env, "SLURMD_NODENAME", 0);
	doctor_find_gpus(&doctor->gpus);
	status = doctor_judge(doctor);
	if (json)
		doctor_print_json(doctor, json);
	else
		doctor_print_text(doctor);
	return status;
}

int doctor_report(const struct env_query *query, struct la_json *json)
{
	struct doctor *doctor = calloc(1, sizeof(*doctor));
	int status;

	if (!doctor)
		return print_no_memory();
	status = env_view_open(&doctor->env, query);
	if (status == STATUS_DONE)
		status = examine(doctor, json);
	while (doctor->step_count)
		free(doctor->step[--doctor->step_count].text);
	free(doctor->step);
	env_view_close(&doctor->env);
	free(doctor);
	return status;
}

static int doctor_run(int argc, char **argv)
{
	static const char *const no_files[] = { NULL };
	struct options options = {
		.query = { .build = -1, .files = no_files },
	};
	struct env_query *query = &options.query;
	const struct opt opts[] = {
		{ OPT_STRING, "torch", &query->torch, "RELEASE",
		  "release of torch; default: the torch that is found", NULL },
		{ OPT_STRING, "python", &query->python, "PATH",
		  "interpreter or environment whose torch it is", NULL },
		{ OPT_CHOICE, "format", &options.format, "FORMAT",
		  "text (default) or json", print_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "doctor [OPTIONS]",
		.about = "What decides about GPU memory here: torch, its "
			 "variables, the site's policy,\nthe system, GPUs and "
			 "driver; then what to do, in order.  Made to be "
			 "pasted.",
		.opts = opts,
		.examples = "  allocctl doctor\n"
			    "  allocctl doctor --format json",
	};
	int nr = opt_parse(argc, argv, &spec), status;
	struct la_json json;

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	if (nr) {
		print_error("doctor takes no arguments");
		return STATUS_USAGE;
	}
	if (query->torch && query->python) {
		print_error("--torch and --python exclude each other");
		return STATUS_USAGE;
	}
	la_json_init(&json, print_json_sink, stdout);
	status = doctor_report(query,
			       options.format == PRINT_JSON ? &json : NULL);
	if (json.started)
		putchar('\n');
	return status;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "say what decides about GPU memory here, and what to do",
	.run = doctor_run,
};
