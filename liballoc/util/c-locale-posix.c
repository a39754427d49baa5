// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <locale.h>

#include "util/c-locale.h"

bool la_c_locale_enter(struct la_c_locale *locale)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (!c)
		return false;
	locale->own = c;
	locale->previous = uselocale(c);
	return true;
}

void la_c_locale_leave(struct la_c_locale *locale)
{
	int error = errno;

	uselocale(locale->previous);
	freelocale(locale->own);
	errno = error;
}
