// SPDX-License-Identifier: Apache-2.0
/*
 * ask-torch RELEASE import|init|runtime|keep|cpu FOLDER: what the libraries of a
 * torch wheel in FOLDER make of each string of the input, which a NUL ends, as
 * a line of JSON.  keep: given to the setter one after the other; cpu: as
 * init, without the library of CUDA.
 *
 * No device is needed: the parsers are called through their exported symbols,
 * and values are read where that release's class keeps them.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <typeinfo>
#include <unistd.h>
#include <vector>

#if _GLIBCXX_USE_CXX11_ABI
#define TEXT "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#else
#define TEXT "Ss"
#endif
#define CUDA "_ZN3c104cuda20CUDACachingAllocator"
#define COMMON "_ZN3c1016CachingAllocator26AcceleratorAllocatorConfig"

/*
 * Members in order of declaration.  8: a number of 64 bits; d: a double; v: a
 * vector of numbers; b: a bool; i: an int that is not shown; r: a reserve,
 * which is a bool for a share, a number, and a bool that says it was set.
 */
struct layout {
	int first; /* release */
	const char *members;
};

static const layout cuda_layouts[] = {
	{ 202, "8max_split_size vroundup_power2_divisions "
	       "dgarbage_collection_threshold 8pinned_num_register_threads "
	       "bexpandable_segments brelease_lock_on_cudamalloc "
	       "bpinned_use_cuda_host_register " },
	{ 206, "8max_split_size 8max_non_split_rounding "
	       "vroundup_power2_divisions dgarbage_collection_threshold "
	       "8pinned_num_register_threads bexpandable_segments "
	       "brelease_lock_on_cudamalloc bpinned_use_cuda_host_register "
	       "bpinned_use_background_threads " },
	{ 208, "8max_split_size 8max_non_split_rounding "
	       "vroundup_power2_divisions dgarbage_collection_threshold "
	       "8pinned_num_register_threads bexpandable_segments ihandle "
	       "brelease_lock_on_cudamalloc bpinned_use_cuda_host_register "
	       "bpinned_use_background_threads " },
	{ 209, "8max_split_size 8max_non_split_rounding "
	       "vroundup_power2_divisions dgarbage_collection_threshold "
	       "8pinned_num_register_threads bexpandable_segments ihandle "
	       "brelease_lock_on_cudamalloc bpinned_use_cuda_host_register "
	       "bgraph_capture_record_stream_reuse "
	       "bpinned_use_background_threads " },
	{ 210, "8pinned_num_register_threads 8pinned_reserve_segment_size_mb "
	       "ihandle brelease_lock_on_cudamalloc "
	       "bpinned_use_cuda_host_register "
	       "bgraph_capture_record_stream_reuse "
	       "dper_process_memory_fraction " },
	{ 212, "8pinned_num_register_threads 8pinned_reserve_segment_size_mb "
	       "ihandle brelease_lock_on_cudamalloc "
	       "bpinned_use_cuda_host_register "
	       "bgraph_capture_record_stream_reuse "
	       "dper_process_memory_fraction bpinned_free_catch_all "
	       "bthrow_on_cudamalloc_oom " },
	{ 215, "8pinned_num_register_threads 8pinned_reserve_segment_size_mb "
	       "ihandle brelease_lock_on_cudamalloc "
	       "bpinned_use_cuda_host_register "
	       "bgraph_capture_record_stream_reuse "
	       "dper_process_memory_fraction bpinned_free_catch_all "
	       "bthrow_on_cudamalloc_oom rexpandable_segments_reserve " },
};

static const layout common_layouts[] = {
	{ 210, "8max_split_size 8max_non_split_rounding "
	       "vroundup_power2_divisions dgarbage_collection_threshold "
	       "bexpandable_segments bpinned_use_background_threads " },
	{ 211, "8large_segment_size 8max_split_size 8max_non_split_rounding "
	       "vroundup_power2_divisions dgarbage_collection_threshold "
	       "bexpandable_segments bpinned_use_background_threads " },
	{ 213, "8large_segment_size 8max_split_size 8max_non_split_rounding "
	       "vroundup_power2_divisions dgarbage_collection_threshold "
	       "bexpandable_segments bpinned_use_background_threads "
	       "8pinned_max_round_threshold 8pinned_max_cached_size " },
};

