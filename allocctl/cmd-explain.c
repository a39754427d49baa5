// SPDX-License-Identifier: Apache-2.0
/* allocctl explain: options, codes and presets in words. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cmd.h"
#include "explain.h"
#include "opt.h"
#include "print.h"
#include "util/distance.h"

static const char *const formats[] = { "text", "man", NULL };

struct options {
	const char *torch, *gpu, *memory;
	int format; /* index into formats */
	bool all;
};

static int refuse_usage(const char *text)
{
	print_error("%s", text);
	return STATUS_USAGE;
}

static const struct la_setting_option *find_option(const char *name)
{
	const struct la_setting_option *option;
	size_t i;

	for (i = 0; (option = la_setting_option_at(i)); i++)
		if (!strcmp(option->name, name))
			return option;
	return NULL;
}

static bool is_code(const char *name, int number)
{
	char text[16];

	return !strcasecmp(print_code(text, number), name);
}

/* Print the row of a code, if the name is one. */
static bool tell_code(const char *name)
{
	const struct la_script_code_info *script;
	const struct la_setting_code_info *setting;
	size_t i;

	for (i = 0; (setting = la_setting_code_at(i)); i++)
		if (is_code(name, (int)setting->code)) {
			explain_code(setting);
			return true;
		}
	for (i = 0; (script = la_script_code_at(i)); i++)
		if (is_code(name, (int)script->code)) {
			explain_script_code(script);
			return true;
		}
	return false;
}

static int unknown(const char *name)
{
	const struct la_setting_option *option;
	size_t distance, best = SIZE_MAX, i;
	const char *near = NULL;

	for (i = 0; (option = la_setting_option_at(i)); i++) {
		distance = la_distance(name, strlen(name), option->name,
				       strlen(option->name));
		if (distance >= best)
			continue;
		best = distance;
		near = option->name;
	}
	if (near)
		print_error("no option '%s'; did you mean '%s'?", name, near);
	else
		print_error("no option, code or 'presets': '%s'", name);
	return STATUS_USAGE;
}

static int run_presets(const struct options *options)
{
	const struct la_card *card = NULL;
	uint64_t memory = 0;

	if (options->gpu && options->memory)
		return refuse_usage("--gpu and --memory exclude each other");
	if (options->memory) {
		if (!opt_size("memory", options->memory, &memory))
			return STATUS_USAGE;
		if (!memory)
			return refuse_usage("--memory: 0 is no GPU's memory");
	}
	if (options->gpu)
		card = la_card_find(options->gpu);
	if (options->gpu && !card && !explain_presets_know(options->gpu)) {
		print_error("no GPU '%s' is known; say --memory SIZE",
			    options->gpu);
		return STATUS_USAGE;
	}
	if (card)
		memory = card->total;
	explain_presets(card ? card->name : options->gpu, memory);
	return STATUS_DONE;
}

static int explain_one(const char *name, const struct options *options,
		       unsigned int release)
{
	const struct la_setting_option *option = find_option(name);

	if (!strcmp(name, "presets"))
		return run_presets(options);
	if (options->gpu || options->memory)
		return refuse_usage("--gpu and --memory go with presets");
	if (option)
		return explain_option(option, release);
	return tell_code(name) ? STATUS_DONE : unknown(name);
}

static int explain_with(const struct options *options, int nr, char **names)
{
	unsigned int release = 0;
	struct la_error err;
	int i, status, worst = STATUS_DONE;

	if (options->torch &&
	    la_release_parse(&release, options->torch, &err) < 0) {
		print_error("--torch: %s", err.text);
		return STATUS_USAGE;
	}
	if (options->all && (nr || release))
		return refuse_usage("--all goes with no name and no release");
	if (options->format && !options->all)
		return refuse_usage("--format man goes with --all");
	if (options->all && options->format)
		explain_man();
	else if (options->all)
		explain_all();
	else if (!nr)
		explain_list(release);
	for (i = 0; i < nr; i++) {
		if (i)
			putchar('\n');
		status = explain_one(names[i], options, release);
		worst = status > worst ? status : worst;
	}
	return worst;
}

static int explain_run(int argc, char **argv)
{
	struct options options = { 0 };
	const struct opt opts[] = {
		{ OPT_STRING, "torch", &options.torch, "RELEASE",
		  "options of that release; status 1 if it has none such",
		  NULL },
		{ OPT_STRING, "gpu", &options.gpu, "NAME",
		  "presets for that GPU", NULL },
		{ OPT_STRING, "memory", &options.memory, "SIZE",
		  "presets for a GPU with so much memory", NULL },
		{ OPT_FLAG, "all", &options.all, NULL,
		  "all options with all that is known of them", NULL },
		{ OPT_CHOICE, "format", &options.format, "FORMAT",
		  "text (default), or man: the source of a manual page",
		  formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "explain [OPTION... | CODE... | presets]",
		.about = "What an option of PYTORCH_CUDA_ALLOC_CONF truly "
			 "does, what a code of check\nmeans, or what guides "
			 "recommend and replay says of it. Without a name: a "
			 "list.",
		.opts = opts,
		.examples = "  allocctl explain max_split_size_mb\n"
			    "  allocctl explain --torch 2.6\n"
			    "  allocctl explain presets --gpu RTX4090",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	return explain_with(&options, nr, argv + 1);
}

const struct cmd cmd_explain = {
	.name = "explain",
	.summary = "say what an option, a code or a guide's advice means",
	.run = explain_run,
};
