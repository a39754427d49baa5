// SPDX-License-Identifier: Apache-2.0
/*
 * Symbols are read in pieces: what a file says of its sizes costs time, but
 * no memory.  Names share their ends, so that environ may be the end of
 * __environ: names are compared by their place in the string table.
 */
#include <elf.h>
#include <string.h>

#include "env/elf.h"
#include "util/util.h"

enum {
	PIECE = 1 << 14, /* bytes read at once */
	NAMES_MAX = 16, /* places of the word in a string table */
	SECTIONS_MAX = 1 << 12,
	PROGRAMS_MAX = 1 << 8
};

/* Larger tables are those of no program: reading stops there. */
static const uint64_t table_max = 256 * MIB;

static const char word[] = "environ";

/* A section, of either word size. */
struct section {
	uint64_t offset, size;
	uint32_t type, link;
};

struct symbol {
	uint64_t value, size;
	uint32_t name;
	unsigned char info;
	uint16_t section;
};

/* Places of the names of the variable in a string table. */
struct names {
	uint32_t at[NAMES_MAX];
	size_t count;
};

static const char *open_head(struct la_elf *elf, const unsigned char *head)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	memcpy(&wide, head, sizeof(wide));
	memcpy(&narrow, head, sizeof(narrow));
	if (wide.e_ident[EI_CLASS] == ELFCLASS64) {
		elf->word = 8;
		elf->sections = wide.e_shoff;
		elf->section_count = wide.e_shnum;
		elf->programs = wide.e_phoff;
		elf->program_count = wide.e_phnum;
	} else if (wide.e_ident[EI_CLASS] == ELFCLASS32) {
		elf->word = 4;
		elf->sections = narrow.e_shoff;
		elf->section_count = narrow.e_shnum;
		elf->programs = narrow.e_phoff;
		elf->program_count = narrow.e_phnum;
	} else {
		return "an ELF file of an unknown word size";
	}
	if (elf->section_count > SECTIONS_MAX ||
	    elf->program_count > PROGRAMS_MAX)
		return "an ELF file with too many sections";
	return NULL;
}

const char *la_elf_open(struct la_elf *elf, la_elf_read *read, void *arg)
{
	static const union {
		uint16_t number;
		unsigned char byte[2];
	} one = { 1 };
	unsigned char head[LA_ELF_HEAD], order;

	*elf = (struct la_elf){ .read = read, .arg = arg };
	if (!read(arg, 0, head, sizeof(head)) || memcmp(head, ELFMAG, SELFMAG))
		return "not an ELF file";
	order = one.byte[0] ? ELFDATA2LSB : ELFDATA2MSB;
	if (head[EI_DATA] != order)
		return "an ELF file of the other byte order";
	return open_head(elf, head);
}

static bool read_program(const struct la_elf *elf, unsigned int i,
			 Elf64_Phdr *out)
{
	Elf32_Phdr narrow;

	if (elf->word == 8)
		return elf->read(elf->arg, elf->programs + i * sizeof(*out),
				 out, sizeof(*out));
	if (!elf->read(elf->arg, elf->programs + i * sizeof(narrow), &narrow,
		       sizeof(narrow)))
		return false;
	*out = (Elf64_Phdr){ .p_type = narrow.p_type,
			     .p_offset = narrow.p_offset,
			     .p_vaddr = narrow.p_vaddr };
	return true;
}

bool la_elf_loaded_at(const struct la_elf *elf, uint64_t offset, uint64_t page,
		      uint64_t *addr)
{
	Elf64_Phdr program;
	unsigned int i;

	for (i = 0; i < elf->program_count; i++) {
		if (!read_program(elf, i, &program))
			return false;
		if (program.p_type != PT_LOAD ||
		    program.p_offset / page * page != offset)
			continue;
		*addr = program.p_vaddr - (program.p_offset - offset);
		return true;
	}
	return false;
}

static bool read_section(const struct la_elf *elf, unsigned int i,
			 struct section *out)
{
	Elf32_Shdr narrow;
	Elf64_Shdr wide;

	if (elf->word == 8) {
		if (!elf->read(elf->arg, elf->sections + i * sizeof(wide),
			       &wide, sizeof(wide)))
			return false;
		*out = (struct section){ wide.sh_offset, wide.sh_size,
					 wide.sh_type, wide.sh_link };
		return true;
	}
	if (!elf->read(elf->arg, elf->sections + i * sizeof(narrow), &narrow,
		       sizeof(narrow)))
		return false;
	*out = (struct section){ narrow.sh_offset, narrow.sh_size,
				 narrow.sh_type, narrow.sh_link };
	return true;
}