using setter = void(const std::string &);

static int release; /* major * 100 + minor */
static std::string folder;
static bool with_cuda = true;
static void *core, *cuda;

static std::string json_text(const std::string &text)
{
	std::string out = "\"";
	char escape[8];

	for (unsigned char c : text) {
		if (c == '"' || c == '\\')
			(out += '\\') += c;
		else if (c < 0x20) {
			snprintf(escape, sizeof(escape), "\\u%04x", c);
			out += escape;
		} else
			out += c;
	}
	return out + '"';
}

static void align(const char *&at, const char *base, size_t alignment)
{
	size_t used = (at - base) % alignment;

	at += used ? alignment - used : 0;
}

template <typename T> static T take(const char *&at, const char *base)
{
	T value;

	align(at, base, alignof(T));
	memcpy(&value, at, sizeof(value));
	at += sizeof(value);
	return value;
}

static std::string numbers(uint64_t *first, uint64_t *end)
{
	std::string out = "[";

	for (; first != end; first++)
		out += (out.size() > 1 ? "," : "") + std::to_string(*first);
	return out + "]";
}

static std::string value_of(char type, const char *&at, const char *base)
{
	char text[64];

	switch (type) {
	case 'b':
		return take<bool>(at, base) ? "true" : "false";
	case 'i':
		take<int>(at, base);
		return "";
	case '8':
		return std::to_string(take<uint64_t>(at, base));
	case 'r': {
		align(at, base, alignof(double));
		bool share = take<bool>(at, base);
		double number = take<double>(at, base);

		number = share ? number : -number;
		snprintf(text, sizeof(text), "%.17g",
			 take<bool>(at, base) ? number : 0);
		return text;
	}
	case 'd':
		snprintf(text, sizeof(text), "%.17g", take<double>(at, base));
		return text;
	default: {
		uint64_t *first = take<uint64_t *>(at, base);
		uint64_t *end = take<uint64_t *>(at, base);

		take<uint64_t *>(at, base);
		return numbers(first, end);
	}
	}
}

static void add_values(std::string &out, const void *object,
		       const char *members)
{
	const char *base = (const char *)object, *at = base;

	while (object && *members) {
		size_t length = strcspn(members, " ");
		std::string name(members + 1, length - 1);
		std::string value = value_of(*members, at, base);

		if (!value.empty())
			out += (out.empty() ? "" : ",") + json_text(name) +
			       ":" + value;
		members += length + 1;
	}
}

template <size_t N> static const char *members_of(const layout (&all)[N])
{
	const char *members = "";

	for (const layout &one : all)
		if (one.first <= release)
			members = one.members;
	return members;
}

static void *common; /* NULL until it has read the variable */

static void *cuda_object()
{
	void **at = (void **)dlsym(cuda, "_ZZN3c104cuda20CUDACachingAllocator"
					 "19CUDAAllocatorConfig8instanceEv"
					 "E10s_instance");

	return at ? *at : nullptr;
}

static std::string settings()
{
	std::string out;

	if (with_cuda)
		add_values(out, cuda_object(), members_of(cuda_layouts));
	add_values(out, common, members_of(common_layouts));
	return out;
}

static void *need(void *library, const char *symbol)
{
	void *at = dlsym(library, symbol);

	if (!at) {
		fprintf(stderr, "no %s\n", symbol);
		_exit(2);
	}
	return at;
}

/* Where a release keeps the hook that reads the options of CUDA. */
static std::function<setter> *hook()
{
	void *at = dlsym(cuda, COMMON "26device_config_parser_hook_B5cxx11E");
	void *get = dlsym(core, COMMON "19getConfigParserHookB5cxx11Ev");

	if (get)
		at = ((void *(*)())get)();
	if (!at)
		at = need(cuda,
			  "_ZZN3c1016CachingAllocator26AcceleratorAllocator"
			  "Config19getConfigParserHookB5cxx11EvE4hook");
	return (std::function<setter> *)at;
}

