// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "util/c-locale.h"

bool la_c_locale_enter(struct la_c_locale *locale)
{
	locale->mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
	locale->own = locale->previous = strdup(setlocale(LC_ALL, NULL));
	if (locale->own && setlocale(LC_ALL, "C"))
		return true;
	free(locale->own);
	_configthreadlocale(locale->mode);
	return false;
}

void la_c_locale_leave(struct la_c_locale *locale)
{
	int error = errno;

	setlocale(LC_ALL, locale->previous);
	free(locale->own);
	_configthreadlocale(locale->mode);
	errno = error;
}
