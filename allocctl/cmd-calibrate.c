// SPDX-License-Identifier: Apache-2.0
/* allocctl calibrate: what device operations cost on a GPU of this machine. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <liballoc/device.h>

#include "calibrate.h"
#include "cmd.h"
#include "costs-file.h"
#include "opt.h"
#include "output.h"
#include "print.h"

struct options {
	uint64_t device;
	const char *cudart, *output; /* files or NULL */
	bool system, force;
	int format;
};

/* Where the result goes: false after a message. */
static bool choose_path(char *out, size_t size, const struct options *options,
			const char *gpu)
{
	char folder[PATH_MAX];

	if (!costs_folder(folder, sizeof(folder), options->system)) {
		print_error("no folder for the result: neither "
			    "XDG_CONFIG_HOME nor HOME is set; say --output");
		return false;
	}
	if (!costs_path(out, size, folder, gpu)) {
		print_error("the name of the folder '%s' is too long", folder);
		return false;
	}
	return costs_make_folder(folder);
}

static bool write_file(const struct calibration *calibration, const char *path,
		       bool force)
{
	struct output output;
	bool done = false;

	if (output_open(&output, path, "", force)) {
		calibrate_write_yaml(calibration, output.file);
		done = output_commit(&output);
	}
	output_close(&output);
	return done;
}

/* To a file and a report on it, or all to standard output. */
static int write_result(const struct options *options,
			const struct calibration *calibration)
{
	const char *path = options->output;
	char chosen[PATH_MAX];
	bool is_out = path && !strcmp(path, "-");

	if (calibration->is_shared)
		print_error("warning: other programs use the GPU: times may "
			    "be too long, and what a context takes is not "
			    "known");
	if (!path) {
		if (!choose_path(chosen, sizeof(chosen), options,
				 calibration->costs.gpu))
			return STATUS_CANNOT_TELL;
		path = chosen;
	}
	if (is_out && options->format == PRINT_TEXT) {
		calibrate_write_yaml(calibration, stdout);
		return STATUS_DONE;
	}
	if (!is_out &&
	    !write_file(calibration, path, options->force || !options->output))
		return STATUS_CANNOT_TELL;
	if (options->format == PRINT_JSON)
		calibrate_print_json(calibration, is_out ? NULL : path);
	else
		calibrate_print_text(calibration, path);
	return STATUS_DONE;
}

static int calibrate(const struct options *options)
{
	struct calibration calibration;
	struct cudart cudart = { .path = "" };
	struct la_device *device;
	struct la_error err;
	int status = STATUS_CANNOT_TELL;

	if (la_device_cuda(&device, (unsigned int)options->device, NULL, &err) <
	    0) {
		print_error("no GPU to measure: %s", err.text);
		return status;
	}
	if (cudart_open(&cudart, options->cudart, (int)options->device) &&
	    calibrate_measure(&calibration, device, &cudart))
		status = write_result(options, &calibration);
	la_device_destroy(device);
	return status;
}

static int serve(const struct options *options)
{
	int status = calibrate(options);

	if (status != STATUS_DONE && options->format == PRINT_JSON)
		puts("null");
	return status;
}

static int calibrate_run(int argc, char **argv)
{
	struct options options = { 0 };
	const struct opt opts[] = {
		{ OPT_NUMBER, "device", &options.device, "N",
		  "the GPU, as CUDA counts (default: 0)", NULL },
		{ OPT_STRING, "cudart", &options.cudart, "FILE",
		  "libcudart.so (default: that of torch)", NULL },
		{ OPT_STRING, "output", &options.output, "FILE",
		  "where to write; - is standard output", NULL },
		{ OPT_FLAG, "system", &options.system, NULL,
		  "for all users: write to /etc/liballoc/costs.d", NULL },
		{ OPT_FLAG, "force", &options.force, NULL,
		  "replace the FILE of --output if it is there", NULL },
		{ OPT_CHOICE, "format", &options.format, "FORMAT",
		  "text (default) or json", print_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "calibrate [OPTIONS]",
		.about = "Measure what device operations cost on a GPU that "
			 "nothing else uses, and write\nit to where allocctl "
			 "tune finds it.",
		.opts = opts,
		.examples = "  allocctl calibrate\n"
			    "  allocctl calibrate --device 1 --output -",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	if (nr)
		print_error("calibrate takes no operands");
	else if (options.system && options.output)
		print_error("--system and --output exclude each other");
	else if (options.device > INT_MAX)
		print_error("--device wants a number of a GPU");
	else
		return serve(&options);
	return STATUS_USAGE;
}

const struct cmd cmd_calibrate = {
	.name = "calibrate",
	.summary = "measure what device operations cost here",
	.run = calibrate_run,
};
