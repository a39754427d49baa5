// SPDX-License-Identifier: Apache-2.0
/* allocctl check: lines as compilers write them, and SARIF 2.1.0. */
#include <stdio.h>
#include <string.h>

#include <liballoc/version.h>

#include "check.h"
#include "print.h"

/* One thing to say, of any origin. */
struct finding {
	int code;
	const char *level; /* "error", "warning", "note" */
	const char *text;
	uint64_t offset, length; /* bytes of the setting */
	const char *correction; /* of the whole setting, or NULL */
};

typedef void finding_fn(void *arg, const struct check_source *source,
			const struct finding *finding);

/* Code of a refusal: that of the remark that explains it. */
static int check_refusal_code(const struct la_setting_check *check)
{
	const struct la_setting_remark *remark;
	size_t i, nr;

	remark = la_setting_check_remarks(check, &nr);
	for (i = 0; i < nr; i++)
		if (remark[i].severity == LA_SEVERITY_HINT)
			return remark[i].code;
	return nr ? (int)remark[0].code : LA_REMARK_VALUE;
}

static void each_remark(const struct check_answer *answer, finding_fn *fn,
			void *arg)
{
	const struct la_setting_remark *remark;
	size_t i, nr;

	remark = la_setting_check_remarks(answer->check, &nr);
	for (i = 0; i < nr; i++) {
		const struct finding finding = {
			.code = remark[i].code,
			.level = remark[i].severity == LA_SEVERITY_WARNING ?
					 "warning" :
					 "note",
			.text = remark[i].text,
			.offset = remark[i].offset,
			.length = remark[i].length,
		};

		fn(arg, answer->source, &finding);
	}
}

static void each_violation(const struct check_answer *answer, finding_fn *fn,
			   void *arg)
{
	const struct la_policy_violation *violation;
	size_t i, nr;

	if (!answer->policy)
		return;
	violation = la_policy_violations(answer->policy, &nr);
	for (i = 0; i < nr; i++) {
		const struct finding finding = {
			.code = violation[i].code,
			.level = "error",
			.text = violation[i].text,
			.offset = violation[i].offset,
			.length = violation[i].length,
		};

		fn(arg, answer->source, &finding);
	}
}

static void each_finding(const struct check_answer *answer, finding_fn *fn,
			 void *arg)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(answer->check);
	const char *correction = la_setting_check_correction(answer->check);
	struct finding finding = { .correction = correction };

	if (refusal) {
		finding.code = check_refusal_code(answer->check);
		finding.level = "error";
		finding.text = refusal->text;
		finding.offset = refusal->offset;
		finding.length = refusal->length;
		fn(arg, answer->source, &finding);
	}
	if (answer->unread) {
		finding = (struct finding){ .code = LA_REMARK_VARIABLE,
					    .level = "warning",
					    .text = answer->unread };
		fn(arg, answer->source, &finding);
	}
	each_remark(answer, fn, arg);
	each_violation(answer, fn, arg);
}

/* From 1, in characters of the line. */
static size_t column_of(const struct check_source *source, uint64_t offset)
{
	return source->column + print_characters(source->text, offset) + 1;
}

static void print_gcc(void *arg, const struct check_source *source,
		      const struct finding *finding)
{
	(void)arg;
	printf("%s:%zu:%zu: %s: ", source->file, source->line,
	       column_of(source, finding->offset), finding->level);
	print_escaped(finding->text);
	printf(" [LA%d]\n", finding->code);
	if (finding->correction && *finding->correction)
		printf("%s:%zu:%zu: note: did you mean %s\n", source->file,
		       source->line, source->column + 1, finding->correction);
}

void check_print_gcc(const struct check_answer *answer)
{
	each_finding(answer, print_gcc, NULL);
}

static void sarif_rule(struct la_json *json,
		       const struct la_setting_code_info *info)
{
	static const char *const levels[] = {
		[LA_SEVERITY_NOTE] = "note",
		[LA_SEVERITY_WARNING] = "warning",
		[LA_SEVERITY_HINT] = "error",
	};
	char code[16];

	la_json_object_begin(json);
	la_json_member_text(json, "id", print_code(code, info->code));
	la_json_key(json, "shortDescription");
	la_json_object_begin(json);
	la_json_member_text(json, "text", info->meaning);
	la_json_object_end(json);
	la_json_key(json, "defaultConfiguration");
	la_json_object_begin(json);
	la_json_member_text(json, "level", levels[info->severity]);
	la_json_object_end(json);
	la_json_object_end(json);
}

