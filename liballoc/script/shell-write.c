// SPDX-License-Identifier: Apache-2.0
/*
 * Commands that write files: echo x >>~/.bashrc, cat >x <<END, tee.  What they
 * write is read as who reads such a file takes it, and acts later.
 */
#include <errno.h>
#include <string.h>

#include "script/shell.h"
#include "script/written.h"
#include "util/util.h"

enum {
	LONGEST_FILE = 1 << 20, /* bytes */
	READING_COSTS = 5000 /* of the shell's budget: the reader has its own */
};

/* Who has what a file sets, by its kind; others: what is started with it. */
static const char *audience(enum la_script_kind kind)
{
	if (kind <= LA_SCRIPT_TCSH)
		return "new shells that read it";
	if (kind == LA_SCRIPT_ENVIRONMENT || kind == LA_SCRIPT_PAM_ENV)
		return "those who log in after this";
	return "what is started with it";
}

/* The places from before on act when the file is read. */
static void act_later(struct shell *shell, const struct node *node,
		      const char *path, enum la_script_kind kind,
		      const struct text *text, size_t before)
{
	/* What stands there already may be part of it. */
	bool whole = !strchr(la_strbuf_text(&text->bytes), '$'), value;
	const struct la_script_assignment *a;
	size_t i;

	for (i = before; (a = la_script_peek(shell->script, i)); i++) {
		value = a->fate == LA_SCRIPT_ARRIVES && a->value && whole;
		la_script_say(shell->script, shell->part, i,
			      LA_SCRIPT_ACTS_LATER, node->start, node->end,
			      "this line writes it to %s: %s will have %s%s%s, "
			      "programs started from here do not",
			      path, audience(kind), value ? "'" : "",
			      value ? a->value : "what it gives",
			      value ? "'" : "");
		la_script_change(shell->script, i, NULL, LA_SCRIPT_LOST);
	}
	la_shell_adopt(shell, before);
}

/* Where a text stands as it is in what is evaluated; false: nowhere. */
static bool stands_at(const struct shell *shell, const struct node *node,
		      const struct text *text, size_t *start)
{
	size_t length = text->bytes.length, end = shell->part->length;
	const char *at;

	while (length && text->bytes.data[length - 1] == '\n')
		length--;
	if (!length || !shell->part->exact || node->start >= end)
		return false;
	at = memmem(shell->part->text + node->start, end - node->start,
		    text->bytes.data, length);
	*start = at ? (size_t)(at - shell->part->text) : 0;
	return at;
}

static bool may_read(struct shell *shell, const struct text *text)
{
	size_t costs = READING_COSTS + text->bytes.length;

	if (la_script_files(shell->script)->reading || shell->budget < costs)
		return false;
	shell->budget -= costs;
	return true;
}

/* As its reader takes what was written. */
static void read_written(struct shell *shell, const struct node *node,
			 const char *path, const struct text *text)
{
	struct la_script_files *files = la_script_files(shell->script);
	struct la_script_part part = {
		.text = la_strbuf_text(&text->bytes),
		.length = text->bytes.length,
		.offset = shell->part->offset,
	};
	size_t before = la_script_count(shell->script), start = node->start;
	enum la_script_kind kind;

	if (la_script_kind_guess(&kind, path, part.text, part.length))
		return;
	if (text->unknown || !may_read(shell, text)) {
		la_shell_lost(shell, node->start, node->end,
			      LA_SCRIPT_ACTS_LATER,
			      "this is written to a file, with what only "
			      "running it could tell");
		return;
	}
	part.exact = stands_at(shell, node, text, &start);
	if (shell->part->exact)
		part.offset += start;
	files->reading = true;
	if (la_script_nested(shell->script, kind, &part, NULL) == -ENOMEM)
		shell->error = -ENOMEM;
	files->reading = false;
	act_later(shell, node, path, kind, text, before);
}

static void keep(struct shell *shell, const char *path, bool add,
		 const struct text *text)
{
	struct la_script_file *file = la_script_file_open(shell->script, path,
							  add);

	if (!file)
		return;
	if (file->text.length + text->bytes.length > LONGEST_FILE)
		file->known = false;
	else
		la_strbuf_add(&file->text, la_strbuf_text(&text->bytes),
			      text->bytes.length);
	file->known &= !text->unknown && !file->text.failed;
	file->doubtful |= shell->doubt > 0;
}

