/* SPDX-License-Identifier: Apache-2.0 */
/* Which torch a python would import, found without running it. */
#ifndef ALLOCCTL_TORCH_FIND_H
#define ALLOCCTL_TORCH_FIND_H

#include <liballoc/setting.h>

struct torch_found {
	unsigned int release; /* LA_RELEASE(); the newest known if newer */
	bool newer; /* than any that the library knows */
	enum la_build build;
	char version[64]; /* as torch itself says */
	char path[4096]; /* of torch/version.py */
	char why[4352]; /* none was found; empty: one was */
};

/*
 * python: an interpreter or the folder of an environment; NULL: the active
 * environment, else python3 or python on PATH.  Returns a status, after one
 * line on stderr where it is not STATUS_DONE.
 */
int torch_find(struct torch_found *found, const char *python);

/* The same without a word on stderr: false, and why is filled. */
bool torch_seek(struct torch_found *found, const char *python);

/* That of a library which a process has loaded, below a root. */
bool torch_seek_library(struct torch_found *found, const char *root,
			const char *library);

#endif /* ALLOCCTL_TORCH_FIND_H */
