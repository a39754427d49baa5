/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over the options of a string that torch accepts. */
#ifndef LA_SETTING_SCAN_H
#define LA_SETTING_SCAN_H

#include <stddef.h>

#include "setting/remark.h"
#include "setting/table.h"

#define LA_FIELD(name) offsetof(struct la_setting_values, name)

struct la_pair {
	const struct la_option *option;
	size_t key, value, last; /* tokens; last: of the value */
};

struct la_scan {
	struct la_remarks *remarks;
	const struct la_tokens *tokens;
	const struct la_setting_values *values;
	const struct la_setting_context *context;
	/* By field: the last pair that set it, option NULL if none did. */
	struct la_pair seen[sizeof(struct la_setting_values)];
};

/* A remark on the pair that set a field, if there is one. */
void la_remark_field(struct la_scan *s, size_t field, enum la_setting_code code,
		     const char *text);

/* What the release, the platform and the moment make of the values. */
void la_remark_situation(struct la_scan *s);

#endif /* LA_SETTING_SCAN_H */
