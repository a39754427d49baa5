/* SPDX-License-Identifier: Apache-2.0 */
/* The string that was meant by one that is refused or misread. */
#ifndef LA_SETTING_CORRECT_H
#define LA_SETTING_CORRECT_H

#include <liballoc/setting.h>

/*
 * A string that torch accepts in the same situation and that says what the
 * text seems to say; options that it cannot have are left out, so that it may
 * be empty.  Released with free(); *out is NULL if there is none.  0 or
 * -ENOMEM.
 */
int la_correct(char **out, const char *text, size_t length,
	       const struct la_setting_context *context);

#endif /* LA_SETTING_CORRECT_H */
