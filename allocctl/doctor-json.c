// SPDX-License-Identifier: Apache-2.0
/* allocctl doctor: one JSON object, of the schema allocctl.doctor/1. */
#include <stdio.h>

#include <liballoc/version.h>

#include "doctor.h"
#include "print.h"

static void json_torch(struct la_json *json, const struct env_view *view)
{
	bool found = !view->torch_asked && !*view->torch.why;

	la_json_key(json, "torch");
	la_json_object_begin(json);
	la_json_member_bool(json, "found", found);
	la_json_member_text(json, "version",
			    found ? view->torch.version : NULL);
	la_json_member_text(json, "path", found ? view->torch.path : NULL);
	la_json_member_text(json, "release", view->release);
	la_json_member_text(json, "build", env_builds[view->context.build]);
	la_json_object_end(json);
}

static void json_gpus(struct la_json *json, const struct doctor_gpus *gpus)
{
	size_t i;

	la_json_member_text(json, "driver",
			    *gpus->driver ? gpus->driver : NULL);
	la_json_member_text(json, "driver_seen_by", gpus->how);
	la_json_member_text(json, "nvml_trouble",
			    *gpus->why ? gpus->why : NULL);
	la_json_member_known_uint(json, "gpu_count", !*gpus->why, gpus->seen);
	la_json_key(json, "gpus");
	la_json_array_begin(json);
	for (i = 0; i < gpus->count; i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "name", gpus->gpu[i].name);
		la_json_member_known_uint(json, "total", gpus->gpu[i].total,
					  gpus->gpu[i].total);
		la_json_member_known_uint(json, "used", gpus->gpu[i].total,
					  gpus->gpu[i].used);
		la_json_member_bool(json, "mig", gpus->gpu[i].mig);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_steps(struct la_json *json, const struct doctor *doctor)
{
	size_t i;

	la_json_key(json, "steps");
	la_json_array_begin(json);
	for (i = 0; i < doctor->step_count; i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "kind",
				    *doctor->step[i].kind ?
					    doctor->step[i].kind :
					    NULL);
		la_json_member_text(json, "text", doctor->step[i].text);
		la_json_member_bool(json, "fault", doctor->step[i].fault);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

void doctor_print_json(const struct doctor *doctor, struct la_json *json)
{
	la_json_object_begin(json);
	la_json_member_text(json, "schema", "allocctl.doctor/1");
	la_json_member_text(json, "allocctl", LA_VERSION);
	la_json_member_text(json, "host",
			    *doctor->host ? doctor->host : NULL);
	la_json_member_text(json, "node", doctor->node);
	la_json_member_text(json, "system", doctor->system);
	la_json_member_text(json, "container", doctor->container);
	json_torch(json, &doctor->env);
	json_gpus(json, &doctor->gpus);
	la_json_member_text(json, "policy", doctor->policy);
	env_json_variables(json, &doctor->env);
	env_json_findings(json, &doctor->env);
	if (doctor->env.origins)
		env_json_origins(json, doctor->env.origins);
	json_steps(json, doctor);
	la_json_object_end(json);
}
