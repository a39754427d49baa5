// SPDX-License-Identifier: Apache-2.0
/* allocctl convert: a recording in another format. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/trace.h>

#include "cmd.h"
#include "opt.h"
#include "output.h"
#include "platform.h"
#include "print.h"

/* In the order of enum la_recording_format. */
static const char *const formats[] = { "pickle", "perfetto", "csv", NULL };

struct options {
	int format; /* index into formats, -1: by the name of the output */
	bool force, partial;
};

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

/* The format that the output's name tells; -1 after a message. */
static int format_of(const char *path)
{
	static const struct {
		const char *end;
		enum la_recording_format format;
	} endings[] = {
		{ ".pickle", LA_FORMAT_PICKLE },
		{ ".pkl", LA_FORMAT_PICKLE },
		{ ".json", LA_FORMAT_PERFETTO },
		{ ".csv", LA_FORMAT_CSV },
	};
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (ends_with(path, endings[i].end))
			return (int)endings[i].format;
	print_error("the name '%s' tells no format; say --to FORMAT", path);
	return -1;
}

static const char *const packed[] = { ".gz", ".xz", ".zst" };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool same_folder(const char *a, const char *b)
{
	char *x = strndup(a, (size_t)(base_of(a) - a));
	char *y = strndup(b, (size_t)(base_of(b) - b));
	bool same = x && y &&
		    platform_is_same(*x ? x : ".", *y ? y : ".");

	free(x);
	free(y);
	return same;
}

/* Would the output be taken for the companion X.json of X.pickle.xz? */
static bool is_companion(const char *in, const char *out)
{
	const char *base = base_of(in), *dot;
	size_t length = strlen(base), i;

	for (i = 0; i < sizeof(packed) / sizeof(*packed); i++)
		if (ends_with(base, packed[i]))
			length -= strlen(packed[i]);
	dot = memrchr(base, '.', length);
	if (dot && dot > base)
		length = (size_t)(dot - base);
	return !strncmp(base_of(out), base, length) &&
	       !strcmp(base_of(out) + length, ".json") && same_folder(in, out);
}

/* False after a message. */
static bool check_name(const char *in, const char *out)
{
	size_t i;

	if (is_companion(in, out)) {
		print_error("'%s' is the name of the companion of '%s'", out,
			    in);
		return false;
	}
	for (i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		if (!ends_with(out, packed[i]))
			continue;
		print_error("'%s': output is not compressed; write to - and "
			    "compress that",
			    out);
		return false;
	}
	return true;
}

static int refuse_usage(const char *text)
{
	print_error("%s", text);
	return STATUS_USAGE;
}

static void warn(const struct la_recording *recording)
{
	unsigned int count = la_recording_device_count(recording), i;
	uint64_t unknown = 0;

	for (i = 0; i < count; i++)
		unknown += la_recording_device(recording, i)->unknown_count;
	if (unknown)
		print_error("warning: %" PRIu64 " events of kinds that are "
			    "not known are left out",
			    unknown);
	if (la_recording_is_partial(recording))
		print_error("warning: the recording is truncated");
	if (la_recording_lost_stack_count(recording))
		print_error("warning: %" PRIu64 " stacks are left out, there "
			    "are too many",
			    la_recording_lost_stack_count(recording));
}

static int write_to(const struct la_recording *recording, const char *in,
		    const char *out, const struct options *options)
{
	enum la_recording_format format =
		(enum la_recording_format)options->format;
	struct output output;
	struct la_error err;
	int status = STATUS_CANNOT_TELL;

	if (!output_open(&output, out, in, options->force)) {
		output_close(&output);
		return status;
	}
	if (la_recording_write(recording, format, output_sink, output.file,
			       &err) < 0)
		print_error("cannot write '%s': %s", out, err.text);
	else if (output_commit(&output))
		status = STATUS_DONE;
	output_close(&output);
	return status;
}

static int convert(const char *in, const char *out,
		   const struct options *options)
{
	const struct la_recording_options how = { .partial = options->partial };
	struct la_recording *recording;
	struct la_error err;
	int status;

	if (la_recording_open(&recording, in, &how, &err) < 0) {
		print_error("cannot read '%s': %s", in, err.text);
		return STATUS_CANNOT_TELL;
	}
	warn(recording);
	status = write_to(recording, in, out, options);
	la_recording_free(recording);
	return status;
}

static int convert_run(int argc, char **argv)
{
	struct options options = { .format = -1 };
	const struct opt opts[] = {
		{ OPT_CHOICE, "to", &options.format, "FORMAT",
		  "pickle, perfetto or csv; default: by the end of OUT",
		  formats },
		{ OPT_FLAG, "force", &options.force, NULL,
		  "replace OUT if it is there", NULL },
		{ OPT_FLAG, "partial", &options.partial, NULL,
		  "use the readable part of a truncated recording", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "convert [OPTIONS] IN OUT",
		.about = "Write a recording as a snapshot (.pickle, .pkl), as "
			 "counters for Perfetto\n(.json), or as a table of its "
			 "events (.csv).  - is standard input or output.",
		.opts = opts,
		.examples = "  allocctl convert oom.pickle oom.trace.json\n"
			    "  allocctl convert --to csv oom.pickle.xz - | "
			    "grep ,oom,",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	if (nr != 2)
		return refuse_usage("convert takes an input and an output");
	if (!strcmp(argv[2], "-")) {
		if (options.format < 0)
			return refuse_usage(
				"to standard output: say --to FORMAT");
		if (options.format == LA_FORMAT_PICKLE && !options.force &&
		    isatty(STDOUT_FILENO))
			return refuse_usage(
				"a pickle is nothing for a terminal");
	} else if (!check_name(argv[1], argv[2])) {
		return STATUS_USAGE;
	}
	if (options.format < 0)
		options.format = format_of(argv[2]);
	return options.format < 0 ? STATUS_USAGE :
				    convert(argv[1], argv[2], &options);
}

const struct cmd cmd_convert = {
	.name = "convert",
	.summary = "write a recording in another format",
	.run = convert_run,
};
