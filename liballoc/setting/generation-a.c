// SPDX-License-Identifier: Apache-2.0
/*
 * Releases 1.9 to 1.13 cut the string into pieces and each piece into fields;
 * a piece of one field is passed over in silence.
 */
#include "setting/parser.h"
#include "util/util.h"

/* Without a check, and without a guard against overflow. */
static int parse_mb(struct la_parser *p, const struct la_option *option,
		    size_t i)
{
	uint64_t mb;
	int err;

	err = la_parser_stoi(p, i, &mb);
	if (!err)
		*(uint64_t *)la_parser_field(p, option) = mb * MIB;
	return err;
}

static int parse_value(struct la_parser *p, const struct la_option *option,
		       size_t i)
{
	switch (option->kind) {
	case LA_OPTION_MB_FROM_LARGE:
		return la_parser_mb_above_large(p, option, i);
	case LA_OPTION_THRESHOLD:
		return la_parser_open_share(p, option, i);
	case LA_OPTION_ROUNDUP:
		return la_parser_divisions(p, option, i);
	default:
		return parse_mb(p, option, i);
	}
}

int la_parse_generation_a(struct la_parser *p)
{
	size_t i;
	int err;

	la_options_start_anew(p->context->release, p->values);
	for (i = 0; i < p->tokens->nr; i += 4) {
		const struct la_option *option = la_parser_option(p, i);

		if (!option)
			return la_parser_refuse(p, i, LA_REFUSAL_KEY,
						"Unrecognized CachingAllocator "
						"option: %s",
						p->tokens->token[i].text);
		err = parse_value(p, option, i + 2);
		if (err < 0)
			return err;
	}
	return 0;
}
