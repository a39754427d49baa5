// SPDX-License-Identifier: Apache-2.0
/* What to do, in order: without torch or a GPU no setting matters, and one
 * that torch refuses stops the program before any other does harm. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "doctor.h"
#include "print.h"
#include "util/array.h"
#include "util/util.h"

static void add(struct doctor *doctor, bool fault, const char *kind,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

static void add(struct doctor *doctor, bool fault, const char *kind,
		const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0 ||
	    grow_array(&doctor->step, &doctor->step_room, doctor->step_count,
		       sizeof(*doctor->step)) < 0) {
		if (length >= 0)
			free(text);
		doctor->failed = true;
		return;
	}
	doctor->step[doctor->step_count++] = (struct doctor_step){
		.kind = kind,
		.text = text,
		.fault = fault,
	};
}

static bool is_macos(const struct doctor *doctor)
{
	return !strcmp(doctor->system, "macos");
}

static void judge_torch(struct doctor *doctor)
{
	const struct env_view *view = &doctor->env;

	if (is_macos(doctor))
		add(doctor, false, "",
		    "macOS has no CUDA: these variables do nothing here; "
		    "PYTORCH_MPS_HIGH_WATERMARK_RATIO limits memory of Apple's "
		    "GPUs");
	else if (*view->torch.why && !view->torch_asked)
		add(doctor, true, "",
		    "find torch: activate its environment, or name it with "
		    "--python or --torch");
	else if (view->context.build == LA_BUILD_CPU)
		add(doctor, true, "",
		    "install a build of torch for the GPU: this one is for "
		    "the CPU alone, and settings do nothing");
}

static void judge_gpus(struct doctor *doctor)
{
	const char *shown = la_env_value(doctor->env.env,
					 "CUDA_VISIBLE_DEVICES", 0);

	if (is_macos(doctor))
		return;
	if (!doctor->gpus.how && doctor->env.context.build == LA_BUILD_CUDA)
		add(doctor, true, "",
		    "load the NVIDIA driver: none is seen%s",
		    doctor->container ? ", so start the container with its "
					"GPUs (--gpus all)" :
					"");
	if (shown && (!*shown || *shown == '-'))
		add(doctor, true, "",
		    "CUDA_VISIBLE_DEVICES='%s' hides all GPUs: unset it",
		    shown);
}

/* The line that sets it right. */
static void judge_refusal(struct doctor *doctor, const struct env_check *check)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check->check);
	const char *meant = la_setting_check_correction(check->check);
	enum la_script_kind kind =
		doctor->env.context.platform == LA_PLATFORM_WINDOWS ?
			LA_SCRIPT_POWERSHELL :
			LA_SCRIPT_BASH;
	char *line;

	if (!refusal)
		return;
	if (meant && *meant &&
	    la_script_write(kind, check->variable->name, meant, &line, NULL) ==
		    0) {
		add(doctor, true, "", "torch refuses %s (%s); write: %s",
		    check->variable->name, refusal->text, line);
		free(line);
	} else {
		add(doctor, true, "", "torch refuses %s (%s): unset it",
		    check->variable->name, refusal->text);
	}
}

static const struct la_script_code_info *find_code(enum la_script_code code)
{
	const struct la_script_code_info *info;
	size_t i;

	for (i = 0; (info = la_script_code_at(i)); i++)
		if (info->code == code)
			return info;
	return NULL;
}

static void judge_findings(struct doctor *doctor)
{
	const struct la_env_choice *choice = doctor->env.choice;
	const struct la_script_code_info *info;
	size_t i;

	for (i = 0; i < choice->finding_count; i++) {
		info = find_code(choice->finding[i].code);
		add(doctor, !choice->finding[i].harmless,
		    choice->finding[i].kind, "%s: %s",
		    choice->finding[i].text, info ? info->instead : "");
	}
}

static void judge_remarks(struct doctor *doctor, const struct env_check *check)
{
	const struct la_setting_remark *remark;
	size_t count, i;

	if (la_setting_check_refusal(check->check))
		return;
	remark = la_setting_check_remarks(check->check, &count);
	for (i = 0; i < count; i++)
		if (remark[i].severity == LA_SEVERITY_WARNING)
			add(doctor, false, "", "%s: %s",
			    check->variable->name, remark[i].text);
}

static void judge_policy(struct doctor *doctor, const struct la_policy *policy,
			 const struct env_check *check)
{
	const struct la_policy_subject subject = {
		.variable = check->variable->name,
	};
	const struct la_policy_violation *violation;
	struct la_policy_result *result;
	size_t count, i;

	if (la_policy_check(&result, policy, check->variable->value,
			    strlen(check->variable->value),
			    &doctor->env.context, &subject) < 0) {
		doctor->failed = true;
		return;
	}
	violation = la_policy_violations(result, &count);
	for (i = 0; i < count; i++)
		add(doctor, true, "", "the site's policy: %s",
		    violation[i].text);
	la_policy_result_free(result);
}

/* Of each value that torch takes. */
static void judge_values(struct doctor *doctor)
{
	const struct env_view *view = &doctor->env;
	struct la_policy *policy = NULL;
	struct la_error err;
	size_t i;

	if (doctor->policy && la_policy_read(&policy, doctor->policy, &err) < 0)
		add(doctor, true, "", "the policy %s cannot be read: %s",
		    doctor->policy, err.text);
	for (i = 0; i < view->choice->variable_count; i++) {
		if (!view->check[i].check)
			continue;
		judge_refusal(doctor, &view->check[i]);
		judge_remarks(doctor, &view->check[i]);
		if (policy)
			judge_policy(doctor, policy, &view->check[i]);
	}
	la_policy_free(policy);
}

static void judge_system(struct doctor *doctor)
{
	bool set = doctor->env.choice->variable_count;
	size_t i;

	if (!strcmp(doctor->system, "wsl"))
		add(doctor, false, "",
		    "WSL sees variables of Windows only if WSLENV names them");
	if (doctor->container && !set)
		add(doctor, false, "",
		    "in a container, variables of the host are not seen: pass "
		    "them when it is started");
	for (i = 0; i < doctor->gpus.count; i++)
		if (doctor->gpus.gpu[i].mig)
			add(doctor, false, "",
			    "GPU %zu is divided by MIG: a program has the "
			    "memory of its slice, not of the GPU",
			    i);
}

int doctor_judge(struct doctor *doctor)
{
	size_t i;

	judge_torch(doctor);
	judge_gpus(doctor);
	judge_findings(doctor);
	judge_values(doctor);
	judge_system(doctor);
	if (doctor->failed)
		return print_no_memory();
	for (i = 0; i < doctor->step_count; i++)
		if (doctor->step[i].fault)
			return STATUS_FINDINGS;
	return STATUS_DONE;
}
