/* SPDX-License-Identifier: Apache-2.0 */
/* Where an ELF file keeps the variable environ.  The file is untrusted and may
 * be of another word size. */
#ifndef LA_ENV_ELF_H
#define LA_ENV_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file; false: not all of them are there. */
typedef bool la_elf_read(void *arg, uint64_t offset, void *out, size_t size);

struct la_elf {
	la_elf_read *read;
	void *arg;
	uint64_t sections; /* offset of the section headers */
	uint64_t programs; /* offset of the program headers */
	unsigned int section_count, program_count;
	unsigned int word; /* bytes of a pointer: 4 or 8 */
};

enum { LA_ELF_HEAD = 64 }; /* bytes that la_elf_open() looks at */

/* NULL, or in words why it is no ELF file that this machine could run. */
const char *la_elf_open(struct la_elf *elf, la_elf_read *read, void *arg);

/* The address, as the file has it, of what is at an offset of the file: false
 * if no segment loads that page of it. */
bool la_elf_loaded_at(const struct la_elf *elf, uint64_t offset, uint64_t page,
		      uint64_t *addr);

/* The address of environ, as the file has it; false: it defines none. */
bool la_elf_environ(const struct la_elf *elf, uint64_t *addr);

#endif /* LA_ENV_ELF_H */