static void add_name(struct names *names, uint64_t at)
{
	if (names->count < NAMES_MAX && at <= UINT32_MAX)
		names->at[names->count++] = (uint32_t)at;
}

/* The word at p, of a piece that begins at an offset, may end __environ. */
static void add_names(struct names *names, const char *piece, const char *p,
		      uint64_t offset)
{
	uint64_t at = offset + (uint64_t)(p - piece);

	add_name(names, at);
	if (p - piece >= 2 && !memcmp(p - 2, "__", 2))
		add_name(names, at - 2);
}

/* Pieces overlap by what a name may take. */
static void find_names(const struct la_elf *elf, const struct section *strings,
		       struct names *names)
{
	enum { OVERLAP = sizeof(word) + 2 };
	uint64_t at, left, skip;
	char piece[PIECE], *p;
	size_t n;

	names->count = 0;
	for (at = 0; at < strings->size; at += PIECE - OVERLAP) {
		left = strings->size - at;
		n = left < PIECE ? (size_t)left : PIECE;
		if (!elf->read(elf->arg, strings->offset + at, piece, n))
			return;
		skip = at ? 2 : 0;
		for (p = piece + skip;
		     (p = memmem(p, (size_t)(piece + n - p), word,
				 sizeof(word)));
		     p++)
			add_names(names, piece, p, at);
		if (left <= PIECE)
			return;
	}
}

static struct symbol symbol_of(const struct la_elf *elf, const char *entry)
{
	Elf32_Sym narrow;
	Elf64_Sym wide;

	if (elf->word == 8) {
		memcpy(&wide, entry, sizeof(wide));
		return (struct symbol){ wide.st_value, wide.st_size,
					wide.st_name, wide.st_info,
					wide.st_shndx };
	}
	memcpy(&narrow, entry, sizeof(narrow));
	return (struct symbol){ narrow.st_value, narrow.st_size,
				narrow.st_name, narrow.st_info,
				narrow.st_shndx };
}

/* Does it define a pointer of one of these names? */
static bool is_environ(const struct la_elf *elf, const struct symbol *symbol,
		       const struct names *names)
{
	unsigned char type = symbol->info & 0xf, binding = symbol->info >> 4;
	size_t i;

	if (symbol->section == SHN_UNDEF || symbol->section >= SHN_LORESERVE ||
	    !symbol->value)
		return false;
	if ((type != STT_OBJECT && type != STT_NOTYPE) || binding == STB_LOCAL)
		return false;
	if (symbol->size && symbol->size != elf->word)
		return false;
	for (i = 0; i < names->count; i++)
		if (symbol->name == names->at[i])
			return true;
	return false;
}

static bool find_symbol(const struct la_elf *elf, const struct section *table,
			const struct names *names, uint64_t *addr)
{
	size_t entry = elf->word == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t whole = PIECE / entry * entry, n, i;
	struct symbol symbol;
	char piece[PIECE];
	uint64_t at, left;

	for (at = 0; at + entry <= table->size; at += whole) {
		left = table->size - at;
		n = left < whole ? (size_t)left / entry * entry : whole;
		if (!elf->read(elf->arg, table->offset + at, piece, n))
			return false;
		for (i = 0; i < n; i += entry) {
			symbol = symbol_of(elf, piece + i);
			if (!is_environ(elf, &symbol, names))
				continue;
			*addr = symbol.value;
			return true;
		}
	}
	return false;
}

bool la_elf_environ(const struct la_elf *elf, uint64_t *addr)
{
	struct section table, strings;
	struct names names;
	uint64_t budget = table_max;
	unsigned int i;

	for (i = 0; i < elf->section_count; i++) {
		if (!read_section(elf, i, &table))
			return false;
		if (table.type != SHT_DYNSYM && table.type != SHT_SYMTAB)
			continue;
		if (table.link >= elf->section_count ||
		    !read_section(elf, table.link, &strings))
			continue;
		if (table.size > budget || strings.size > budget - table.size)
			return false;
		budget -= table.size + strings.size;
		find_names(elf, &strings, &names);
		if (names.count && find_symbol(elf, &table, &names, addr))
			return true;
	}
	return false;
}