static bool word_path(const struct shell *shell, size_t start, size_t end,
		      const struct text *text, struct la_strbuf *path)
{
	const char *word = text->unknown ? shell->part->text + start :
					   la_strbuf_text(&text->bytes);

	return end <= shell->part->length &&
	       la_script_path(word,
			      text->unknown ? end - start : text->bytes.length,
			      path);
}

static void write_text(struct shell *shell, const struct node *node,
		       const char *path, bool add, const struct text *text)
{
	if (!strncmp(path, "/dev/", 5))
		return;
	keep(shell, path, add, text);
	read_written(shell, node, path, text);
}

/* Where standard output goes last; NULL: not to a file. */
static const struct redirect *output_of(const struct shell *shell,
					const struct node *node)
{
	const struct redirect *r, *last = NULL;
	char first;

	for (r = node->redirects; r; r = r->next) {
		first = shell->part->text[r->start];
		if (r->operator[0] == '>' && r->operator[1] != '&' &&
		    r->target && (first == '>' || first == '1'))
			last = r;
	}
	return last;
}

/* To the file that output is redirected to. */
static void write_to(struct shell *shell, const struct node *node,
		     const struct redirect *r, const struct text *text)
{
	struct la_strbuf path = { 0 };
	struct text name = { 0 };

	la_shell_text(shell, r->target, &name, false);
	if (word_path(shell, r->target->start, r->target->end, &name, &path))
		write_text(shell, node, path.data, !strcmp(r->operator, ">>"),
			   text);
	la_strbuf_release(&path);
	la_strbuf_release(&name.bytes);
}

/* Here-documents. */

struct document {
	struct shell *shell;
	const char *at, *end;
	struct text *text;
	bool unknown; /* in the line at hand */
};

/* A piece that only running could tell stays one in the file. */
static void add_unknown(struct document *d, const char *end)
{
	static const char piece[] = "${unknown}";

	la_text_add(d->text, piece, strlen(piece));
	d->unknown = true;
	d->at = end;
}

static const char *behind(const struct document *d, const char *open,
			  char closing)
{
	const char *close = memchr(open, closing, d->end - open);

	return close ? close + 1 : d->end;
}

