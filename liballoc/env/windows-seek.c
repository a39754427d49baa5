// SPDX-License-Identifier: Apache-2.0
/* The registry: what a logon puts together, and what services are given. */
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include "env/windows-wide.h"
#include "util/strbuf.h"

#define MACHINE L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"
#define SERVICES L"SYSTEM\\CurrentControlSet\\Services"

/* A value of a key with its type, two zeros behind it; NULL: none. */
static wchar_t *read_value(HKEY key, const wchar_t *name, DWORD *type)
{
	DWORD size = 0;
	wchar_t *data;

	if (RegQueryValueExW(key, name, NULL, type, NULL, &size))
		return NULL;
	data = calloc(1, size + 2 * sizeof(*data));
	if (data && RegQueryValueExW(key, name, NULL, type, (BYTE *)data,
				     &size)) {
		free(data);
		return NULL;
	}
	return data;
}

static wchar_t *expand(const wchar_t *raw)
{
	DWORD size = ExpandEnvironmentStringsW(raw, NULL, 0);
	wchar_t *out = size ? calloc(size, sizeof(*out)) : NULL;

	if (out)
		ExpandEnvironmentStringsW(raw, out, size);
	return out;
}

static void note(struct la_env_finder *f, const char *file, const char *name,
		 const wchar_t *wide, struct la_env_place *place)
{
	char *value = la_env_narrow(wide);

	if (value)
		la_env_find_value(f, file, name, value, place);
	free(value);
}

/* REG_EXPAND_SZ: what stands there is told along with what it gives. */
static void note_expanded(struct la_env_finder *f, const char *file,
			  const char *name, const wchar_t *raw,
			  struct la_env_place *place)
{
	struct la_strbuf reader = { 0 };
	wchar_t *wide = expand(raw);
	char *text = la_env_narrow(raw);

	la_strbuf_addf(&reader, "%s; expanded from %s", place->reader,
		       text ? text : "?");
	place->reader = la_strbuf_text(&reader);
	if (wide)
		note(f, file, name, wide, place);
	la_strbuf_release(&reader);
	free(wide);
	free(text);
}

/* All values of a key that are sought. */
static void seek_key(struct la_env_finder *f, HKEY root, const wchar_t *path,
		     const char *file, enum la_env_scope scope,
		     const char *reader)
{
	wchar_t wide_name[256];
	DWORD i, type, size = 256;
	wchar_t *data;
	char *name;
	HKEY key;
	LONG ret = RegOpenKeyExW(root, path, 0, KEY_READ, &key);

	if (ret == ERROR_ACCESS_DENIED)
		la_env_find_unread(f, file, "access is denied");
	for (i = 0; !ret; i++, size = 256) {
		struct la_env_place place = { .scope = scope,
					      .part = LA_ENV_MAY_TAKE_PART,
					      .reader = reader };

		ret = RegEnumValueW(key, i, wide_name, &size, NULL, &type, NULL,
				    NULL);
		if (ret == ERROR_NO_MORE_ITEMS)
			break;
		name = ret ? NULL : la_env_narrow(wide_name);
		if (name && CharUpperA(name) && la_env_finder_wants(f, name) &&
		    (data = read_value(key, wide_name, &type))) {
			if (type == REG_EXPAND_SZ)
				note_expanded(f, file, name, data, &place);
			else
				note(f, file, name, data, &place);
			free(data);
		}
		free(name);
		ret = ret == ERROR_MORE_DATA ? 0 : ret;
	}
	if (ret == 0 || ret == ERROR_NO_MORE_ITEMS)
		RegCloseKey(key);
}

/* REG_MULTI_SZ "Environment" of one service. */
static void seek_service(struct la_env_finder *f, HKEY services,
			 const wchar_t *name)
{
	struct la_env_place place = { .scope = LA_ENV_SERVICE,
				      .part = LA_ENV_MAY_TAKE_PART,
				      .reader = "the service, when it starts" };
	struct la_strbuf file = { 0 };
	char *service = la_env_narrow(name), *entry, *equals;
	wchar_t *data = NULL, *at;
	DWORD type = 0;
	HKEY key;

	if (!RegOpenKeyExW(services, name, 0, KEY_READ, &key)) {
		data = read_value(key, L"Environment", &type);
		RegCloseKey(key);
	}
	la_strbuf_addf(&file, "HKLM\\SYSTEM\\CurrentControlSet\\Services\\%s",
		       service ? service : "?");
	for (at = data; at && type == REG_MULTI_SZ && *at;
	     at += wcslen(at) + 1) {
		entry = la_env_narrow(at);
		equals = entry ? strchr(entry, '=') : NULL;
		if (equals) {
			*equals = '\0';
			CharUpperA(entry);
			if (la_env_finder_wants(f, entry))
				la_env_find_value(f, la_strbuf_text(&file),
						  entry, equals + 1, &place);
		}
		free(entry);
	}
	la_strbuf_release(&file);
	free(data);
	free(service);
}

static void seek_services(struct la_env_finder *f)
{
	wchar_t name[256];
	DWORD i, size = 256;
	HKEY key;

	if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, SERVICES, 0, KEY_READ, &key))
		return;
	for (i = 0; !RegEnumKeyExW(key, i, name, &size, NULL, NULL, NULL, NULL);
	     i++, size = 256)
		seek_service(f, key, name);
	RegCloseKey(key);
}

void la_env_seek(struct la_env_finder *f)
{
	seek_key(f, HKEY_LOCAL_MACHINE, MACHINE,
		 "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session "
		 "Manager\\Environment",
		 LA_ENV_SYSTEM, "programs started after a logon");
	seek_key(f, HKEY_CURRENT_USER, L"Environment", "HKCU\\Environment",
		 LA_ENV_USER, "programs started after a logon");
	seek_key(f, HKEY_CURRENT_USER, L"Volatile Environment",
		 "HKCU\\Volatile Environment", LA_ENV_USER,
		 "programs started in this logon");
	seek_services(f);
}
