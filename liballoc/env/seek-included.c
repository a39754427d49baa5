// SPDX-License-Identifier: Apache-2.0
/* Files that a shell's file reads with . or source and names in full. */
#include <string.h>

#include "env/file.h"
#include "env/seek.h"

enum { INCLUDED_DEPTH = 4, MOST_INCLUDED = 64 };

/* The files that are being read, the innermost first. */
struct chain {
	const struct chain *outer;
	const char *path; /* below the root */
	unsigned int depth;
	unsigned int *left; /* files that may still be read */
};

static bool is_within(const struct chain *chain, const char *path)
{
	for (; chain; chain = chain->outer)
		if (!strcmp(chain->path, path))
			return true;
	return false;
}

/* What stands behind the next . or source of a line; NULL: none does. */
static const char *next_operand(const char *line, const char *at,
				const char *end)
{
	for (; at < end; at++) {
		if (*at == '#')
			return NULL;
		if (at > line && !strchr(" \t;", at[-1]))
			continue;
		if (end - at > 2 && *at == '.' && at[1] == ' ')
			return at + 2;
		if (end - at > 7 && !strncmp(at, "source ", 7))
			return at + 7;
	}
	return NULL;
}

/* A word without its quotes as a pattern of la_env_seek_path(). */
static bool read_word(const char *word, const char *end, struct la_strbuf *out)
{
	for (; word < end && !strchr(" \t;&|)", *word); word++)
		if (*word != '"' && *word != '\'')
			la_strbuf_add(out, word, 1);
	if (!out->length || out->failed)
		return false;
	if (!strncmp(out->data, "$HOME/", 6)) {
		memmove(out->data + 1, out->data + 5, out->length - 4);
		*out->data = '~';
	}
	return (*out->data == '/' || !strncmp(out->data, "~/", 2)) &&
	       !strpbrk(out->data, "$*?`[");
}

static void seek_in(const struct la_env_seeker *s, const struct chain *chain,
		    const struct la_env_place *place);

static void seek_one(const struct la_env_seeker *s, const struct chain *outer,
		     const char *pattern, const struct la_env_place *place)
{
	struct la_strbuf path = { 0 };
	struct chain chain = { outer, NULL, outer->depth + 1, outer->left };

	if (la_env_seek_path(s, pattern, &path) &&
	    !is_within(outer, path.data) && chain.depth < INCLUDED_DEPTH &&
	    !la_env_is_startup(pattern) && *outer->left &&
	    la_env_find_in(s->finder, path.data, place)) {
		--*outer->left;
		chain.path = path.data;
		seek_in(s, &chain, place);
	}
	la_strbuf_release(&path);
}

static void seek_in(const struct la_env_seeker *s, const struct chain *chain,
		    const struct la_env_place *place)
{
	struct la_strbuf text = { 0 }, word;
	const char *line, *end, *at;

	if (la_env_file_read(s->search->root, chain->path, &text) < 0) {
		la_strbuf_release(&text);
		return;
	}
	for (line = la_strbuf_text(&text); *line; line = end + !!*end) {
		end = line + strcspn(line, "\n");
		for (at = line; (at = next_operand(line, at, end));) {
			word = (struct la_strbuf){ 0 };
			if (read_word(at, end, &word))
				seek_one(s, chain, word.data, place);
			la_strbuf_release(&word);
		}
	}
	la_strbuf_release(&text);
}

void la_env_seek_included(const struct la_env_seeker *s, const char *pattern,
			  const struct la_env_place *place)
{
	struct la_env_place included = *place;
	struct la_strbuf path = { 0 };
	unsigned int left = MOST_INCLUDED;
	struct chain chain = { .left = &left };

	if (included.part == LA_ENV_TAKES_PART)
		included.part = LA_ENV_MAY_TAKE_PART;
	if (!strchr(pattern, '*') && la_env_seek_path(s, pattern, &path)) {
		chain.path = path.data;
		seek_in(s, &chain, &included);
	}
	la_strbuf_release(&path);
}
