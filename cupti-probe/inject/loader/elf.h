/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of this process as the loader has mapped them: what they define,
 * and the slots through which they call others.
 *
 * Nothing here allocates, loads or waits for a load to end.  Addresses in an
 * object are followed only where they lie inside of it.
 */
#ifndef PROBE_LOADER_ELF_H
#define PROBE_LOADER_ELF_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A mapped object, while its visit lasts.  Owner: the loader. */
struct elf {
	const char *path; /* as the loader knows it; "": the program */
	const char *name; /* the last part of path */
	uintptr_t base; /* added to addresses of the file */
	uintptr_t low, high; /* its segments lie in [low, high) */
	uintptr_t relro_low, relro_high; /* read-only once relocated */
	const ElfW(Sym) *symbols;
	const char *strings;
	size_t string_bytes;
	const uint32_t *hash; /* DT_GNU_HASH; NULL: none */
	const ElfW(Rela) *rela[2]; /* of functions, of data */
	size_t rela_count[2];
	unsigned long long adds, subs; /* objects loaded so far, unloaded */
};

/* Call visit() for each object until it says true: whether it did.  visit()
 * must neither load libraries nor look up symbols by the loader. */
bool elf_each(bool (*visit)(const struct elf *elf, void *data), void *data);

/* What an object defines under a name; NULL: nothing. */
void *elf_symbol(const struct elf *elf, const char *name);

/* The first object whose name begins with this and that defines a symbol: the
 * symbol's address, and its path if asked for; NULL: there is none. */
void *elf_find(const char *object, const char *symbol, char *path,
	       size_t size);

/* The same of an object of libc's own without calling libc: what stands in
 * front of that, as sanitizers do, may not be ready. */
void *elf_find_early(const char *object, const char *symbol);

/* Whether the object that an address lies in has a name that begins with one
 * of these; the list ends with NULL. */
bool elf_address_in(const void *addr, const char *const *objects);

/* One function to call in place of another. */
struct elf_hook {
	const char *symbol;
	void *ours;
	void *real; /* what slots hold now; NULL: leave them */
};

enum elf_hooked {
	ELF_NO_SLOT, /* the object does not call any of them */
	ELF_HOOKED, /* all of its slots lead to us */
	ELF_NOT_YET /* the loader has not finished with it */
};

/* Lead an object's slots of these functions to ours.  A slot is left alone if
 * it holds something other than the real function or the object's own way to
 * look it up. */
enum elf_hooked elf_hook(const struct elf *elf, const struct elf_hook *hook,
			 size_t count);

#endif /* PROBE_LOADER_ELF_H */
