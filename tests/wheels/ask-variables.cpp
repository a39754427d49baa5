// SPDX-License-Identifier: Apache-2.0
/*
 * ask-variables RELEASE FOLDER: which variables the libraries of a torch wheel
 * read.  The input has environments, each ended by NUL, of lines "NAME=value"
 * with values "key_x:1" or none.  No option is called key_x, so that the
 * refusal tells which value was read: a line of the key that the options of
 * the CUDA allocator were sought in and of the common one, - for none.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <functional>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#if _GLIBCXX_USE_CXX11_ABI
#define TEXT "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#else
#define TEXT "Ss"
#endif
#define CUDA "_ZN3c104cuda20CUDACachingAllocator"
#define COMMON "_ZN3c1016CachingAllocator26AcceleratorAllocatorConfig"

using setter = void(const std::string &);

static int release;
static std::string folder;
static void *core, *cuda;

static void *need(void *library, const char *symbol)
{
	void *at = dlsym(library, symbol);

	if (!at) {
		fprintf(stderr, "no %s\n", symbol);
		_exit(2);
	}
	return at;
}

static void load()
{
	core = dlopen((folder + "/libc10.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
	cuda = dlopen((folder + "/libc10_cuda.so").c_str(), RTLD_NOW);
	if (!core || !cuda) {
		fprintf(stderr, "%s\n", dlerror());
		_exit(2);
	}
}

/* Its first use reads the variable. */
static void start_device()
{
	if (release < 210) {
		((setter *)need(cuda, CUDA "20setAllocatorSettingsERK" TEXT))(
			"");
		return;
	}
	void *at = dlsym(cuda, COMMON "26device_config_parser_hook_B5cxx11E");
	void *get = dlsym(core, COMMON "19getConfigParserHookB5cxx11Ev");

	if (get)
		at = ((void *(*)())get)();
	if (!at)
		at = need(cuda,
			  "_ZZN3c1016CachingAllocator26AcceleratorAllocator"
			  "Config19getConfigParserHookB5cxx11EvE4hook");
	(*(std::function<setter> *)at)("");
}

/* Before 2.9 one parser reads all. */
static void start_common()
{
	if (release < 209)
		start_device();
	else
		((void *(*)())need(core, COMMON "8instanceEv"))();
}

/*
 * The common parser of 2.9 passes over options that it does not know, but
 * names a value that is no bool.
 */
static std::string value_for(const std::string &value, void (*start)())
{
	if (release != 209 || start != start_common || value.empty())
		return value;
	return "expandable_segments:" + value.substr(0, strlen("key_x"));
}

static void set(const std::string &environment, void (*start)())
{
	std::istringstream lines(environment);
	std::string line;

	unsetenv("PYTORCH_CUDA_ALLOC_CONF");
	unsetenv("PYTORCH_HIP_ALLOC_CONF");
	unsetenv("PYTORCH_ALLOC_CONF");
	while (std::getline(lines, line)) {
		size_t sign = line.find('=');

		setenv(line.substr(0, sign).c_str(),
		       value_for(line.substr(sign + 1), start).c_str(), 1);
	}
}

/* The key that a parser refuses, in a process of its own. */
static void ask(const std::string &environment, void (*start)(), char end)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		std::string key = "-";

		set(environment, start);
		load();
		try {
			start();
		} catch (const std::exception &error) {
			const char *at = strstr(error.what(), "key_");

			key = at ? std::string(at, strlen("key_x")) : "?";
		}
		printf("%s%c", key.c_str(), end);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		printf("?%c", end);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *text = nullptr;
	size_t capacity = 0;
	int major, minor;

	if (argc != 3 || sscanf(argv[1], "%d.%d", &major, &minor) != 2)
		return 2;
	release = 100 * major + minor;
	folder = argv[2];
	while (getdelim(&text, &capacity, '\0', stdin) > 0) {
		ask(text, start_device, ' ');
		ask(text, start_common, '\n');
	}
	free(text);
	return 0;
}
