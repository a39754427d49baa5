// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <wchar.h>

#include <windows.h>

#include "registry.h"

#define MACHINE \
	L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"

/* What was there before; a value without a type: there was none. */
#define KEPT L"Software\\liballoc\\Before"

/* A value as the registry holds it. */
struct held {
	DWORD type, size;
	BYTE *data; /* owned */
};

static int code_of(LONG error)
{
	switch (error) {
	case ERROR_SUCCESS:
		return 0;
	case ERROR_FILE_NOT_FOUND:
		return -ENOENT;
	case ERROR_ACCESS_DENIED:
		return -EACCES;
	case ERROR_OUTOFMEMORY:
		return -ENOMEM;
	}
	return -EIO;
}

/* As UTF-16; release with free(). */
static int widen(wchar_t **out, const char *text)
{
	int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1,
				       NULL, 0);

	if (!size)
		return -EINVAL;
	*out = calloc((size_t)size, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	MultiByteToWideChar(CP_UTF8, 0, text, -1, *out, size);
	return 0;
}

static int open_key(HKEY *key, bool machine, bool kept)
{
	const wchar_t *path = kept    ? KEPT :
			      machine ? MACHINE :
					L"Environment";

	return code_of(RegCreateKeyExW(
		machine ? HKEY_LOCAL_MACHINE : HKEY_CURRENT_USER, path, 0,
		NULL, 0, KEY_READ | KEY_SET_VALUE, NULL, key, NULL));
}

static int read_held(HKEY key, const wchar_t *name, struct held *held)
{
	int ret = code_of(RegQueryValueExW(key, name, NULL, &held->type, NULL,
					   &held->size));

	if (ret)
		return ret;
	held->data = calloc(1, held->size + 1);
	if (!held->data)
		return -ENOMEM;
	ret = code_of(RegQueryValueExW(key, name, NULL, &held->type,
				       held->data, &held->size));
	if (ret)
		free(held->data);
	return ret;
}

/* Remove what need not be there. */
static int remove_value(HKEY key, const wchar_t *name)
{
	int ret = code_of(RegDeleteValueW(key, name));

	return ret == -ENOENT ? 0 : ret;
}

/* Before the first change: keep what is there now. */
static int keep(HKEY key, HKEY kept, const wchar_t *name)
{
	struct held held = { .type = REG_NONE };
	int ret = code_of(RegQueryValueExW(kept, name, NULL, NULL, NULL, NULL));

	if (ret != -ENOENT)
		return ret;
	ret = read_held(key, name, &held);
	if (ret && ret != -ENOENT)
		return ret;
	ret = code_of(RegSetValueExW(kept, name, 0, held.type, held.data,
				     held.data ? held.size : 0));
	free(held.data);
	return ret;
}

/* So that Explorer gives it to programs that it starts from now on. */
static void broadcast(void)
{
	DWORD_PTR result;

	SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0,
			    (LPARAM)L"Environment", SMTO_ABORTIFHUNG, 5000,
			    &result);
}

static int put(HKEY key, const wchar_t *name, const wchar_t *value)
{
	if (!value)
		return remove_value(key, name);
	return code_of(RegSetValueExW(
		key, name, 0, REG_SZ, (const BYTE *)value,
		(DWORD)((wcslen(value) + 1) * sizeof(*value))));
}

static int put_back(HKEY key, HKEY kept, const wchar_t *name)
{
	struct held held = { 0 };
	int ret = read_held(kept, name, &held);

	if (ret)
		return ret;
	if (held.type == REG_NONE)
		ret = remove_value(key, name);
	else
		ret = code_of(RegSetValueExW(key, name, 0, held.type,
					     held.data, held.size));
	free(held.data);
	return ret ? ret : remove_value(kept, name);
}

static int change(bool machine, const wchar_t *name, const wchar_t *value,
		  bool undo)
{
	HKEY key, kept;
	int ret = open_key(&key, machine, false);

	if (ret)
		return ret;
	ret = open_key(&kept, machine, true);
	if (!ret) {
		ret = undo ? put_back(key, kept, name) :
			     keep(key, kept, name);
		if (!ret && !undo)
			ret = put(key, name, value);
		RegCloseKey(kept);
	}
	RegCloseKey(key);
	if (!ret)
		broadcast();
	return ret;
}

int registry_set(bool machine, const char *variable, const char *value)
{
	wchar_t *name, *wide = NULL;
	int ret = widen(&name, variable);

	if (ret)
		return ret;
	ret = value ? widen(&wide, value) : 0;
	if (!ret)
		ret = change(machine, name, wide, false);
	free(wide);
	free(name);
	return ret;
}

int registry_undo(bool machine, const char *variable)
{
	wchar_t *name;
	int ret = widen(&name, variable);

	if (ret)
		return ret;
	ret = change(machine, name, NULL, true);
	free(name);
	return ret;
}
