/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A YAML file as a tree, for readers that know every key they take.  What a
 * configuration has no use for is refused: anchors and aliases, tags, several
 * documents, a key twice, NUL bytes, and files beyond the bounds below.
 */
#ifndef LA_UTIL_YAML_H
#define LA_UTIL_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum {
	LA_YAML_BYTES = 1 << 18, /* largest file */
	LA_YAML_NODES = 1 << 14, /* most nodes, keys included */
	LA_YAML_DEPTH = 16 /* deepest nesting */
};

enum la_yaml_kind { LA_YAML_SCALAR, LA_YAML_LIST, LA_YAML_MAP };

/* One value; owns its key and what it holds. */
struct la_yaml {
	enum la_yaml_kind kind;
	uint64_t offset; /* byte of the file at which it starts */
	size_t line, column; /* the same place, counted from 1 */
	char *text; /* of a scalar, terminated; NULL for others */
	struct la_yaml *key; /* scalar; NULL unless it is in a map */
	struct la_yaml *first; /* of a list or map; NULL: empty */
	struct la_yaml *next; /* in the same list or map */
};

/*
 * The tree of a text, or of the file at path; release with la_yaml_free().
 * 0; -EBADMSG with line and column in err; -EFBIG beyond the bounds; -ENOTSUP
 * in a build without libyaml; -ENOMEM; for a file also what reading it gave.
 */
int la_yaml_parse(struct la_yaml **out, const char *text, size_t length,
		  struct la_error *err);
int la_yaml_read(struct la_yaml **out, const char *path, struct la_error *err);

void la_yaml_free(struct la_yaml *node);

/* Fill err with what is wrong at a node, and return -EBADMSG. */
int la_yaml_bad(const struct la_yaml *node, struct la_error *err,
		const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A number without a sign, at most 1e15, and nothing after it. */
int la_yaml_number(const struct la_yaml *node, double *out,
		   struct la_error *err);

#endif /* LA_UTIL_YAML_H */
