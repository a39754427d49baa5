/* SPDX-License-Identifier: Apache-2.0 */
/* A setting from the command line. */
#ifndef ALLOCCTL_SETTING_H
#define ALLOCCTL_SETTING_H

#include <liballoc/setting.h>

/*
 * Parse a setting that is in force from the start of a program, as a release
 * of torch does; *out is the caller's.  Returns STATUS_DONE, or another status
 * after a message, with torch's words if it refuses the setting.
 */
int setting_read(struct la_setting **out, const char *text,
		 unsigned int release);

/* The same for one that torch sees at some other time. */
int setting_read_at(struct la_setting **out, const char *text,
		    unsigned int release, enum la_set_at set_at);

#endif /* ALLOCCTL_SETTING_H */
