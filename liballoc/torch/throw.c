// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torch/throw.h"
#include "util/util.h"

enum {
	/* Bytes of c10::Error: 152 in torch 2.11 */
	OBJECT_SIZE = 1024,
	/* Bytes of std::string: 32, or 8 with the old ABI */
	STRING_SIZE = 64,
	TEXT_SIZE = 4096
};

/* c10::SourceLocation, which is passed by value. */
struct location {
	const char *function;
	const char *file;
	uint32_t line;
};

/* Behind the first two words of a vtable; a pointer to [0] is in objects. */
struct vtable {
	intptr_t offset;
	void *type; /* std::type_info */
	void (*destroy)(void *object); /* ~T(), the storage stays */
};

/* The functions of libstdc++ and of libc10 that make an exception. */
struct maker {
	void *(*allocate)(size_t size);
	__attribute__((noreturn)) void (*raise)(void *object, void *type,
						void (*destroy)(void *));
	void (*string)(void *string, const char *text, const char *allocator);
	void (*string_destroy)(void *string);
	/* c10::Error::Error(SourceLocation, std::string); NULL: none */
	void (*error)(void *object, struct location at, void *string);
};

/* Each ABI of std::string: three names. */
static const struct abi {
	const char *error, *string, *string_destroy;
} abis[] = {
	{ "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIc"
	  "St11char_traitsIcESaIcEEE",
	  "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EPKcRKS3_",
	  "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev" },
	{ "_ZN3c105ErrorC1ENS_14SourceLocationESs", "_ZNSsC1EPKcRKSaIcE",
	  "_ZNSsD1Ev" },
};

/* Where an exception's type may be: libraries of torch. */
static const char *const type_libraries[] = {
	"libc10_cuda.so", "libtorch_cuda.so", "libtorch_python.so",
	"libc10.so", NULL,
};

/* A symbol of a library that is loaded already. */
static void *find(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	void *symbol = handle ? dlsym(handle, name) : NULL;

	if (handle)
		dlclose(handle);
	return symbol;
}

/* As find(), of functions. */
static bool find_function(void *function, const char *library,
			  const char *name)
{
	void *symbol = find(library, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol;
}

static bool find_throw(struct maker *maker)
{
	static const char library[] = "libstdc++.so.6";

	/* A program of C has none: it ends then, as with any exception. */
	(void)dlopen(library, RTLD_LAZY);
	return find_function(&maker->allocate, library,
			     "__cxa_allocate_exception") &&
	       find_function(&maker->raise, library, "__cxa_throw");
}

/* The constructor of c10::Error, and the std::string that goes with it. */
static bool find_error(struct maker *maker)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(abis); i++)
		if (find_function(&maker->error, "libc10.so", abis[i].error) &&
		    find_function(&maker->string, "libstdc++.so.6",
				  abis[i].string) &&
		    find_function(&maker->string_destroy, "libstdc++.so.6",
				  abis[i].string_destroy))
			return true;
	return false;
}

static const struct vtable *find_vtable(const char *name)
{
	const char *const *library;
	const struct vtable *table = NULL;

	for (library = type_libraries; *library && !table; library++)
		table = find(*library, name);
	return table;
}

/* An Error that says of which class it is. */
static _Noreturn void throw_error(const struct maker *maker,
				  const struct vtable *vtable,
				  const char *text)
{
	static const struct location at = { "la_torch_alloc", "liballoc", 0 };
	_Alignas(16) char string[STRING_SIZE];
	void *object = maker->allocate(OBJECT_SIZE);
	void (*const *methods)(void *) = &vtable->destroy;

	maker->string(string, text, string);
	maker->error(object, at, string);
	maker->string_destroy(string);
	memcpy(object, &methods, sizeof(methods));
	maker->raise(object, vtable->type, vtable->destroy);
}

static _Noreturn void throw_runtime_error(const struct maker *maker,
					  const char *text)
{
	static const char library[] = "libstdc++.so.6";
	void (*construct)(void *object, const char *text);
	void (*destroy)(void *object);
	void *type = find(library, "_ZTISt13runtime_error");
	void *object;

	if (!type ||
	    !find_function(&construct, library,
			   "_ZNSt13runtime_errorC1EPKc") ||
	    !find_function(&destroy, library, "_ZNSt13runtime_errorD1Ev"))
		abort();
	object = maker->allocate(OBJECT_SIZE);
	construct(object, text);
	maker->raise(object, type, destroy);
}

_Noreturn void la_throw(enum la_thrown kind, const char *text)
{
	const struct vtable *vtable = NULL;
	struct maker maker;
	char longer[TEXT_SIZE];

	if (!find_throw(&maker))
		abort();
	if (!find_error(&maker))
		maker.error = NULL;
	if (kind == LA_THROWN_OOM && maker.error)
		vtable = find_vtable("_ZTVN3c1016OutOfMemoryErrorE");
	if (kind == LA_THROWN_OOM && !vtable) {
		snprintf(longer, sizeof(longer),
			 "%s (a RuntimeError: this build of torch has no "
			 "c10::OutOfMemoryError that liballoc can throw)",
			 text);
		text = longer;
	}
	if (!vtable && maker.error)
		vtable = find_vtable("_ZTVN3c105ErrorE");
	if (vtable)
		throw_error(&maker, vtable, text);
	throw_runtime_error(&maker, text);
}