static void start_common()
{
	common = ((void *(*)())need(core, COMMON "8instanceEv"))();
}

static void call_setter(const std::string &text)
{
	if (release < 210) {
		((setter *)need(cuda, CUDA "20setAllocatorSettingsERK" TEXT))(
			text);
		return;
	}
	((void (*)(void *, const std::string &))need(
		core, COMMON "9parseArgsERK" TEXT))(common, text);
	(*hook())(text);
}

/* What CUDA's start does: the first use of each object reads the variable. */
static void start(const std::string &text)
{
	if (release < 210) {
		call_setter(text);
		return;
	}
	if (with_cuda)
		(*hook())("");
	start_common();
}

static std::string answer(const std::exception *error, bool at_import)
{
	std::string text, type = error ? typeid(*error).name() : "";
	std::string out = "{\"error\":";

	if (error) {
		text = error->what();
		text = text.substr(0, text.find("\nException raised from"));
	}
	out += error ? json_text(text) : "null";
	if (error)
		out += std::string(",\"type\":") +
		       (type == "N3c1010ValueErrorE" ? "\"ValueError\"" :
			type == "St16invalid_argument" ?
						       "\"invalid_argument\"" :
			type == "St12out_of_range" ? "\"out_of_range\"" :
						     "\"RuntimeError\"");
	out += at_import ? ",\"aborts_import\":true" : "";
	return out + (at_import ? "" : ",\"settings\":{" + settings() + "}") +
	       "}\n";
}

static int answers = 1;

static void send(const std::string &line)
{
	if (write(answers, line.data(), line.size()) != (ssize_t)line.size())
		_exit(3);
}

static void load()
{
	core = dlopen((folder + "/libc10.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
	if (core && with_cuda)
		cuda = dlopen((folder + "/libc10_cuda.so").c_str(), RTLD_NOW);
	if (with_cuda ? !cuda : !core) {
		fprintf(stderr, "%s\n", dlerror());
		_exit(2);
	}
}

/* An exception leaves an initialiser of the library: the process ends. */
static void on_terminate()
{
	try {
		std::rethrow_exception(std::current_exception());
	} catch (const std::exception &error) {
		send(answer(&error, true));
	}
	_exit(0);
}

static void ask(const char *when, const std::string &text)
{
	if (strcmp(when, "runtime") && strcmp(when, "keep"))
		setenv("PYTORCH_CUDA_ALLOC_CONF", text.c_str(), 1);
	if (!strcmp(when, "import")) {
		std::set_terminate(on_terminate);
		try {
			load();
		} catch (const std::exception &error) {
			send(answer(&error, true));
			return;
		}
	}
	try {
		if (!strcmp(when, "runtime"))
			start("");
		if (!strcmp(when, "runtime") || !strcmp(when, "keep"))
			call_setter(text);
		else
			start(text);
		send(answer(nullptr, false));
	} catch (const std::exception &error) {
		send(answer(&error, false));
	}
}

static void ask_child(const char *when, const std::string &text)
{
	int status;

	fflush(stdout);
	pid_t pid = fork();

	if (!pid) {
		ask(when, text);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		send("{\"status\":" + std::to_string(status) + "}\n");
}

int main(int argc, char **argv)
{
	char *text = nullptr;
	size_t capacity = 0;
	int major, minor;

	if (argc != 4 || sscanf(argv[1], "%d.%d", &major, &minor) != 2)
		return 2;
	release = 100 * major + minor;
	folder = argv[3];
	with_cuda = strcmp(argv[2], "cpu");
	if (strcmp(argv[2], "import"))
		load();
	if (!strcmp(argv[2], "keep"))
		start("");
	while (getdelim(&text, &capacity, '\0', stdin) > 0) {
		if (!strcmp(argv[2], "keep"))
			ask(argv[2], text);
		else
			ask_child(argv[2], text);
	}
	free(text);
	return 0;
}
