/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/symbol.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/core.h"
#include "loader/elf.h"
#include "preload/driver.h"
#include "preload/preload.h"

/* libc's own; set before the trampolines below jump there. */
void *(*symbol_dlsym)(void *handle, const char *name);
void *(*symbol_dlvsym)(void *handle, const char *name, const char *version);

/* What a trampoline is told: an address to return, or to jump on. */
struct answer {
	void *address;
	unsigned long known; /* 0: jump on */
};

struct answer symbol_dlsym_answer(void *handle, const char *name,
				  void *caller);
struct answer symbol_dlvsym_answer(void *handle, const char *name,
				   const char *version, void *caller);

#if defined(__x86_64__)
/* Registers of the arguments are kept over the question; at the end the stack
 * is as the caller left it. */
#define TRAMPOLINE(name, fourth)					\
	__asm__(".text\n.p2align 4\n.globl " #name "\n"		\
		".type " #name ", @function\n" #name ":\n"		\
		".cfi_startproc\n"					\
		"endbr64\n"						\
		"pushq %rdi\n.cfi_adjust_cfa_offset 8\n"		\
		"pushq %rsi\n.cfi_adjust_cfa_offset 8\n"		\
		"pushq %rdx\n.cfi_adjust_cfa_offset 8\n"		\
		"movq 24(%rsp), %" fourth "\n"				\
		"call symbol_" #name "_answer\n"			\
		"movq %rdx, %r11\n"					\
		"popq %rdx\n.cfi_adjust_cfa_offset -8\n"		\
		"popq %rsi\n.cfi_adjust_cfa_offset -8\n"		\
		"popq %rdi\n.cfi_adjust_cfa_offset -8\n"		\
		"testq %r11, %r11\n"					\
		"jne 1f\n"						\
		"movq symbol_" #name "@GOTPCREL(%rip), %r11\n"		\
		"jmp *(%r11)\n"						\
		"1: ret\n"						\
		".cfi_endproc\n.size " #name ", . - " #name "\n")
TRAMPOLINE(dlsym, "rdx");
TRAMPOLINE(dlvsym, "rcx");
#elif defined(__aarch64__)
#define TRAMPOLINE(name, fourth)					\
	__asm__(".text\n.p2align 4\n.globl " #name "\n"		\
		".type " #name ", %function\n" #name ":\n"		\
		".cfi_startproc\n"					\
		"hint 34\n"						\
		"stp x29, x30, [sp, -48]!\n"				\
		".cfi_def_cfa_offset 48\n"				\
		".cfi_offset 29, -48\n.cfi_offset 30, -40\n"		\
		"mov x29, sp\n"						\
		"stp x0, x1, [sp, 16]\n"				\
		"str x2, [sp, 32]\n"					\
		"mov " fourth ", x30\n"					\
		"bl symbol_" #name "_answer\n"				\
		"mov x16, x0\n"						\
		"mov x17, x1\n"						\
		"ldp x0, x1, [sp, 16]\n"				\
		"ldr x2, [sp, 32]\n"					\
		"ldp x29, x30, [sp], 48\n"				\
		".cfi_restore 29\n.cfi_restore 30\n"			\
		".cfi_def_cfa_offset 0\n"				\
		"cbnz x17, 1f\n"					\
		"adrp x16, :got:symbol_" #name "\n"			\
		"ldr x16, [x16, :got_lo12:symbol_" #name "]\n"		\
		"ldr x16, [x16]\n"					\
		"br x16\n"						\
		"1: mov x0, x16\n"					\
		"ret\n"							\
		".cfi_endproc\n.size " #name ", . - " #name "\n")
TRAMPOLINE(dlsym, "x2");
TRAMPOLINE(dlvsym, "x3");
#else
#error "this machine has no trampoline"
#endif

/* Where libc keeps it, whatever stands in front. */
static void *libc_symbol(const char *name)
{
	void *found = elf_find_early("libc.so", name);

	return found ? found : elf_find_early("libdl.so", name);
}

static bool find_own(void)
{
	if (__atomic_load_n(&symbol_dlsym, __ATOMIC_ACQUIRE))
		return true;
	__atomic_store_n((void **)&symbol_dlvsym, libc_symbol("dlvsym"),
			 __ATOMIC_RELEASE);
	__atomic_store_n((void **)&symbol_dlsym, libc_symbol("dlsym"),
			 __ATOMIC_RELEASE);
	return symbol_dlsym;
}

void *probe_symbol(void *handle, const char *name)
{
	return find_own() ? symbol_dlsym(handle, name) : NULL;
}

bool symbol_is_for_itself(const void *caller)
{
	static const char *const parts[] = { "libcupti", "libnvidia-",
					     "libnvperf", "libcuda.so", NULL };

	return elf_address_in(caller, parts);
}

/* An interposer asks for what it stands in front of. */
struct asker {
	const void *caller;
	const char *name;
};

static bool defines(const struct elf *elf, void *data)
{
	const struct asker *asker = data;
	uintptr_t caller = (uintptr_t)asker->caller;

	return caller >= elf->low && caller < elf->high &&
	       elf_symbol(elf, asker->name);
}

static const struct answer jump_on = { NULL, 0 };

/* Without us it would not have been found: nor is it now. */
static struct answer unless_lost(const char *name)
{
	return probe_symbol(RTLD_NEXT, name) ? jump_on :
					       (struct answer){ NULL, 1 };
}

static struct answer answer(void *handle, const char *name,
			    const char *version, void *caller)
{
	struct asker asker = { caller, name };
	int index = driver_index(name);
	void *found, *ours;

	if (index < 0 || symbol_is_for_itself(caller) ||
	    elf_each(defines, &asker))
		return jump_on;
	if (handle == RTLD_DEFAULT || handle == RTLD_NEXT)
		return unless_lost(name);
	found = version ? symbol_dlvsym(handle, name, version) :
			  symbol_dlsym(handle, name);
	if (found == driver_wrapper(index))
		return unless_lost(name);
	ours = driver_replace(found);
	return ours == found ? jump_on : (struct answer){ ours, 1 };
}

static struct answer preface(void *handle, const char *name,
			     const char *version, void *caller)
{
	int error = errno;
	struct answer told;

	if (!find_own())
		return (struct answer){ NULL, 1 };
	if (!name || name[0] != 'c' || name[1] != 'u')
		return jump_on;
	told = answer(handle, name, version, caller);
	errno = error;
	return told;
}

struct answer symbol_dlsym_answer(void *handle, const char *name,
				  void *caller)
{
	return preface(handle, name, NULL, caller);
}

struct answer symbol_dlvsym_answer(void *handle, const char *name,
				   const char *version, void *caller)
{
	return preface(handle, name, version, caller);
}
