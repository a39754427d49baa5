/* SPDX-License-Identifier: Apache-2.0 */
/* What the three generations of parsers share. */
#ifndef LA_SETTING_PARSER_H
#define LA_SETTING_PARSER_H

#include <liballoc/setting.h>

#include "setting/refusal.h"
#include "setting/table.h"
#include "setting/tokenizer.h"

enum { LA_THREADS_MAX = 128 };

struct la_parser {
	const struct la_setting_context *context;
	const struct la_tokens *tokens;
	struct la_setting_values *values; /* set as far as it was read */
	struct la_refusal *refusal;
	const char *backend; /* chosen while torch was loaded */
	uint64_t large_mb; /* large_segment_size_mb */
};

/*
 * Each: 0; -EINVAL with the refusal filled; or -ENOMEM.  Options have started
 * anew when -EINVAL is returned, and those read before the error are set.
 */
int la_parse_generation_a(struct la_parser *p);
int la_parse_generation_b(struct la_parser *p);
int la_parse_generation_c(struct la_parser *p);

/*
 * Index of the last token of the value of the key at i, as generation C steps
 * over options; SIZE_MAX where the string ends before that.
 */
size_t la_skip_key(const struct la_tokens *tokens, size_t i);

static inline bool la_parser_ends_at(const struct la_parser *p, size_t i)
{
	return i >= p->tokens->nr;
}

const struct la_option *la_parser_option(const struct la_parser *p, size_t i);
void *la_parser_field(struct la_parser *p, const struct la_option *option);

/* Refuse token i, which may lie past the last one. */
#define la_parser_refuse(p, i, kind, ...) \
	la_refuse((p)->refusal, (p)->tokens, i, kind, __VA_ARGS__)

/* What torch takes for granted; where it is wrong, its text says which line. */
enum la_assumption {
	LA_ASSUMED_BACKEND, /* the backend is the one chosen at load time */
	LA_ASSUMED_TOKEN, /* there is a token to compare or to convert */
	LA_ASSUMED_INDEX, /* there is a token to look at */
	LA_ASSUMED_BRACKET, /* a list that is stepped over ends */
	LA_ASSUMED_LIST_END /* a list that is read ends */
};

int la_parser_broken(struct la_parser *p, size_t i, enum la_refusal_kind kind,
		     enum la_assumption assumption, const char *text);

/* Token i, which exists, as the C++ library's functions read it. */
int la_parser_stoi(struct la_parser *p, size_t i, uint64_t *out);
int la_parser_stoul(struct la_parser *p, size_t i, uint64_t *out);
int la_parser_stoull(struct la_parser *p, size_t i, uint64_t *out);
int la_parser_stod(struct la_parser *p, size_t i, double *out);

bool la_is_power_of_two(uint64_t value);
uint64_t la_bytes_of_mb(uint64_t mb);

/* The driver's backend as this build calls it. */
const char *la_parser_async_name(const struct la_parser *p);

/* Whether a word is one of the names of the driver's backend. */
bool la_parser_is_async(const struct la_parser *p, const char *word,
			size_t length);

/*
 * Take token i for the backend: it must be known, and the one chosen while
 * torch was loaded.
 */
int la_parser_backend(struct la_parser *p, const struct la_option *option,
		      size_t i);

/* Entries of a roundup_power2_divisions list that were read so far. */
struct la_roundup {
	uint64_t *slots; /* LA_ROUNDUP_SLOTS of them */
	size_t last; /* slot of the last entry with a number for key */
	bool started; /* such an entry was read */
};

/* All slots from one on. */
void la_roundup_fill(struct la_roundup *roundup, size_t from, uint64_t value);

/* The slot of bound MiB, a power of two. */
void la_roundup_set(struct la_roundup *roundup, uint64_t bound, uint64_t value);

/* Values as generations A and B read them, of token i. */
int la_parser_mb_above_large(struct la_parser *p,
			     const struct la_option *option, size_t i);
int la_parser_open_share(struct la_parser *p, const struct la_option *option,
			 size_t i);
int la_parser_divisions(struct la_parser *p, const struct la_option *option,
			size_t i);
int la_parser_refuse_divisions(struct la_parser *p, size_t i, const char *rest);
int la_parser_refuse_bound(struct la_parser *p, size_t i);

#endif /* LA_SETTING_PARSER_H */
