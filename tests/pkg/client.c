// SPDX-License-Identifier: Apache-2.0
/* A program outside the tree: also compiled as C++. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <liballoc/setting.h>
#include <liballoc/version.h>

int main(void)
{
	const char *text = "max_split_size_mb:128";
	struct la_setting *setting;

	if (la_setting_parse(&setting, text, strlen(text), LA_SET_AT_IMPORT,
			     NULL) < 0)
		return 1;
	printf("%s %" PRIu64 "\n", LA_VERSION,
	       la_setting_values(setting)->max_split_size);
	la_setting_free(setting);
	return 0;
}
