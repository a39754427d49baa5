// SPDX-License-Identifier: Apache-2.0
/* probe FILE: add what this process has as PYTORCH_CUDA_ALLOC_CONF. */
#include <stdio.h>

#include <windows.h>

int main(int argc, char **argv)
{
	static char value[32768];
	FILE *file = argc > 1 ? fopen(argv[1], "a") : NULL;

	if (!file)
		return 2;
	if (GetEnvironmentVariableA("PYTORCH_CUDA_ALLOC_CONF", value,
				    sizeof(value)) ||
	    GetLastError() != ERROR_ENVVAR_NOT_FOUND)
		fprintf(file, "=%s\n", value);
	else
		fputs("unset\n", file);
	return fclose(file) ? 1 : 0;
}
