// SPDX-License-Identifier: Apache-2.0
/* The environment of this process, and the one that a new logon gives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>
#include <userenv.h>

#include "env/windows-wide.h"
#include "util/error.h"
#include "util/util.h"

char *la_env_narrow(const wchar_t *wide)
{
	int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL,
				       NULL);
	char *text = size > 0 ? malloc((size_t)size) : NULL;

	if (text)
		WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL,
				    NULL);
	return text;
}

int la_env_of_wide(struct la_env **out, const wchar_t *block)
{
	struct la_env *env;
	int ret = la_env_new(&env, LA_PLATFORM_WINDOWS);
	char *entry;

	for (; ret == 0 && *block; block += wcslen(block) + 1) {
		/* The folders of drives: =C:=C:\x */
		if (*block == L'=')
			continue;
		entry = la_env_narrow(block);
		ret = entry ? la_env_add(env, entry, strlen(entry)) : -ENOMEM;
		free(entry);
		if (ret < 0)
			la_env_free(env);
	}
	if (ret == 0)
		*out = env;
	return ret;
}

LA_EXPORT int la_env_own(struct la_env **out)
{
	wchar_t *block = GetEnvironmentStringsW();
	int ret = block ? la_env_of_wide(out, block) : -ENOMEM;

	if (block)
		FreeEnvironmentStringsW(block);
	return ret;
}

LA_EXPORT int la_env_fresh(struct la_env **out, struct la_error *err)
{
	HANDLE token;
	void *block;
	int ret;

	if (!OpenProcessToken(GetCurrentProcess(),
			      TOKEN_QUERY | TOKEN_DUPLICATE, &token))
		return la_error_set(err, -EACCES, LA_NO_OFFSET,
				    "the user's token cannot be read");
	if (!CreateEnvironmentBlock(&block, token, FALSE)) {
		CloseHandle(token);
		return la_error_set(err, -EIO, LA_NO_OFFSET,
				    "Windows gives no fresh environment");
	}
	ret = la_env_of_wide(out, block);
	DestroyEnvironmentBlock(block);
	CloseHandle(token);
	if (ret < 0)
		return la_error_set(err, ret, LA_NO_OFFSET, "out of memory");
	return 0;
}
