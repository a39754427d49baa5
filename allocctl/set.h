/* SPDX-License-Identifier: Apache-2.0 */
/* Where allocctl set writes a setting, and how. */
#ifndef ALLOCCTL_SET_H
#define ALLOCCTL_SET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include <liballoc/script.h>

#include "util/strbuf.h"

/* Who reads the line, and all that is said of it. */
struct set_target {
	const char *name; /* of --shell */
	enum la_script_kind kind; /* that writes the line */
	/* Of a command that takes NAME='value' as a word; NULL: the line of
	 * the kind stands alone. */
	const char *before, *after;
	const char *user, *system; /* files to keep it in; NULL: none */
	const char *comment; /* begins one; NULL: such files are not edited */
	const char *header; /* of the section that the line goes into */
	const char *where; /* the line belongs */
	const char *restart; /* what has to start anew */
	const char *check; /* options of allocctl verify, or NULL */
};

/* The target of a word, or NULL. */
const struct set_target *set_target_find(const char *name);

/* That of a kind of file that can be edited, or NULL. */
const struct set_target *set_target_of_kind(enum la_script_kind kind);

/* The line of a target that has a command around it, to be freed: NAME=VALUE
 * out of the line that exports it; NULL: no memory. */
char *set_target_wrap(const struct set_target *target, const char *line);

/* Words of --shell, for messages. */
void set_target_names(struct la_strbuf *names);

/* A block of lines that are ours, between two marks. */
struct set_block {
	const struct set_target *target;
	const char *variable;
	const char *lines; /* without a last newline */
};

/* What an edit makes of a text. */
struct set_edit {
	struct la_strbuf text;
	size_t line; /* of the block, from 1; 0: there is none now */
	size_t last_line; /* of the block */
	bool had_block; /* before */
	size_t old_lines, old_length; /* bytes of the text: what it held */
	bool empty; /* nothing is left of a file that was made for it */
};

/*
 * Put the block into a text, or for lines NULL take it out.  is_new: the file
 * was not there.  0, -EBADMSG if marks are damaged, -EINVAL if the lines hold
 * marks themselves, or -ENOMEM.
 */
int set_block_edit(struct set_edit *edit, const struct set_block *block,
		   const char *text, size_t length, bool is_new);

/* A file that is held against others who edit files of its folder. */
struct set_file {
	char path[PATH_MAX]; /* behind links */
	int folder; /* locked; -1: none */
	int fd; /* of the file; -1: it is not there */
	bool exists;
	struct stat stat; /* if it exists */
	char *text; /* owned */
	size_t length;
};

/* A status, after a message if it is not STATUS_DONE. */
int set_file_open(struct set_file *file, const char *path, bool force);
int set_file_backup(const struct set_file *file);
int set_file_replace(const struct set_file *file, const char *text,
		     size_t length);
int set_file_remove(const struct set_file *file);
/* Drop the backup if the text is what it holds. */
void set_file_drop_backup(const struct set_file *file, const char *text,
			  size_t length);
void set_file_close(struct set_file *file);

/* Give an open file the attributes and lists of access of another, and no
 * others; false with errno set. */
bool set_file_attributes(int from, int to);

/* What was asked. */
struct set_request {
	const char *setting, *variable, *shell, *torch;
	const char *path; /* of the file to edit, or NULL */
	int persist; /* enum set_persist */
	bool apply, undo, force;
};

enum set_persist { SET_SESSION, SET_USER, SET_SYSTEM };

/* Is there one to write to for good? A status, after a message if not. */
int set_check_place(const struct set_request *request,
		    const struct set_target *target);

/*
 * Edit the file, or on Windows the registry, for the target; lines NULL: undo.
 * A status.
 */
int set_apply(const struct set_request *request,
	      const struct set_target *target, const char *lines);

/* Where it would be written, in PATH_MAX bytes; false: nowhere. */
bool set_path(char *path, const struct set_request *request,
	      const struct set_target *target);

/* The name of the shell that started this program, as far as that is told. */
const char *set_calling_shell(void);

#endif /* ALLOCCTL_SET_H */
