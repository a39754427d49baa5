/* SPDX-License-Identifier: Apache-2.0 */
/* What to say about a string besides torch's verdict. */
#ifndef LA_SETTING_REMARK_H
#define LA_SETTING_REMARK_H

#include <liballoc/setting.h>

#include "setting/refusal.h"
#include "setting/tokenizer.h"

/* Zero-initialised: none. */
struct la_remarks {
	struct la_setting_remark *remark; /* each owns its text */
	size_t nr, capacity;
	bool failed; /* a remark is missing for want of memory */
};

void la_remarks_release(struct la_remarks *remarks);

/* A remark on the bytes from offset up to end. */
void la_remark(struct la_remarks *remarks, enum la_setting_code code,
	       size_t offset, size_t end, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * Remarks on a word that is read as a number but is more or other than one;
 * the value, or 0 where there is none.
 */
uint64_t la_remark_integer(struct la_remarks *remarks,
			   const struct la_token *token);
void la_remark_double(struct la_remarks *remarks, const struct la_token *token);

/* What torch accepts but ignores or misreads; 0 or -ENOMEM. */
int la_remark_accepted(struct la_remarks *remarks,
		       const struct la_tokens *tokens,
		       const struct la_setting_values *values,
		       const struct la_setting_context *context);

/* Why it was refused, or the cure, where that can be told; 0 or -ENOMEM. */
int la_remark_refused(struct la_remarks *remarks,
		      const struct la_tokens *tokens,
		      const struct la_refusal *refusal,
		      const struct la_setting_context *context);

/* What shows before the string is cut into tokens. */
void la_remark_written(struct la_remarks *remarks,
		       const struct la_tokens *tokens, bool accepted,
		       const struct la_setting_context *context);

/* In the order of their offsets, then of their codes, then of their texts. */
void la_remarks_sort(struct la_remarks *remarks);

#endif /* LA_SETTING_REMARK_H */
