// SPDX-License-Identifier: Apache-2.0
/* Places that set variables, kept in the order in which they act. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "env/file.h"
#include "env/internal.h"
#include "util/array.h"
#include "util/error.h"
#include "util/strbuf.h"
#include "util/util.h"

struct la_env_origins {
	struct la_env_origin *origin; /* texts owned, diagnostics a script's */
	size_t count, room;
	struct la_env_unread *unread; /* texts owned */
	size_t unread_count, unread_room;
	struct la_script **script; /* owned */
	size_t script_count, script_room;
};

struct la_env_finder {
	const struct la_env_search *search;
	struct la_env_origins *found;
	bool failed; /* no memory */
};

/* Where nobody says what is sought. */
static const char *const usual[] = {
	"PYTORCH_CUDA_ALLOC_CONF",	 "PYTORCH_HIP_ALLOC_CONF",
	"PYTORCH_ALLOC_CONF",		 "PYTORCH_NO_CUDA_MEMORY_CACHING",
	"PYTORCH_NO_HIP_MEMORY_CACHING", NULL
};

const struct la_env_search *la_env_finder_search(const struct la_env_finder *f)
{
	return f->search;
}

static const char *const *watched(const struct la_env_finder *f)
{
	return f->search->watched ? f->search->watched : usual;
}

bool la_env_finder_wants(const struct la_env_finder *f, const char *variable)
{
	const char *const *name;

	for (name = watched(f); *name; name++)
		if (!strcmp(*name, variable))
			return true;
	return false;
}

static char *copy(struct la_env_finder *f, const char *text)
{
	char *out = text ? strdup(text) : NULL;

	if (text && !out)
		f->failed = true;
	return out;
}

/* One more, whose texts are copied; NULL: no memory. */
static struct la_env_origin *add(struct la_env_finder *f, const char *file,
				 const char *variable, const char *value,
				 const struct la_env_place *place)
{
	struct la_env_origins *o = f->found;
	struct la_env_origin *origin;
	const char *has;

	if (grow_array(&o->origin, &o->room, o->count, sizeof(*origin)) < 0) {
		f->failed = true;
		return NULL;
	}
	origin = &o->origin[o->count++];
	*origin = (struct la_env_origin){
		.variable = copy(f, variable),
		.value = copy(f, value),
		.fate = value ? LA_SCRIPT_ARRIVES : LA_SCRIPT_UNKNOWN,
		.scope = place->scope,
		.part = place->part,
		.reader = copy(f, place->reader),
		.file = copy(f, file),
	};
	has = f->search->env ? la_env_value(f->search->env, variable, 0) : NULL;
	origin->matches = has && value && !strcmp(has, value);
	return origin;
}

void la_env_find_value(struct la_env_finder *f, const char *file,
		       const char *variable, const char *value,
		       const struct la_env_place *place)
{
	add(f, file, variable, value, place);
}

void la_env_find_unread(struct la_env_finder *f, const char *file,
			const char *reason)
{
	struct la_env_origins *o = f->found;

	if (grow_array(&o->unread, &o->unread_room, o->unread_count,
		       sizeof(*o->unread)) < 0) {
		f->failed = true;
		return;
	}
	o->unread[o->unread_count++] = (struct la_env_unread){
		.file = copy(f, file),
		.reason = copy(f, reason),
	};
}

static bool keep_script(struct la_env_finder *f, struct la_script *script)
{
	struct la_env_origins *o = f->found;

	if (grow_array(&o->script, &o->script_room, o->script_count,
		       sizeof(script)) < 0) {
		la_script_free(script);
		f->failed = true;
		return false;
	}
	o->script[o->script_count++] = script;
	return true;
}

static void take_assignments(struct la_env_finder *f, const char *file,
			     const struct la_script *script,
			     const struct la_env_place *place)
{
	const struct la_script_assignment *a;
	struct la_env_origin *origin;
	size_t i, count;

	a = la_script_assignments(script, &count);
	for (i = 0; i < count; i++) {
		origin = add(f, file, a[i].variable, a[i].value, place);
		if (!origin)
			return;
		origin->fate = a[i].fate;
		origin->line = a[i].line;
		origin->column = a[i].column;
		origin->diagnostics = a[i].diagnostics;
		origin->diagnostic_count = a[i].diagnostic_count;
	}
}

/* What cannot be read is of interest if it names what is sought. */
static bool names_one(const struct la_env_finder *f,
		      const struct la_strbuf *text)
{
	const char *const *name;

	for (name = watched(f); *name; name++)
		if (text->length &&
		    memmem(text->data, text->length, *name, strlen(*name)))
			return true;
	return false;
}

