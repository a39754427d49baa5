// SPDX-License-Identifier: Apache-2.0
/*
 * The environment of a process of Windows is where its PEB points.  Win32
 * changes it in place, so that it is the current one; what the process was
 * started with is kept nowhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>
#include <psapi.h>
#include <winternl.h>

#include "env/windows-wide.h"
#include "util/error.h"

/* Offsets in a 64-bit PEB and its process parameters. */
enum {
	PEB_PARAMETERS = 0x20,
	PARAMETERS_COMMAND_LINE = 0x70, /* UNICODE_STRING */
	PARAMETERS_ENVIRONMENT = 0x80,
	PARAMETERS_ENVIRONMENT_SIZE = 0x3f0,
	MODULES = 1024
};

typedef NTSTATUS NTAPI query_process(HANDLE, PROCESSINFOCLASS, PVOID, ULONG,
				     PULONG);

/* ntdll has it, but no import library is promised. */
static query_process *find_query(void)
{
	HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
	FARPROC found = ntdll ? GetProcAddress(ntdll,
					       "NtQueryInformationProcess") :
				NULL;

	return (query_process *)(void *)found;
}

static bool read_memory(HANDLE handle, const char *address, void *data,
			size_t size)
{
	SIZE_T got;

	return ReadProcessMemory(handle, address, data, size, &got) &&
	       got == size;
}

/* Size bytes at an address, with two wide zeros behind; NULL: not readable. */
static wchar_t *copy_memory(HANDLE handle, const char *address, size_t size)
{
	wchar_t *copy = calloc(1, size + 2 * sizeof(*copy));

	if (copy && !read_memory(handle, address, copy, size)) {
		free(copy);
		return NULL;
	}
	return copy;
}

static void read_command_line(struct la_env_process *process, HANDLE handle,
			      const char *parameters)
{
	UNICODE_STRING line;
	wchar_t *text;

	if (!read_memory(handle, parameters + PARAMETERS_COMMAND_LINE, &line,
			 sizeof(line)))
		return;
	text = copy_memory(handle, (const char *)line.Buffer, line.Length);
	if (text)
		process->arguments = la_env_narrow(text);
	free(text);
}

/* The block, no further than the pages it lies in. */
static wchar_t *copy_block(HANDLE handle, const char *parameters)
{
	MEMORY_BASIC_INFORMATION pages;
	char *address;
	size_t size, most;

	if (!read_memory(handle, parameters + PARAMETERS_ENVIRONMENT, &address,
			 sizeof(address)) ||
	    !read_memory(handle, parameters + PARAMETERS_ENVIRONMENT_SIZE,
			 &size, sizeof(size)) ||
	    !VirtualQueryEx(handle, address, &pages, sizeof(pages)))
		return NULL;
	most = (size_t)((char *)pages.BaseAddress + pages.RegionSize - address);
	if (!size || size > most)
		size = most;
	return size > LA_ENV_BYTES ? NULL : copy_memory(handle, address, size);
}

/* What it has now, or why that is not known. */
static int read_current(struct la_env_process *process, HANDLE handle,
			const char *parameters)
{
	wchar_t *block = copy_block(handle, parameters);
	int ret;

	if (!block) {
		ret = la_env_new(&process->current, LA_PLATFORM_WINDOWS);
		return ret < 0 ? ret :
				 la_env_set_unknown(process->current,
						    "its memory cannot be "
						    "read");
	}
	ret = la_env_of_wide(&process->current, block);
	free(block);
	process->current_from =
		strdup("block of Win32; a C runtime's getenv() may differ");
	return ret < 0 ? ret : process->current_from ? 0 : -ENOMEM;
}

static void read_program(struct la_env_process *process, HANDLE handle)
{
	wchar_t path[MAX_PATH];
	DWORD length = MAX_PATH;
	char *name;

	if (!QueryFullProcessImageNameW(handle, 0, path, &length))
		return;
	process->program = la_env_narrow(path);
	name = process->program ? strrchr(process->program, '\\') : NULL;
	if (name)
		process->command = strdup(name + 1);
}

/* The library of torch's CUDA allocator, if it is loaded. */
static void read_modules(struct la_env_process *process, HANDLE handle)
{
	HMODULE *module = calloc(MODULES, sizeof(*module));
	wchar_t path[MAX_PATH];
	const wchar_t *name;
	DWORD size = 0, i;

	if (module && !K32EnumProcessModules(handle, module,
					     MODULES * sizeof(*module), &size))
		size = 0;
	size /= sizeof(*module);
	for (i = 0; i < size && i < MODULES && !process->torch; i++) {
		if (!K32GetModuleFileNameExW(handle, module[i], path, MAX_PATH))
			continue;
		name = wcsrchr(path, L'\\');
		if (name && (!_wcsicmp(name, L"\\c10_cuda.dll") ||
			     !_wcsicmp(name, L"\\c10_hip.dll")))
			process->torch = la_env_narrow(path);
	}
	free(module);
}

static int not_current(struct la_env_process *process, const char *why)
{
	int ret = la_env_new(&process->current, LA_PLATFORM_WINDOWS);

	return ret < 0 ? ret : la_env_set_unknown(process->current, "%s", why);
}

static int read_peb(struct la_env_process *process, HANDLE handle)
{
	query_process *query = find_query();
	PROCESS_BASIC_INFORMATION basic;
	ULONG_PTR narrow = 0;
	char *parameters;
	ULONG size;

	if (!query || query(handle, ProcessBasicInformation, &basic,
			    sizeof(basic), &size) < 0)
		return not_current(process, "Windows does not say where it is");
	process->info.parent = (int64_t)basic.InheritedFromUniqueProcessId;
	if (query(handle, ProcessWow64Information, &narrow, sizeof(narrow),
		  &size) >= 0 &&
	    narrow)
		return not_current(process, "it is a 32-bit process");
	if (!read_memory(handle, (char *)basic.PebBaseAddress + PEB_PARAMETERS,
			 &parameters, sizeof(parameters)))
		return not_current(process, "its memory cannot be read");
	read_command_line(process, handle, parameters);
	return read_current(process, handle, parameters);
}

int la_env_process_read(struct la_env_process *process, int64_t pid,
			struct la_error *err)
{
	DWORD id = pid ? (DWORD)pid : GetCurrentProcessId();
	HANDLE handle = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ,
				    FALSE, id);
	int ret = la_env_new(&process->initial, LA_PLATFORM_WINDOWS);

	process->info.pid = id;
	if (ret == 0)
		ret = la_env_set_unknown(process->initial,
					 "Windows keeps only what it has now");
	if (!handle && GetLastError() != ERROR_ACCESS_DENIED)
		return la_error_set(err, -ESRCH, LA_NO_OFFSET,
				    "no such process");
	if (ret == 0 && !handle)
		ret = not_current(process, "access is denied");
	if (ret == 0 && handle) {
		read_program(process, handle);
		read_modules(process, handle);
		ret = read_peb(process, handle);
	}
	if (handle)
		CloseHandle(handle);
	if (ret < 0)
		return la_error_set(err, ret, LA_NO_OFFSET, "out of memory");
	return 0;
}
