// SPDX-License-Identifier: Apache-2.0
/* SetEnv of sshd: what each session has, before its shell starts. */
#include <glob.h>
#include <string.h>
#include <strings.h>

#include "env/file.h"
#include "env/seek.h"

/* NAME=VALUE words, which may stand in quotes. */
static void note_words(const struct la_env_seeker *s, const char *file,
		       const char *at, const char *end,
		       const struct la_env_place *place)
{
	struct la_strbuf word;
	char *equals;
	char quote;

	for (; at < end; at++) {
		word = (struct la_strbuf){ 0 };
		quote = 0;
		for (; at < end && (quote || !strchr(" \t\r", *at)); at++) {
			if (*at == '"')
				quote ^= '"';
			else
				la_strbuf_add(&word, at, 1);
		}
		equals = word.length && !word.failed ? strchr(word.data, '=') :
						       NULL;
		if (equals) {
			*equals = '\0';
			if (la_env_finder_wants(s->finder, word.data))
				la_env_find_value(s->finder, file, word.data,
						  equals + 1, place);
		}
		la_strbuf_release(&word);
	}
}

static void read_config(const struct la_env_seeker *s, const char *file,
			const struct la_env_place *place)
{
	struct la_strbuf text = { 0 };
	const char *line, *end, *at;

	if (la_env_file_read(s->search->root, file, &text) < 0) {
		la_strbuf_release(&text);
		return;
	}
	for (line = la_strbuf_text(&text); *line; line = end + !!*end) {
		end = line + strcspn(line, "\n");
		at = line + strspn(line, " \t");
		if (end - at > 7 && !strncasecmp(at, "SetEnv", 6) &&
		    strchr(" \t=", at[6]))
			note_words(s, file, at + 7, end, place);
	}
	la_strbuf_release(&text);
}

void la_env_seek_sshd(const struct la_env_seeker *s)
{
	const char *root = s->search->root ? s->search->root : "";
	const struct la_env_place place = {
		.scope = LA_ENV_SYSTEM,
		.part = s->way.sshd  ? LA_ENV_TAKES_PART :
			s->way.known ? LA_ENV_NO_PART :
				       LA_ENV_MAY_TAKE_PART,
		.reader = "sessions of ssh through SetEnv of sshd",
	};
	struct la_strbuf pattern = { 0 };
	glob_t files = { 0 };
	size_t i;

	read_config(s, "/etc/ssh/sshd_config", &place);
	la_strbuf_addf(&pattern, "%s/etc/ssh/sshd_config.d/*.conf", root);
	if (!pattern.failed && !glob(pattern.data, 0, NULL, &files))
		for (i = 0; i < files.gl_pathc; i++)
			read_config(s, files.gl_pathv[i] + strlen(root),
				    &place);
	globfree(&files);
	la_strbuf_release(&pattern);
}