/* What is known beforehand: the user's folder. */
static void parse(struct la_env_finder *f, const char *file,
		  const struct la_strbuf *text,
		  const struct la_env_place *place)
{
	struct la_script_options options = {
		.kind = place->kind,
		.platform = f->search->platform,
		.watched = watched(f),
	};
	struct la_strbuf home = { 0 };
	const char *known[2] = { NULL, NULL };
	struct la_script *script;
	struct la_error err = { 0 };
	int ret;

	if (f->search->home) {
		la_strbuf_addf(&home, "HOME=%s", f->search->home);
		known[0] = home.data;
		options.environment = known;
	}
	ret = la_script_read(&script, la_strbuf_text(text), text->length,
			     &options, &err);
	la_strbuf_release(&home);
	if (ret == -ENOMEM)
		f->failed = true;
	else if (ret < 0 && names_one(f, text))
		la_env_find_unread(f, file, *err.text ? err.text :
							strerror(-ret));
	else if (ret == 0 && keep_script(f, script))
		take_assignments(f, file, script, place);
}

/* Of what la_env_file_read() returns. */
static const char *why_unread(int code)
{
	return code == -EINVAL ? "it is not a file" : strerror(-code);
}

bool la_env_find_in(struct la_env_finder *f, const char *file,
		    const struct la_env_place *place)
{
	struct la_strbuf text = { 0 };
	int ret = la_env_file_read(f->search->root, file, &text);

	if (ret == -ENOENT || ret == -ENOTDIR) {
		la_strbuf_release(&text);
		return false;
	}
	if (ret == -ENOMEM)
		f->failed = true;
	else if (ret < 0)
		la_env_find_unread(f, file, why_unread(ret));
	else
		parse(f, file, &text, place);
	la_strbuf_release(&text);
	return true;
}

static void find_given(struct la_env_finder *f, const char *file)
{
	struct la_env_place place = {
		.scope = LA_ENV_GIVEN,
		.part = LA_ENV_MAY_TAKE_PART,
		.reader = "what is started with it",
	};
	struct la_strbuf text = { 0 };
	int ret = la_env_file_read(NULL, file, &text);

	if (ret == -ENOMEM)
		f->failed = true;
	else if (ret < 0)
		la_env_find_unread(f, file, why_unread(ret));
	else if (la_script_kind_guess(&place.kind, file, la_strbuf_text(&text),
				      text.length) < 0)
		la_env_find_unread(f, file,
				   "neither name nor start tells what it is");
	else
		parse(f, file, &text, &place);
	la_strbuf_release(&text);
}

/* Of those that give the value, the last that takes part, else the last that
 * may. */
static void mark_source(struct la_env_origins *o, const char *variable)
{
	struct la_env_origin *origin, *best = NULL;
	size_t i;

	for (i = 0; i < o->count; i++) {
		origin = &o->origin[i];
		if (strcmp(origin->variable, variable) || !origin->matches ||
		    origin->part == LA_ENV_NO_PART ||
		    origin->scope == LA_ENV_PARENT)
			continue;
		if (!best || origin->part <= best->part)
			best = origin;
	}
	if (best)
		best->source = true;
}

LA_EXPORT int la_env_origins_find(struct la_env_origins **out,
				  const struct la_env_search *search,
				  struct la_error *err)
{
	struct la_env_finder f = { .search = search };
	const char *const *text;

	f.found = calloc(1, sizeof(*f.found));
	if (!f.found)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	la_env_seek(&f);
	for (text = search->files; text && *text; text++)
		find_given(&f, *text);
	for (text = watched(&f); *text; text++)
		mark_source(f.found, *text);
	if (f.failed) {
		la_env_origins_free(f.found);
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	}
	*out = f.found;
	return 0;
}

LA_EXPORT const struct la_env_origin *
la_env_origins(const struct la_env_origins *origins, size_t *count)
{
	*count = origins->count;
	return origins->origin;
}

LA_EXPORT const struct la_env_unread *
la_env_origins_unread(const struct la_env_origins *origins, size_t *count)
{
	*count = origins->unread_count;
	return origins->unread;
}

LA_EXPORT void la_env_origins_free(struct la_env_origins *origins)
{
	size_t i;

	if (!origins)
		return;
	for (i = 0; i < origins->count; i++) {
		free((char *)origins->origin[i].variable);
		free((char *)origins->origin[i].value);
		free((char *)origins->origin[i].reader);
		free((char *)origins->origin[i].file);
	}
	for (i = 0; i < origins->unread_count; i++) {
		free((char *)origins->unread[i].file);
		free((char *)origins->unread[i].reason);
	}
	for (i = 0; i < origins->script_count; i++)
		la_script_free(origins->script[i]);
	free(origins->origin);
	free(origins->unread);
	free(origins->script);
	free(origins);
}
