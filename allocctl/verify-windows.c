// SPDX-License-Identifier: Apache-2.0
/* allocctl verify --shell: running a shell of Windows, in a job of its own. */
#include <limits.h>
#include <string.h>

#include <windows.h>

#include "verify-run.h"

/* The longest command line. */
enum { LINE_WCHARS = 32767, PAUSE_MS = 10 };

static const char comspec[] = "ComSpec";

/* cmd runs AutoRun and PowerShell the profiles however they are started. */
const struct verify_program verify_programs[] = {
	{ "cmd", comspec, "", NULL, NULL, "/s /c", "", "&", "\"%!\n",
	  LA_SCRIPT_CMD_PROMPT, '"', false },
	{ "powershell", "powershell.exe", "\"$($PSVersionTable.PSVersion)\"",
	  NULL, NULL, "-Command", "& ", "\n", "'\n", LA_SCRIPT_POWERSHELL,
	  '\'', false },
	{ "pwsh", "pwsh.exe", "\"$($PSVersionTable.PSVersion)\"", NULL, NULL,
	  "-Command", "& ", "\n", "'\n", LA_SCRIPT_POWERSHELL, '\'', false },
	{ 0 },
};

/* Not from this folder: only what ComSpec names, or PATH finds. */
static bool find(wchar_t *path, const struct verify_program *program)
{
	static wchar_t folders[LINE_WCHARS];
	wchar_t name[PATH_MAX];
	DWORD n;

	if (program->program == comspec) {
		n = GetEnvironmentVariableW(L"ComSpec", path, PATH_MAX);
		return n && n < PATH_MAX;
	}
	if (!GetEnvironmentVariableW(L"PATH", folders, LINE_WCHARS) ||
	    !MultiByteToWideChar(CP_UTF8, 0, program->program, -1, name,
				 PATH_MAX))
		return false;
	n = SearchPathW(folders, name, NULL, PATH_MAX, path, NULL);
	return n && n < PATH_MAX;
}

/* In quotes, as programs take their command line apart. */
static void add_quoted(struct la_strbuf *line, const char *text)
{
	size_t slashes, n;

	la_strbuf_addstr(line, "\"");
	for (; *text; text += n) {
		slashes = strspn(text, "\\");
		n = slashes + (text[slashes] != '\0');
		/* Twice before a quote, and the quote behind one more. */
		if (!text[slashes] || text[slashes] == '"')
			la_strbuf_add(line, text, slashes);
		la_strbuf_add(line, text, slashes);
		if (text[slashes] == '"')
			la_strbuf_addstr(line, "\\");
		la_strbuf_add(line, text + slashes, n - slashes);
	}
	la_strbuf_addstr(line, "\"");
}

/* cmd alone takes all between the outer quotes as it is. */
static bool make_line(wchar_t *wide, const struct verify_run *run)
{
	struct la_strbuf line = { 0 };
	bool right;

	la_strbuf_addf(&line, "shell %s ", run->program->option);
	if (run->program->kind == LA_SCRIPT_CMD_PROMPT)
		la_strbuf_addf(&line, "\"%s\"", run->command);
	else
		add_quoted(&line, run->command);
	right = !line.failed &&
		MultiByteToWideChar(CP_UTF8, 0, la_strbuf_text(&line), -1,
				    wide, LINE_WCHARS);
	la_strbuf_release(&line);
	return right;
}

/* All that is in it ends when it is closed. */
static HANDLE make_job(void)
{
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };
	HANDLE job = CreateJobObjectW(NULL, NULL);

	limits.BasicLimitInformation.LimitFlags =
		JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
	if (job && SetInformationJobObject(job,
					   JobObjectExtendedLimitInformation,
					   &limits, sizeof(limits)))
		return job;
	if (job)
		CloseHandle(job);
	return NULL;
}

/* Nothing of it runs before it is in the job. */
static bool start(HANDLE job, const struct verify_run *run,
		  const wchar_t *path, HANDLE null, HANDLE out)
{
	static wchar_t line[LINE_WCHARS];
	STARTUPINFOW info = { .cb = sizeof(info),
			      .dwFlags = STARTF_USESTDHANDLES,
			      .hStdInput = null,
			      .hStdOutput = out,
			      .hStdError = null };
	PROCESS_INFORMATION process;
	bool right;

	if (!make_line(line, run) ||
	    !CreateProcessW(path, line, NULL, NULL, TRUE,
			    CREATE_SUSPENDED | CREATE_NO_WINDOW, NULL, NULL,
			    &info, &process))
		return false;
	right = AssignProcessToJobObject(job, process.hProcess) &&
		ResumeThread(process.hThread) != (DWORD)-1;
	if (!right)
		TerminateProcess(process.hProcess, 1);
	CloseHandle(process.hThread);
	CloseHandle(process.hProcess);
	return right;
}

/* Up to the end, the mark's line, or the time; true: all that there is. */
static bool read_output(struct verify_run *run, HANDLE in)
{
	ULONGLONG end = GetTickCount64() + VERIFY_MS;
	char bytes[4096];
	DWORD n;

	while (GetTickCount64() < end &&
	       run->output.length < VERIFY_OUTPUT_BYTES) {
		if (!PeekNamedPipe(in, NULL, 0, NULL, &n, NULL))
			return true;
		if (!n) {
			Sleep(PAUSE_MS);
			continue;
		}
		if (!ReadFile(in, bytes, sizeof(bytes), &n, NULL))
			return true;
		la_strbuf_add(&run->output, bytes, n);
		if (verify_answer(run))
			return true;
	}
	return false;
}

static bool is_wine(void)
{
	HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");

	return ntdll && GetProcAddress(ntdll, "wine_get_version");
}

static const char *trouble_of(struct verify_run *run, bool started, bool whole)
{
	if (!started)
		return VERIFY_UNSTARTED;
	if (!whole)
		return VERIFY_UNENDED;
	if (verify_answer(run))
		return NULL;
	return run->program->kind == LA_SCRIPT_POWERSHELL && is_wine() ?
		       "that of wine is a stub, which runs nothing" :
		       VERIFY_NO_PROGRAM;
}

const char *verify_run(struct verify_run *run)
{
	SECURITY_ATTRIBUTES inherited = { .nLength = sizeof(inherited),
					  .bInheritHandle = TRUE };
	bool started, whole = false;
	HANDLE in, out, null, job;
	wchar_t path[PATH_MAX];

	if (!find(path, run->program))
		return VERIFY_MISSING;
	if (!CreatePipe(&in, &out, &inherited, 0))
		return VERIFY_UNSTARTED;
	SetHandleInformation(in, HANDLE_FLAG_INHERIT, 0);
	null = CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE,
			   FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
			   OPEN_EXISTING, 0, NULL);
	job = make_job();
	started = job && null != INVALID_HANDLE_VALUE &&
		  start(job, run, path, null, out);
	CloseHandle(out);
	if (started)
		whole = read_output(run, in);
	if (job)
		CloseHandle(job);
	CloseHandle(null);
	CloseHandle(in);
	return trouble_of(run, started, whole);
}
