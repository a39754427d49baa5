// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdarg.h>

#include "setting/refusal.h"

/* Checks raise ValueError, broken assumptions and the C++ library this one. */
static const char *exception_of(enum la_refusal_kind kind)
{
	switch (kind) {
	case LA_REFUSAL_KEY:
	case LA_REFUSAL_BOOL:
	case LA_REFUSAL_RANGE:
		return "ValueError";
	default:
		return "RuntimeError";
	}
}

int la_refuse(struct la_refusal *refusal, const struct la_tokens *tokens,
	      size_t i, enum la_refusal_kind kind, const char *format, ...)
{
	va_list args;

	refusal->kind = kind;
	refusal->exception = exception_of(kind);
	refusal->offset = tokens->source_length;
	refusal->end = tokens->source_length;
	if (i < tokens->nr) {
		refusal->offset = tokens->token[i].offset;
		refusal->end = tokens->token[i].end;
	}
	va_start(args, format);
	la_strbuf_vaddf(&refusal->text, format, args);
	va_end(args);
	return refusal->text.failed ? -ENOMEM : -EINVAL;
}
