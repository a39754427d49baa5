// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdarg.h>

#include "setting/refusal.h"

/*
 * From 2.10 on checks raise ValueError, broken assumptions RuntimeError; the
 * setter translates the C++ library's exceptions, CUDA's start does not.
 */
void la_refusal_set_exception(struct la_refusal *refusal,
			      const struct la_setting_context *context)
{
	bool setter = context->set_at == LA_SET_AT_RUNTIME;

	refusal->exception = "RuntimeError";
	if (context->release < LA_RELEASE(2, 10))
		return;
	switch (refusal->kind) {
	case LA_REFUSAL_KEY:
	case LA_REFUSAL_BOOL:
	case LA_REFUSAL_RANGE:
		refusal->exception = "ValueError";
		break;
	case LA_REFUSAL_NUMBER:
		if (setter)
			refusal->exception = "ValueError";
		break;
	case LA_REFUSAL_OVERFLOW:
		if (setter)
			refusal->exception = "IndexError";
		break;
	default:
		break;
	}
}

int la_refuse(struct la_refusal *refusal, const struct la_tokens *tokens,
	      size_t i, enum la_refusal_kind kind, const char *format, ...)
{
	va_list args;

	refusal->kind = kind;
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