static bool is_name_byte(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

static size_t name_length(const char *at, const char *end)
{
	size_t n = 0;

	while (at + n < end && is_name_byte(at[n]) &&
	       (n || at[n] < '0' || at[n] > '9'))
		n++;
	return n;
}

static void add_parameter(struct document *d)
{
	bool brace = d->at + 1 < d->end && d->at[1] == '{';
	const char *name = d->at + 1 + brace;
	size_t n = name < d->end ? name_length(name, d->end) : 0;
	const struct state *state;

	if (name >= d->end || (!n && !brace && !strchr("(0123456789@*#?$!-",
						       *name))) {
		la_text_add(d->text, d->at++, 1);
		return;
	}
	if (!n || (brace && (name + n == d->end || name[n] != '}'))) {
		add_unknown(d, *name == '(' ? behind(d, name, ')') :
			       brace	    ? behind(d, name, '}') :
					      name + 1);
		return;
	}
	state = la_shell_state(d->shell, name, n);
	if (state->kind == VALUE_UNKNOWN) {
		add_unknown(d, name + n + brace);
		return;
	}
	if (state->kind == VALUE_KNOWN)
		la_text_add(d->text, state->text, strlen(state->text));
	d->at = name + n + brace;
}

/* What is not known matters where a variable is named. */
static void end_line(struct document *d, const char *line)
{
	size_t n;

	for (; d->unknown && line < d->end && *line != '\n'; line += n + !n) {
		n = name_length(line, d->end);
		if (n && la_script_watches(d->shell->script, line, n, false))
			d->text->unknown = true;
	}
	d->unknown = false;
}

static void add_expanded(struct document *d)
{
	const char *line = d->at;

	while (d->at < d->end) {
		if (*d->at == '\n') {
			end_line(d, line);
			line = d->at + 1;
		}
		if (*d->at == '$')
			add_parameter(d);
		else if (*d->at == '`')
			add_unknown(d, behind(d, d->at + 1, '`'));
		else if (*d->at == '\\' && d->at + 1 < d->end &&
			 strchr("$`\\\n", d->at[1])) {
			if (d->at[1] != '\n')
				la_text_add(d->text, d->at + 1, 1);
			d->at += 2;
		} else {
			la_text_add(d->text, d->at++, 1);
		}
	}
	end_line(d, line);
}

static void add_document(struct shell *shell, const struct heredoc *doc,
			 struct text *text)
{
	struct document d = { .shell = shell, .text = text };
	const char *line = shell->part->text + doc->start, *newline;
	const char *stop = shell->part->text + doc->stop;

	if (doc->stop > shell->part->length || doc->start > doc->stop) {
		text->unknown = true;
		return;
	}
	for (; line < stop; line = newline) {
		newline = doc->tabs ? memchr(line, '\n', stop - line) : NULL;
		newline = newline ? newline + 1 : stop;
		while (doc->tabs && line < newline && *line == '\t')
			line++;
		d.at = line;
		d.end = newline;
		if (doc->literal)
			la_text_add(text, line, newline - line);
		else
			add_expanded(&d);
	}
}

/* What a command gets on its standard input from the text; false: nothing. */
static bool add_input(struct shell *shell, const struct node *node,
		      struct text *text)
{
	const struct redirect *r;
	bool found = false;

	for (r = node->redirects; r; r = r->next) {
		if (r->doc) {
			add_document(shell, r->doc, text);
			found = true;
		} else if (!strcmp(r->operator, "<<<")) {
			la_shell_text(shell, r->target, text, false);
			la_text_add(text, "\n", 1);
			found = true;
		}
	}
	return found;
}

/* Commands. */

/* What a command prints; false: not one whose output is known here. */
static bool add_output(struct shell *shell, const struct node *node,
		       const struct fields *words, struct text *text)
{
	const char *name = text_at(words, 0);
	struct text *outer = shell->capture;

	if (!strcmp(name, "cat"))
		return (words->count == 1 || !strcmp(text_at(words, 1), "-")) &&
		       add_input(shell, node, text);
	if (strcmp(name, "echo") && strcmp(name, "printf"))
		return false;
	shell->capture = text;
	if (*name == 'e')
		la_shell_echo(shell, words);
	else
		la_shell_printf(shell, words);
	shell->capture = outer;
	return true;
}

bool la_shell_prints(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	const struct redirect *r = output_of(shell, node);
	struct text text = { 0 };

	if (!r)
		return false;
	if (!add_output(shell, node, words, &text))
		text.unknown = true;
	write_to(shell, node, r, &text);
	la_strbuf_release(&text.bytes);
	return true;
}

/* Is it tee, perhaps behind sudo and its options?  at: where. */
static bool find_tee(const struct fields *words, size_t *at)
{
	*at = 0;
	if (!strcmp(text_at(words, 0), "sudo"))
		for (++*at; text_at(words, *at)[0] == '-'; ++*at)
			*at += !strcmp(text_at(words, *at), "-u");
	return !strcmp(text_at(words, *at), "tee");
}

static void write_tee(struct shell *shell, const struct node *node,
		      const struct fields *words, size_t at,
		      const struct text *text)
{
	struct la_strbuf path;
	const struct field *field;
	bool add = false;

	for (at++; at < words->count; at++) {
		field = &words->at[at];
		if (text_at(words, at)[0] == '-' && !field->text.unknown) {
			add |= !strcmp(text_at(words, at), "-a") ||
			       !strcmp(text_at(words, at), "--append");
			continue;
		}
		path = (struct la_strbuf){ 0 };
		if (word_path(shell, field->start, field->end, &field->text,
			      &path))
			write_text(shell, node, path.data, add, text);
		la_strbuf_release(&path);
	}
}

bool la_shell_writes(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	struct text text = { 0 };
	bool done = false;
	size_t tee;

	if (find_tee(words, &tee)) {
		done = add_input(shell, node, &text);
		if (done)
			write_tee(shell, node, words, tee, &text);
	} else if (output_of(shell, node)) {
		done = la_shell_prints(shell, node, words) &&
		       !strcmp(text_at(words, 0), "cat");
	} else if (shell->capture && !strcmp(text_at(words, 0), "cat")) {
		done = add_output(shell, node, words, shell->capture);
	}
	la_strbuf_release(&text.bytes);
	return done;
}

bool la_shell_pipes(struct shell *shell, const struct node *node)
{
	const struct node *from = node->child, *to = from ? from->next : NULL;
	struct fields words = { 0 }, target = { 0 };
	struct node whole = *node;
	struct text text = { 0 };
	bool done = false;
	size_t tee;

	if (!to || to->next || from->kind != NODE_SIMPLE ||
	    to->kind != NODE_SIMPLE || !from->words || !to->words)
		return false;
	la_shell_fields(shell, to->words, &target);
	if (find_tee(&target, &tee) && !output_of(shell, from)) {
		la_shell_fields(shell, from->words, &words);
		done = add_output(shell, from, &words, &text);
		if (done)
			write_tee(shell, &whole, &target, tee, &text);
		la_shell_fields_release(&words);
	}
	la_shell_fields_release(&target);
	la_strbuf_release(&text.bytes);
	if (done)
		shell->status = STATUS_MAYBE;
	return done;
}

bool la_shell_group_writes(struct shell *shell, const struct node *node)
{
	const struct redirect *r = output_of(shell, node);
	struct text text = { 0 }, *outer = shell->capture;

	if (!r)
		return false;
	shell->capture = &text;
	la_shell_run(shell, node->child);
	shell->capture = outer;
	write_to(shell, node, r, &text);
	la_strbuf_release(&text.bytes);
	return true;
}

/* Files that are read. */

static struct la_script_file *file_of(const struct shell *shell,
				      const struct field *word)
{
	struct la_script_file *file = NULL;
	struct la_strbuf path = { 0 };

	if (la_script_files(shell->script)->first &&
	    word_path(shell, word->start, word->end, &word->text, &path))
		file = la_script_file(shell->script, path.data);
	la_strbuf_release(&path);
	return file;
}

const struct la_script_file *la_shell_file(const struct shell *shell,
					   const struct field *word)
{
	const struct la_script_file *file = file_of(shell, word);

	return file && file->known ? file : NULL;
}

/* Commands that leave the files that they name as they are. */
static bool only_reads(const char *name)
{
	static const char *const names[] = {
		"chmod",     "chown",	    "ls",     "cat",   "head",
		"tail",	     "grep",	    "wc",     "bash",  "sh",
		"dash",	     "zsh",	    "ksh",    "fish",  "sbatch",
		"srun",	     "salloc",	    "docker", "stat",  "test",
		"sudo",	     "env",	    "nohup",  "time",  "podman",
		"apptainer", "singularity", "less",   "more",  "file",
		"ray",	     "deepspeed",   "helm",   "kubectl"
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

void la_shell_touches(struct shell *shell, const struct fields *words)
{
	struct la_script_file *file;
	size_t i;

	if (!la_script_files(shell->script)->first ||
	    only_reads(text_at(words, 0)))
		return;
	for (i = 1; i < words->count; i++) {
		file = file_of(shell, &words->at[i]);
		if (file)
			file->known = false;
	}
}

/* The stock file of Debian and Ubuntu returns where nobody types. */
static void say_stock(struct shell *shell, const struct la_script_file *file,
		      const struct field *word, size_t before)
{
	const struct la_script_assignment *a;
	const char *name = strrchr(file->path, '/');

	if (!file->added || !name || strcmp(name, "/.bashrc"))
		return;
	for (; (a = la_script_peek(shell->script, before)); before++)
		if (a->fate == LA_SCRIPT_ARRIVES)
			la_script_say(shell->script, shell->part, before,
				      LA_SCRIPT_NEEDS_RUNNING, word->start,
				      word->end,
				      "at a prompt it arrives; in a script it "
				      "does not where ~/.bashrc returns early, "
				      "as that of Debian and Ubuntu does");
}

/* What the file sets now only running could tell. */
static void doubt_file(struct shell *shell, const struct la_script_file *file,
		       const struct field *word)
{
	const char *text = la_strbuf_text(&file->text);
	const char *end = text + file->text.length;
	size_t n;

	for (; text < end; text += n + !n) {
		n = name_length(text, end);
		if (n && la_script_watches(shell->script, text, n, false))
			la_shell_assign(shell, text, n, NULL,
					(struct place){ word->start,
							word->end },
					true);
	}
}

/* Without a folder in its name, some shells look for it along PATH. */
static bool is_found(const struct shell *shell, const struct field *word)
{
	return shell->table->has & SHELL_BRACES || word->text.unknown ||
	       strchr(la_strbuf_text(&word->text.bytes), '/');
}

bool la_shell_reads_written(struct shell *shell, const struct fields *words)
{
	const struct field *word = &words->at[1];
	const struct la_script_file *file;
	size_t before = la_script_count(shell->script);

	file = words->count > 1 ? file_of(shell, word) : NULL;
	if (!file)
		return false;
	if (!file->known || shell->depth >= LA_SCRIPT_DEPTH ||
	    strstr(la_strbuf_text(&file->text), "return") ||
	    !is_found(shell, word)) {
		doubt_file(shell, file, word);
		return false;
	}
	shell->doubt += file->doubtful;
	la_shell_read_copy(shell, la_strbuf_text(&file->text),
			   file->text.length, word->start);
	shell->doubt -= file->doubtful;
	say_stock(shell, file, word, before);
	return true;
}
