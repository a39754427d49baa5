// SPDX-License-Identifier: Apache-2.0
/* allocctl env: in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "env.h"
#include "print.h"

static void print_process(const struct la_env_process_info *info)
{
	printf("process %" PRId64 ": ", info->pid);
	print_escaped(info->arguments ? info->arguments :
		      info->command   ? info->command :
					"?");
	putchar('\n');
	if (info->unit)
		printf("  service: %s%s\n", info->unit,
		       info->user_unit ? " of a user" : "");
	if (*info->root)
		printf("  it sees other files: those below %s\n", info->root);
	if (info->torch)
		printf("  it has loaded %s%s\n", info->torch,
		       info->gpu ? " and opened a GPU: what torch reads, it "
				   "has read" :
				   "");
	if (la_env_unknown(info->initial)) {
		fputs("  at its start: unknown: ", stdout);
		print_wrapped_from(24, 4, la_env_unknown(info->initial));
	}
	if (la_env_unknown(info->current)) {
		fputs("  now: unknown: ", stdout);
		print_wrapped_from(15, 4, la_env_unknown(info->current));
	}
}

static void print_torch(const struct env_view *view)
{
	printf("torch %s, %s build", view->release,
	       env_builds[view->context.build]);
	if (*view->torch.path && !*view->torch.why)
		printf(", of %s\n", view->torch.path);
	else if (view->torch_asked)
		putchar('\n');
	else
		puts(": taken for granted, as none was found");
}

/* What it is for, behind the value. */
static const char *use_of(const struct env_view *view,
			  const struct la_env_variable *variable)
{
	if (variable->common && variable->device)
		return "torch takes all its options from here";
	if (variable->device)
		return "torch takes the options of the CUDA allocator from "
		       "here";
	if (variable->common)
		return view->context.release < LA_RELEASE(2, 10) ?
			       "torch takes options of host memory from here" :
			       "torch takes the options common to all devices "
			       "from here";
	return variable->unread;
}

static void print_check(const struct env_view *view,
			const struct la_setting_check *check)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);
	const struct la_setting_remark *remark;
	size_t count, i;

	fputs("    ", stdout);
	if (refusal) {
		print_paint(PRINT_RED, "refused");
		printf(" by torch %s: ", view->release);
		print_escaped(refusal->text);
		putchar('\n');
	} else {
		print_paint(PRINT_GREEN, "valid");
		printf(" in torch %s\n", view->release);
	}
	remark = la_setting_check_remarks(check, &count);
	for (i = 0; i < count; i++) {
		printf("    LA%d: ", remark[i].code);
		print_wrapped_from(11, 6, remark[i].text);
	}
}

static void print_variable(const struct env_view *view,
			   const struct env_check *check)
{
	const char *use = use_of(view, check->variable);

	print_escaped(check->variable->name);
	putchar('=');
	print_escaped(check->variable->value);
	putchar('\n');
	if (use)
		print_wrapped(4, use);
	if (check->check)
		print_check(view, check->check);
}

static void print_variables(const struct env_view *view)
{
	const struct la_env_choice *choice = view->choice;
	const char *doubt = env_view_doubt(view);
	size_t i;

	for (i = 0; i < choice->variable_count; i++)
		print_variable(view, &view->check[i]);
	if (choice->variable_count || la_env_unknown(view->env))
		return;
	if (doubt)
		puts("none of torch's variables was set when it began");
	else
		puts("none of torch's variables is set");
}

static void print_findings(const struct env_view *view)
{
	const struct la_env_choice *choice = view->choice;
	const struct la_env_finding *finding;
	size_t i;

	for (i = 0; i < choice->finding_count; i++) {
		finding = &choice->finding[i];
		printf("LA%d: ", finding->code);
		print_wrapped_from(7, 4, finding->text);
	}
}

static const char *part_of(const struct env_view *view,
			   const struct la_env_origin *origin)
{
	if (origin->source)
		return origin->part == LA_ENV_TAKES_PART ? "from here" :
							   "probably from here";
	if (origin->part == LA_ENV_NO_PART)
		return "takes no part";
	if (origin->scope == LA_ENV_PARENT)
		return "from here";
	if (!la_env_value(view->env, origin->variable, 0))
		return "not in this process";
	return origin->matches ? "same value" : "other value";
}

static void print_origin_value(const struct la_env_origin *origin)
{
	putchar(' ');
	print_escaped(origin->variable);
	if (origin->value) {
		putchar('=');
		print_escaped(origin->value);
	} else if (origin->fate == LA_SCRIPT_REMOVED) {
		fputs(" is removed", stdout);
	} else if (origin->fate == LA_SCRIPT_LOST) {
		fputs(" does not reach a program", stdout);
	} else {
		fputs(" is set, to what only running it could tell", stdout);
	}
	putchar('\n');
}

static void print_origin(const struct env_view *view,
			 const struct la_env_origin *origin)
{
	size_t i;

	print_escaped(origin->file);
	if (origin->line)
		printf(":%zu", origin->line);
	putchar(':');
	print_origin_value(origin);
	printf("    %s", part_of(view, origin));
	if (origin->reader)
		printf("; %s%s",
		       origin->scope == LA_ENV_PARENT ? "" : "read by ",
		       origin->reader);
	putchar('\n');
	for (i = 0; i < origin->diagnostic_count; i++) {
		printf("    LA%d: ", origin->diagnostics[i].code);
		print_wrapped_from(11, 6, origin->diagnostics[i].text);
	}
}

static void print_origins(const struct env_view *view)
{
	const struct la_env_origins *origins = view->origins;
	const struct la_env_origin *origin;
	const struct la_env_unread *unread;
	size_t count, unread_count, i;

	origin = la_env_origins(origins, &count);
	unread = la_env_origins_unread(origins, &unread_count);
	if (!count)
		puts("no file that is known to set them does");
	for (i = 0; i < count; i++)
		print_origin(view, &origin[i]);
	for (i = 0; i < unread_count; i++) {
		print_escaped(unread[i].file);
		fputs(": not read: ", stdout);
		print_escaped(unread[i].reason);
		putchar('\n');
	}
}

static bool is_changed_late(const struct env_view *view)
{
	const struct la_env_process_info *info;

	if (!view->process || view->own)
		return false;
	info = la_env_process_info(view->process);
	return info->torch != NULL;
}

void env_print_text(const struct env_view *view)
{
	if (view->process && !view->own)
		print_process(la_env_process_info(view->process));
	if (view->file)
		printf("process of %s, as it was started\n",
		       strcmp(view->file, "-") ? view->file :
						 "the record");
	print_torch(view);
	putchar('\n');
	print_variables(view);
	if (view->choice->finding_count)
		putchar('\n');
	print_findings(view);
	if (view->origins) {
		putchar('\n');
		print_origins(view);
	}
	putchar('\n');
	print_wrapped(0, env_when);
	printf("%s:\n  %s\n",
	       is_changed_late(view) ? "What is in force, only the process can "
				       "tell" :
				       "What is in force, Python tells",
	       env_line);
}
