/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As <elf.h> of Linux, for systems whose programs are not ELF: what it takes
 * to read the cores of 64-bit Linux.  Source: the ELF specification, System V
 * ABI, chapters 4 and 5, and the notes of Linux.
 */
#ifndef LA_MISSING_ELF_H
#define LA_MISSING_ELF_H

#include <stdint.h>

#define ELFMAG "\177ELF"

enum { SELFMAG = 4, EI_CLASS = 4, EI_DATA = 5, EI_NIDENT = 16 };
enum { ELFCLASS64 = 2, ELFDATA2LSB = 1 };
enum { ET_CORE = 4 };
enum { PT_LOAD = 1, PT_NOTE = 4, PN_XNUM = 0xffff };
enum { NT_PRSTATUS = 1, NT_PRPSINFO = 3, NT_AUXV = 6 };
enum { AT_EXECFN = 31 };

typedef struct {
	unsigned char e_ident[EI_NIDENT];
	uint16_t e_type;
	uint16_t e_machine;
	uint32_t e_version;
	uint64_t e_entry;
	uint64_t e_phoff;
	uint64_t e_shoff;
	uint32_t e_flags;
	uint16_t e_ehsize;
	uint16_t e_phentsize;
	uint16_t e_phnum;
	uint16_t e_shentsize;
	uint16_t e_shnum;
	uint16_t e_shstrndx;
} Elf64_Ehdr;

typedef struct {
	uint32_t p_type;
	uint32_t p_flags;
	uint64_t p_offset;
	uint64_t p_vaddr;
	uint64_t p_paddr;
	uint64_t p_filesz;
	uint64_t p_memsz;
	uint64_t p_align;
} Elf64_Phdr;

typedef struct {
	uint32_t sh_name;
	uint32_t sh_type;
	uint64_t sh_flags;
	uint64_t sh_addr;
	uint64_t sh_offset;
	uint64_t sh_size;
	uint32_t sh_link;
	uint32_t sh_info;
	uint64_t sh_addralign;
	uint64_t sh_entsize;
} Elf64_Shdr;

#endif /* LA_MISSING_ELF_H */
