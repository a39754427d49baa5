// SPDX-License-Identifier: Apache-2.0
/* allocctl check --torch all: verdicts by release, equal neighbours as one. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "cmd.h"
#include "print.h"

/* What releases have to agree on to be told together. */
struct verdict {
	const char *first, *last; /* releases */
	struct la_setting_check *check; /* of the first; owned */
	const char *unread;
};

static bool same_remarks(const struct la_setting_check *a,
			 const struct la_setting_check *b)
{
	const struct la_setting_remark *x, *y;
	size_t i, nr, other;

	x = la_setting_check_remarks(a, &nr);
	y = la_setting_check_remarks(b, &other);
	for (i = 0; i < nr && i < other; i++)
		if (x[i].code != y[i].code || x[i].offset != y[i].offset)
			return false;
	return nr == other;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same(const struct verdict *a, const struct verdict *b)
{
	const struct la_setting_refusal *x = la_setting_check_refusal(a->check);
	const struct la_setting_refusal *y = la_setting_check_refusal(b->check);

	if (!x != !y || !same_text(a->unread, b->unread) ||
	    !same_remarks(a->check, b->check) ||
	    !same_text(la_setting_check_correction(a->check),
		       la_setting_check_correction(b->check)))
		return false;
	if (x)
		return x->aborts_import == y->aborts_import &&
		       !strcmp(x->text, y->text) &&
		       !strcmp(x->exception, y->exception);
	return !memcmp(la_setting_check_values(a->check),
		       la_setting_check_values(b->check),
		       sizeof(struct la_setting_values));
}

static void print_codes(const struct la_setting_check *check)
{
	const struct la_setting_remark *remark;
	size_t i, nr;

	remark = la_setting_check_remarks(check, &nr);
	for (i = 0; i < nr; i++)
		if (!i || remark[i].code != remark[i - 1].code)
			printf(" LA%d", (int)remark[i].code);
}

static void print_text(const struct verdict *verdict)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(verdict->check);
	const char *correction = la_setting_check_correction(verdict->check);
	char releases[32];

	snprintf(releases, sizeof(releases), "%s%s%s", verdict->first,
		 verdict->first == verdict->last ? "" : " to ",
		 verdict->first == verdict->last ? "" : verdict->last);
	printf("torch %-13s ", releases);
	if (refusal)
		print_paint(PRINT_RED, "invalid");
	else
		print_paint(PRINT_GREEN, "valid  ");
	print_codes(verdict->check);
	putchar('\n');
	if (refusal) {
		printf("    %s: ", refusal->aborts_import ?
					   "import torch aborts" :
					   refusal->exception);
		print_escaped(refusal->text);
		putchar('\n');
	}
	if (verdict->unread)
		printf("    %s [LA%d]\n", verdict->unread, LA_REMARK_VARIABLE);
	if (correction)
		printf("    did you mean %s\n",
		       *correction ? correction : "to leave it unset?");
}

static void json_codes(struct la_json *json,
		       const struct la_setting_check *check)
{
	const struct la_setting_remark *remark;
	size_t i, nr;
	char code[16];

	remark = la_setting_check_remarks(check, &nr);
	la_json_key(json, "codes");
	la_json_array_begin(json);
	for (i = 0; i < nr; i++)
		la_json_text(json,
			     print_code(code, (int)remark[i].code));
	la_json_array_end(json);
}

static void print_json(struct la_json *json, const struct verdict *verdict)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(verdict->check);

	la_json_object_begin(json);
	la_json_member_text(json, "from", verdict->first);
	la_json_member_text(json, "to", verdict->last);
	la_json_key(json, "accepted");
	la_json_bool(json, !refusal);
	la_json_member_text(json, "error", refusal ? refusal->text : NULL);
	if (refusal) {
		la_json_member_text(json, "type", refusal->exception);
		la_json_key(json, "aborts_import");
		la_json_bool(json, refusal->aborts_import);
	}
	json_codes(json, verdict->check);
	la_json_member_text(json, "correction",
			la_setting_check_correction(verdict->check));
	la_json_member_text(json, "variable_unread", verdict->unread);
	la_json_object_end(json);
}

static void print(struct la_json *json, const struct verdict *verdict)
{
	if (json)
		print_json(json, verdict);
	else
		print_text(verdict);
}

/* The verdict of one release; 0 or -ENOMEM. */
static int judge(struct verdict *verdict, const struct check_source *source,
		 struct la_setting_context context,
		 const struct la_release *release)
{
	context.release = release->number;
	*verdict = (struct verdict){ .first = release->name,
				     .last = release->name };
	if (source->variable)
		verdict->unread =
			la_setting_variable_unread(source->variable, &context);
	return la_setting_check_new(&verdict->check, source->text,
				    source->length, &context);
}

/* Print runs of equal verdicts; a status. */
static int print_runs(struct la_json *json, const struct check_source *source,
		      const struct check_options *options)
{
	const struct la_release *release;
	struct verdict run = { 0 }, next;
	int status = STATUS_DONE;
	size_t i;

	for (i = 0; (release = la_release_at(i)); i++) {
		if (judge(&next, source, options->context, release) < 0) {
			status = print_no_memory();
			break;
		}
		if (la_setting_check_refusal(next.check))
			status = STATUS_FINDINGS;
		if (run.check && same(&run, &next)) {
			run.last = next.last;
			la_setting_check_free(next.check);
			continue;
		}
		if (run.check)
			print(json, &run);
		la_setting_check_free(run.check);
		run = next;
	}
	if (run.check)
		print(json, &run);
	la_setting_check_free(run.check);
	return status;
}

int check_all_releases(const struct check_source *source,
		       const struct check_options *options)
{
	struct la_json json;
	int status;

	if (options->format != CHECK_JSON)
		return print_runs(NULL, source, options);
	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_key(&json, "setting");
	la_json_string(&json, source->text, source->length);
	la_json_key(&json, "releases");
	la_json_array_begin(&json);
	status = print_runs(&json, source, options);
	la_json_array_end(&json);
	la_json_object_end(&json);
	putchar('\n');
	return status;
}
