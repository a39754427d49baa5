// SPDX-License-Identifier: Apache-2.0
/*
 * allocctl set on Windows: the registry, from which the desktop makes the
 * environment of the programs that it starts.  What was there before is kept
 * under a key of ours, in the same hive, until it is put back.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include "cmd.h"
#include "print.h"
#include "set.h"

/* Of the registry's values, with the bytes of a longest name. */
enum { VALUE_WCHARS = 32767, NAME_WCHARS = 512, BROADCAST_MS = 2000 };

/* Where what was there before is kept, under the root of the same store. */
static const wchar_t kept[] = L"Software\\allocctl\\before";

/* Where variables are. */
struct store {
	HKEY root;
	const wchar_t *path;
};

static const struct store stores[] = {
	{ HKEY_CURRENT_USER, L"Environment" },
	{ HKEY_LOCAL_MACHINE,
	  L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment" },
};

/* A variable's value, or that there is none. */
struct value {
	DWORD type; /* REG_NONE: none */
	DWORD size; /* bytes */
	wchar_t text[VALUE_WCHARS + 1];
};

static LSTATUS read_value(HKEY root, const wchar_t *path, const wchar_t *name,
			  struct value *value)
{
	LSTATUS code;

	value->size = sizeof(value->text);
	code = RegGetValueW(root, path, name, RRF_RT_ANY | RRF_NOEXPAND,
			    &value->type, value->text, &value->size);
	if (code != ERROR_FILE_NOT_FOUND)
		return code;
	value->type = REG_NONE;
	value->size = 0;
	return ERROR_SUCCESS;
}

static LSTATUS write_value(HKEY root, const wchar_t *path, const wchar_t *name,
			   const struct value *value)
{
	LSTATUS code;

	if (value->type != REG_NONE)
		return RegSetKeyValueW(root, path, name, value->type,
				       value->text, value->size);
	code = RegDeleteKeyValueW(root, path, name);
	return code == ERROR_FILE_NOT_FOUND ? ERROR_SUCCESS : code;
}

/* Keep what is there, once; REG_BINARY of no bytes: nothing was. */
static LSTATUS keep(const struct store *store, const wchar_t *name,
		    struct value *value)
{
	LSTATUS code = read_value(store->root, kept, name, value);

	if (code != ERROR_SUCCESS || value->type != REG_NONE)
		return code;
	code = read_value(store->root, store->path, name, value);
	if (code != ERROR_SUCCESS)
		return code;
	if (value->type == REG_NONE)
		value->type = REG_BINARY;
	return write_value(store->root, kept, name, value);
}

/* Put back what was kept; *there: something was. */
static LSTATUS give_back(const struct store *store, const wchar_t *name,
			 struct value *value, bool *there)
{
	LSTATUS code = read_value(store->root, kept, name, value);

	*there = value->type != REG_NONE;
	if (code != ERROR_SUCCESS || !*there)
		return code;
	if (value->type == REG_BINARY)
		value->type = REG_NONE;
	code = write_value(store->root, store->path, name, value);
	if (code != ERROR_SUCCESS)
		return code;
	value->type = REG_NONE;
	return write_value(store->root, kept, name, value);
}

static bool widen(const char *text, wchar_t *wide, int size)
{
	return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1,
				   wide, size) > 0;
}

static LSTATUS set_value(const struct set_request *request,
			 const struct store *store, const wchar_t *name,
			 struct value *value)
{
	LSTATUS code = keep(store, name, value);

	if (code != ERROR_SUCCESS)
		return code;
	if (!widen(request->setting, value->text, VALUE_WCHARS))
		return ERROR_INVALID_PARAMETER;
	value->type = REG_SZ;
	value->size = (DWORD)((wcslen(value->text) + 1) * sizeof(wchar_t));
	return write_value(store->root, store->path, name, value);
}

/* Explorer makes the environment anew when it is told. */
static void broadcast(void)
{
	DWORD_PTR result;

	SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0,
			    (LPARAM)L"Environment", SMTO_ABORTIFHUNG,
			    BROADCAST_MS, &result);
}

static int finish(const struct set_request *request, LSTATUS code, bool there)
{
	const char *where = request->persist == SET_SYSTEM ?
				    "the system's environment" :
				    "the user's environment";

	if (code == ERROR_ACCESS_DENIED) {
		print_error("%s is not changed: it wants an administrator",
			    where);
		return STATUS_CANNOT_TELL;
	}
	if (code != ERROR_SUCCESS) {
		print_error("%s is not changed: error %ld of Windows", where,
			    (long)code);
		return STATUS_CANNOT_TELL;
	}
	if (there)
		broadcast();
	if (!there)
		printf("%s: nothing to change\n", where);
	else if (request->undo)
		printf("%s: %s is as it was\n", where, request->variable);
	else
		printf("%s: sets %s\n", where, request->variable);
	return STATUS_DONE;
}

int set_check_place(const struct set_request *request,
		    const struct set_target *target)
{
	if (!request->path && (!strcmp(target->name, "cmd") ||
			       !strcmp(target->name, "powershell")))
		return STATUS_DONE;
	print_error("files are not edited on Windows: put the line in");
	return STATUS_FINDINGS;
}

int set_apply(const struct set_request *request,
	      const struct set_target *target, const char *lines)
{
	const struct store *store = &stores[request->persist == SET_SYSTEM];
	bool there = true;
	wchar_t name[NAME_WCHARS];
	struct value *value;
	LSTATUS code;
	int status = set_check_place(request, target);

	if (status != STATUS_DONE)
		return status;
	if (!widen(request->variable, name, NAME_WCHARS)) {
		print_error("not a variable's name: '%s'", request->variable);
		return STATUS_USAGE;
	}
	value = calloc(1, sizeof(*value));
	if (!value)
		return print_no_memory();
	code = lines ? set_value(request, store, name, value) :
		       give_back(store, name, value, &there);
	free(value);
	return finish(request, code, there);
}

bool set_path(char *path, const struct set_request *request,
	      const struct set_target *target)
{
	(void)path, (void)request, (void)target;
	return false;
}

const char *set_calling_shell(void)
{
	return "cmd";
}
