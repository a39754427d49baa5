/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a text itself writes, as its later lines find them.  A path is
 * the key: as it is written, without its quotes, where its start is not known
 * ("~/.bashrc", "$CONDA_PREFIX/x.sh").
 */
#ifndef LA_SCRIPT_WRITTEN_H
#define LA_SCRIPT_WRITTEN_H

#include "script/internal.h"
#include "util/strbuf.h"

struct la_script_file {
	struct la_script_file *next;
	struct la_strbuf text;
	bool known; /* text is all that was written */
	bool added; /* behind what was there before, which nobody shows */
	bool doubtful; /* only running tells whether it was written */
	char path[];
};

/* Zero-initialised: none. */
struct la_script_files {
	struct la_script_file *first; /* owned */
	bool reading; /* the text of one is being read */
};

/* Those of a script (script.c). */
struct la_script_files *la_script_files(struct la_script *script);

/* The path that a word of a shell stands for, as a key; false: only running
 * the shell could tell. */
bool la_script_path(const char *word, size_t length, struct la_strbuf *path);

struct la_script_file *la_script_file(struct la_script *script,
				      const char *path);

/* The file, emptied first unless more is added to it; NULL: no memory. */
struct la_script_file *la_script_file_open(struct la_script *script,
					   const char *path, bool add);

/* The folder changes: names without one are of other files now. */
void la_script_files_leave(struct la_script *script);

void la_script_files_release(struct la_script_files *files);

#endif /* LA_SCRIPT_WRITTEN_H */
