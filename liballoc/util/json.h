/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON writer that keeps nothing but the nesting: every value goes straight
 * to a sink.  Commas and quotes are its business, so output is well-formed as
 * long as begins and ends match and every member of an object has a key.
 */
#ifndef LA_UTIL_JSON_H
#define LA_UTIL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

/* Take length bytes; 0 or -errno. */
typedef int la_json_sink(void *arg, const char *data, size_t length);

enum { LA_JSON_DEPTH = 64 };

struct la_json {
	la_json_sink *sink;
	void *arg;
	uint64_t started; /* bit d: the container at depth d has a member */
	unsigned int depth; /* containers that are open */
	bool after_key; /* a key was written, its value was not */
	int err; /* first failure of the sink, or -EOVERFLOW for depth */
};

void la_json_init(struct la_json *json, la_json_sink *sink, void *arg);

/* A sink that appends to a struct la_strbuf. */
int la_json_to_strbuf(void *arg, const char *data, size_t length);

void la_json_object_begin(struct la_json *json);
void la_json_object_end(struct la_json *json);
void la_json_array_begin(struct la_json *json);
void la_json_array_end(struct la_json *json);
void la_json_key(struct la_json *json, const char *name);

/* What is not UTF-8 becomes U+FFFD, one for each byte. */
void la_json_string(struct la_json *json, const char *text, size_t length);
void la_json_text(struct la_json *json, const char *text); /* NULL: null */
void la_json_int(struct la_json *json, int64_t value);
void la_json_uint(struct la_json *json, uint64_t value);

/* Shortest form that reads back as the same value; NaN, infinity: null. */
void la_json_double(struct la_json *json, double value);
void la_json_bool(struct la_json *json, bool value);
void la_json_null(struct la_json *json);

/* A member of an object: its key, and the value as above. */
void la_json_member_text(struct la_json *json, const char *name,
			 const char *text);
void la_json_member_uint(struct la_json *json, const char *name,
			 uint64_t value);
void la_json_member_double(struct la_json *json, const char *name,
			   double value);
void la_json_member_bool(struct la_json *json, const char *name, bool value);
void la_json_member_null(struct la_json *json, const char *name);

/* ... null unless it is known. */
void la_json_member_known_uint(struct la_json *json, const char *name,
			       bool known, uint64_t value);
void la_json_member_known_double(struct la_json *json, const char *name,
				 bool known, double value);

#endif /* LA_UTIL_JSON_H */