void check_sarif_begin(struct la_json *json)
{
	const struct la_setting_code_info *info;
	size_t i;

	la_json_init(json, print_json_sink, stdout);
	la_json_object_begin(json);
	la_json_member_text(json, "$schema",
			"https://json.schemastore.org/sarif-2.1.0.json");
	la_json_member_text(json, "version", "2.1.0");
	la_json_key(json, "runs");
	la_json_array_begin(json);
	la_json_object_begin(json);
	la_json_key(json, "tool");
	la_json_object_begin(json);
	la_json_key(json, "driver");
	la_json_object_begin(json);
	la_json_member_text(json, "name", "allocctl");
	la_json_member_text(json, "version", LA_VERSION);
	la_json_key(json, "rules");
	la_json_array_begin(json);
	for (i = 0; (info = la_setting_code_at(i)); i++)
		sarif_rule(json, info);
	la_json_array_end(json);
	la_json_object_end(json);
	la_json_object_end(json);
	la_json_member_text(json, "columnKind", "unicodeCodePoints");
	la_json_key(json, "results");
	la_json_array_begin(json);
}

static void sarif_region(struct la_json *json,
			 const struct check_source *source, uint64_t from,
			 uint64_t to)
{
	la_json_object_begin(json);
	la_json_key(json, "startLine");
	la_json_uint(json, source->line);
	la_json_key(json, "startColumn");
	la_json_uint(json, column_of(source, from));
	la_json_key(json, "endColumn");
	la_json_uint(json, column_of(source, to));
	la_json_object_end(json);
}

/* "<stdin>" is no URI. */
static void sarif_artifact(struct la_json *json,
			   const struct check_source *source)
{
	la_json_key(json, "artifactLocation");
	la_json_object_begin(json);
	la_json_key(json, "uri");
	la_json_string(json, source->file + 1, strlen(source->file) - 2);
	la_json_object_end(json);
}

static void sarif_fix(struct la_json *json, const struct check_source *source,
		      const char *correction)
{
	la_json_key(json, "fixes");
	la_json_array_begin(json);
	la_json_object_begin(json);
	la_json_key(json, "artifactChanges");
	la_json_array_begin(json);
	la_json_object_begin(json);
	sarif_artifact(json, source);
	la_json_key(json, "replacements");
	la_json_array_begin(json);
	la_json_object_begin(json);
	la_json_key(json, "deletedRegion");
	sarif_region(json, source, 0, source->length);
	la_json_key(json, "insertedContent");
	la_json_object_begin(json);
	la_json_member_text(json, "text", correction);
	la_json_object_end(json);
	la_json_object_end(json);
	la_json_array_end(json);
	la_json_object_end(json);
	la_json_array_end(json);
	la_json_object_end(json);
	la_json_array_end(json);
}

static void sarif_result(void *arg, const struct check_source *source,
			 const struct finding *finding)
{
	struct la_json *json = arg;
	char code[16];

	la_json_object_begin(json);
	la_json_member_text(json, "ruleId", print_code(code, finding->code));
	la_json_member_text(json, "level", finding->level);
	la_json_key(json, "message");
	la_json_object_begin(json);
	la_json_member_text(json, "text", finding->text);
	la_json_object_end(json);
	la_json_key(json, "locations");
	la_json_array_begin(json);
	la_json_object_begin(json);
	la_json_key(json, "physicalLocation");
	la_json_object_begin(json);
	sarif_artifact(json, source);
	la_json_key(json, "region");
	sarif_region(json, source, finding->offset,
		     finding->offset + finding->length);
	la_json_object_end(json);
	la_json_object_end(json);
	la_json_array_end(json);
	if (finding->correction)
		sarif_fix(json, source, finding->correction);
	la_json_object_end(json);
}

void check_sarif_add(struct la_json *json, const struct check_answer *answer)
{
	each_finding(answer, sarif_result, json);
}

void check_sarif_end(struct la_json *json)
{
	la_json_array_end(json);
	la_json_object_end(json);
	la_json_array_end(json);
	la_json_object_end(json);
	putchar('\n');
}
