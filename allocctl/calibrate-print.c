// SPDX-License-Identifier: Apache-2.0
/* What was measured: as a file, as JSON and as a table. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "calibrate.h"
#include "print.h"
#include "util/json.h"
#include "util/size.h"
#include "util/util.h"

/* The members of a size, in the order of the file. */
static const struct {
	const char *name;
	size_t offset;
} members[] = {
#define MEMBER(name) { #name, offsetof(struct la_cost_point, name) },
	LA_COST_NAMES(MEMBER)
#undef MEMBER
};

static double cost(const struct la_cost_point *point, size_t member)
{
	double us;

	memcpy(&us, (const char *)point + members[member].offset, sizeof(us));
	return us;
}

static double mib(uint64_t bytes)
{
	return (double)bytes / (double)MIB;
}

/* In quotes of YAML; what would end them or is no text is left out. */
static void write_quoted(const char *text, FILE *file)
{
	putc('"', file);
	for (; *text; text++)
		if (*text >= ' ' && *text <= '~' && *text != '"' &&
		    *text != '\\')
			putc(*text, file);
	putc('"', file);
}

void calibrate_write_yaml(const struct calibration *calibration, FILE *file)
{
	const struct la_costs *costs = &calibration->costs;
	unsigned int i;
	size_t j;

	fprintf(file,
		"# What device operations cost, by allocctl calibrate: times "
		"in microseconds,\n# sizes in MiB, medians of %d.\n"
		"# wait%s: not measured, as shipped.\n"
		"# Events: record %.2f, wait for %.2f, query %.2f.\ngpu: ",
		CALIBRATE_ROUNDS, calibration->is_shared ? ", context" : "",
		calibration->record, calibration->wait_for, calibration->query);
	write_quoted(costs->gpu, file);
	fprintf(file,
		"\ntotal: %.6f\ncontext: %.6f\nwait: %g\norder: %.2f\nsizes:\n",
		mib(costs->total), mib(costs->context), costs->wait,
		costs->order);
	for (i = 0; i < costs->point_count; i++) {
		fprintf(file, "  - size: %" PRIu64 "\n",
			costs->point[i].size / MIB);
		for (j = 0; j < ARRAY_SIZE(members); j++)
			fprintf(file, "    %s: %.2f\n", members[j].name,
				cost(&costs->point[i], j));
	}
}

static void json_sizes(struct la_json *json, const struct la_costs *costs)
{
	unsigned int i;
	size_t j;

	la_json_key(json, "sizes");
	la_json_array_begin(json);
	for (i = 0; i < costs->point_count; i++) {
		la_json_object_begin(json);
		la_json_member_uint(json, "size", costs->point[i].size);
		for (j = 0; j < ARRAY_SIZE(members); j++)
			la_json_member_double(json, members[j].name,
					      cost(&costs->point[i], j));
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

void calibrate_print_json(const struct calibration *calibration,
			  const char *path)
{
	const struct la_costs *costs = &calibration->costs;
	struct la_json json;

	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "allocctl.calibrate/1");
	la_json_member_text(&json, "file", path);
	la_json_member_text(&json, "gpu", costs->gpu);
	la_json_member_uint(&json, "total", costs->total);
	la_json_member_known_uint(&json, "context", !calibration->is_shared,
				  costs->context);
	la_json_member_text(&json, "cudart", calibration->cudart);
	la_json_member_known_uint(&json, "cudart_version",
				  calibration->version > 0,
				  (uint64_t)calibration->version);
	la_json_member_uint(&json, "rounds", CALIBRATE_ROUNDS);
	la_json_member_double(&json, "record", calibration->record);
	la_json_member_double(&json, "wait_for", calibration->wait_for);
	la_json_member_double(&json, "query", calibration->query);
	json_sizes(&json, costs);
	la_json_object_end(&json);
	putchar('\n');
}

void calibrate_print_text(const struct calibration *calibration,
			  const char *path)
{
	const struct la_costs *costs = &calibration->costs;
	char size[LA_SIZE_TEXT];
	unsigned int i;
	size_t j;

	fputs("gpu         ", stdout);
	print_escaped(costs->gpu);
	printf(", %s\n", la_size_format(size, costs->total));
	fputs("cudart      ", stdout);
	print_escaped(calibration->cudart);
	printf("\nmeasured, in microseconds, medians of %d:\n\n%8s",
	       CALIBRATE_ROUNDS, "MiB");
	for (j = 0; j < ARRAY_SIZE(members); j++)
		printf(" %8s", members[j].name);
	putchar('\n');
	for (i = 0; i < costs->point_count; i++) {
		printf("%8" PRIu64, costs->point[i].size / MIB);
		for (j = 0; j < ARRAY_SIZE(members); j++)
			printf(" %8.2f", cost(&costs->point[i], j));
		putchar('\n');
	}
	printf("\nevents      record %.2f, wait for %.2f, query %.2f\n",
	       calibration->record, calibration->wait_for, calibration->query);
	fputs("written to  ", stdout);
	print_escaped(path);
	puts("");
}
