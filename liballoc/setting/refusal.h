/* SPDX-License-Identifier: Apache-2.0 */
/* Why torch refuses a string: its own words, and the token it means. */
#ifndef LA_SETTING_REFUSAL_H
#define LA_SETTING_REFUSAL_H

#include <liballoc/setting.h>

#include "setting/tokenizer.h"
#include "util/strbuf.h"

/* What the text of a refusal says went wrong; selects the hint. */
enum la_refusal_kind {
	LA_REFUSAL_NONE,
	LA_REFUSAL_KEY, /* unknown option */
	LA_REFUSAL_BOOL, /* neither True nor False */
	LA_REFUSAL_NUMBER, /* not a number */
	LA_REFUSAL_OVERFLOW, /* a number that does not fit its type */
	LA_REFUSAL_RANGE, /* a value that the option does not take */
	LA_REFUSAL_BACKEND, /* not the backend chosen at import */
	LA_REFUSAL_SEPARATOR, /* another token where a separator should be */
	LA_REFUSAL_END /* the string ends too early */
};

struct la_refusal {
	enum la_refusal_kind kind;
	const char *exception; /* type that Python code sees */
	struct la_strbuf text; /* whole, one line */
	size_t offset; /* of the token, or the string's length */
	size_t end; /* just past the token */
	bool at_import; /* raised while torch is loaded, which aborts it */
};

/*
 * Set a refusal of token i, which may lie past the last one; returns -EINVAL
 * or -ENOMEM.
 */
int la_refuse(struct la_refusal *refusal, const struct la_tokens *tokens,
	      size_t i, enum la_refusal_kind kind, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The type that Python code sees, from kind, release and moment. */
void la_refusal_set_exception(struct la_refusal *refusal,
			      const struct la_setting_context *context);

#endif /* LA_SETTING_REFUSAL_H */
