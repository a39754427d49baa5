/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/elf.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { SLOT_FUNCTION = 7, SLOT_DATA = 6, SLOT_WORD = 1 };
#elif defined(__aarch64__)
enum { SLOT_FUNCTION = 1026, SLOT_DATA = 1025, SLOT_WORD = 257 };
#else
#error "relocations of this machine are not known"
#endif

/* libc's own may be somebody else's by now, who is not ready when a first
 * symbol is looked up. */
static bool begins(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

static bool equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static const char *last_part(const char *path)
{
	const char *part = path;

	for (; *path; path++)
		if (*path == '/')
			part = path + 1;
	return part;
}

/* Whether [at, at + size) lies in the object. */
static bool inside(const struct elf *elf, const void *at, size_t size)
{
	uintptr_t from = (uintptr_t)at;

	return from >= elf->low && from < elf->high && size <= elf->high - from;
}

/* An address of the dynamic section: most loaders have added the base. */
static void *dynamic_address(const struct elf *elf, uintptr_t value)
{
	return (void *)(value < elf->base ? value + elf->base : value);
}

static void read_dynamic(struct elf *elf, const ElfW(Dyn) *at,
			 const ElfW(Dyn) *end)
{
	for (; at < end && at->d_tag != DT_NULL; at++) {
		void *addr = dynamic_address(elf, at->d_un.d_ptr);
		size_t count = at->d_un.d_val / sizeof(ElfW(Rela));

		switch (at->d_tag) {
		case DT_SYMTAB: elf->symbols = addr; break;
		case DT_STRTAB: elf->strings = addr; break;
		case DT_STRSZ: elf->string_bytes = at->d_un.d_val; break;
		case DT_GNU_HASH: elf->hash = addr; break;
		case DT_JMPREL: elf->rela[0] = addr; break;
		case DT_PLTRELSZ: elf->rela_count[0] = count; break;
		case DT_RELA: elf->rela[1] = addr; break;
		case DT_RELASZ: elf->rela_count[1] = count; break;
		}
	}
}

/* Forget what does not lie in the object. */
static void check_dynamic(struct elf *elf)
{
	int i;

	if (!inside(elf, elf->symbols, sizeof(*elf->symbols)) ||
	    !inside(elf, elf->strings, elf->string_bytes)) {
		elf->string_bytes = 0;
		elf->symbols = NULL;
	}
	if (!elf->symbols || !inside(elf, elf->hash, 4 * sizeof(*elf->hash)))
		elf->hash = NULL;
	for (i = 0; i < 2; i++)
		if (!elf->symbols || !inside(elf, elf->rela[i],
				elf->rela_count[i] * sizeof(ElfW(Rela))))
			elf->rela_count[i] = 0;
}

static void read_segments(struct elf *elf, const struct dl_phdr_info *info)
{
	const ElfW(Phdr) *p = info->dlpi_phdr, *dynamic = NULL;
	const ElfW(Phdr) *end = p + info->dlpi_phnum;

	elf->low = UINTPTR_MAX;
	for (; p < end; p++) {
		uintptr_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && from < elf->low)
			elf->low = from;
		if (p->p_type == PT_LOAD && from + p->p_memsz > elf->high)
			elf->high = from + p->p_memsz;
		if (p->p_type == PT_DYNAMIC)
			dynamic = p;
		if (p->p_type == PT_GNU_RELRO) {
			elf->relro_low = from;
			elf->relro_high = from + p->p_memsz;
		}
	}
	if (dynamic) {
		const char *at = (char *)info->dlpi_addr + dynamic->p_vaddr;

		if (inside(elf, at, dynamic->p_memsz))
			read_dynamic(elf, (const void *)at,
				     (const void *)(at + dynamic->p_memsz));
	}
	check_dynamic(elf);
}

struct each {
	bool (*visit)(const struct elf *elf, void *data);
	void *data;
};

static int visit_one(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct each *each = data;
	struct elf elf = {
		.path = info->dlpi_name,
		.base = info->dlpi_addr,
	};

	if (size >= offsetof(struct dl_phdr_info, dlpi_tls_modid)) {
		elf.adds = info->dlpi_adds;
		elf.subs = info->dlpi_subs;
	}
	elf.name = last_part(elf.path);
	read_segments(&elf, info);
	return each->visit(&elf, each->data);
}

bool elf_each(bool (*visit)(const struct elf *elf, void *data), void *data)
{
	struct each each = { visit, data };

	return dl_iterate_phdr(visit_one, &each) != 0;
}

/* The name of a symbol, or "". */
static const char *name_of(const struct elf *elf, const ElfW(Sym) *symbol)
{
	return symbol->st_name < elf->string_bytes ?
		       elf->strings + symbol->st_name : "";
}

static const ElfW(Sym) *in_chain(const struct elf *elf, const uint32_t *chain,
				 uint32_t i, uint32_t hash, const char *name)
{
	const ElfW(Sym) *symbol = elf->symbols + i;

	for (; inside(elf, chain, sizeof(*chain)) &&
	       inside(elf, symbol, sizeof(*symbol)); chain++, symbol++) {
		if ((*chain | 1) == (hash | 1) &&
		    symbol->st_shndx != SHN_UNDEF &&
		    equal(name_of(elf, symbol), name))
			return symbol;
		if (*chain & 1)
			break;
	}
	return NULL;
}

/* DT_GNU_HASH: four numbers, words of a filter, buckets, chains. */
void *elf_symbol(const struct elf *elf, const char *name)
{
	const uint32_t *buckets;
	const ElfW(Sym) *symbol;
	const char *c;
	uint32_t hash = 5381, i;

	if (!elf->hash || !elf->hash[0])
		return NULL;
	for (c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	buckets = elf->hash + 4 +
		  elf->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	if (!inside(elf, buckets, elf->hash[0] * sizeof(*buckets)))
		return NULL;
	i = buckets[hash % elf->hash[0]];
	if (i < elf->hash[1])
		return NULL;
	symbol = in_chain(elf, buckets + elf->hash[0] + (i - elf->hash[1]), i,
			  hash, name);
	return symbol ? (void *)(elf->base + symbol->st_value) : NULL;
}

struct search {
	const char *object, *symbol;
	char *path;
	size_t size;
	void *found;
};

static bool search_one(const struct elf *elf, void *data)
{
	struct search *search = data;

	if (!begins(elf->name, search->object))
		return false;
	search->found = elf_symbol(elf, search->symbol);
	if (!search->found || !search->path)
		return search->found;
	if (strlen(elf->path) >= search->size)
		return false;
	strcpy(search->path, elf->path);
	return true;
}

void *elf_find(const char *object, const char *symbol, char *path,
	       size_t size)
{
	struct search search = { object, symbol, path, size, NULL };

	return elf_each(search_one, &search) ? search.found : NULL;
}

/* Its first segment, which is at its base, begins with the header. */
static void read_map(struct elf *elf, const struct link_map *map)
{
	const ElfW(Ehdr) *header = (const void *)map->l_addr;
	const struct dl_phdr_info info = {
		.dlpi_addr = map->l_addr,
		.dlpi_phdr = (const void *)(map->l_addr + header->e_phoff),
		.dlpi_phnum = header->e_phnum,
	};

	*elf = (struct elf){ .base = map->l_addr };
	read_segments(elf, &info);
}

void *elf_find_early(const char *object, const char *symbol)
{
	const struct link_map *map = _r_debug.r_map;
	struct elf elf;

	while (map && !begins(last_part(map->l_name), object))
		map = map->l_next;
	if (!map)
		return NULL;
	read_map(&elf, map);
	return elf_symbol(&elf, symbol);
}

struct place {
	const void *addr;
	const char *const *objects;
	bool named;
};

static bool place_one(const struct elf *elf, void *data)
{
	struct place *place = data;
	const char *const *object;

	if (!inside(elf, place->addr, 1))
		return false;
	for (object = place->objects; *object; object++)
		if (begins(elf->name, *object))
			place->named = true;
	return true;
}

bool elf_address_in(const void *addr, const char *const *objects)
{
	struct place place = { addr, objects, false };

	elf_each(place_one, &place);
	return place.named;
}

/* A line of /proc/self/maps, "FROM-TO rwx...", as far as it has been read. */
struct map_line {
	uintptr_t part[2]; /* FROM, TO */
	int field; /* 0, 1: in part; 2: in rwx; 3: behind */
	int letter; /* of rwx */
	bool writable;
};

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One more character of it; true: the line has ended. */
static bool map_line_add(struct map_line *line, char c)
{
	if (c == '\n')
		return true;
	if (line->field < 2 && hex_digit(c) >= 0)
		line->part[line->field] = line->part[line->field] << 4 |
					  (uintptr_t)hex_digit(c);
	else if (line->field < 2)
		line->field++;
	else if (line->field == 2 && line->letter++ == 1) {
		line->writable = c == 'w';
		line->field++;
	}
	return false;
}

/* Whether the loader has made relocated pages read-only, which is the last
 * thing it does to an object: before, a page that we protect would be one
 * that it still writes to. */
static bool is_protected(uintptr_t addr)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct map_line line = { .field = 0 };
	bool found = false, writable = true;
	ssize_t got, i;
	char text[4096];

	while (fd >= 0 && !found && (got = read(fd, text, sizeof(text))) > 0)
		for (i = 0; i < got && !found; i++) {
			if (!map_line_add(&line, text[i]))
				continue;
			found = addr >= line.part[0] && addr < line.part[1];
			writable = line.writable;
			memset(&line, 0, sizeof(line));
		}
	if (fd >= 0)
		close(fd);
	return found && !writable;
}

static void store(void **slot, void *value)
{
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

/* Store into a slot; false: it is too early, or cannot be done. */
static bool set_slot(const struct elf *elf, void **slot, void *value)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)slot & ~(bytes - 1));
	/* Only whole pages are protected. */
	uintptr_t end = elf->relro_high & ~(bytes - 1);

	if ((uintptr_t)slot < elf->relro_low || (uintptr_t)slot >= end) {
		store(slot, value);
		return true;
	}
	if (!is_protected((uintptr_t)slot) ||
	    mprotect(page, bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	store(slot, value);
	mprotect(page, bytes, PROT_READ);
	return true;
}

static bool is_slot(unsigned long type)
{
	return type == SLOT_FUNCTION || type == SLOT_DATA || type == SLOT_WORD;
}

static const struct elf_hook *hook_of(const struct elf *elf,
				      const ElfW(Rela) *rela,
				      const struct elf_hook *hook, size_t count)
{
	const ElfW(Sym) *symbol = elf->symbols + ELF64_R_SYM(rela->r_info);
	const char *name;

	if (!is_slot(ELF64_R_TYPE(rela->r_info)) ||
	    !ELF64_R_SYM(rela->r_info) ||
	    !inside(elf, symbol, sizeof(*symbol)))
		return NULL;
	name = name_of(elf, symbol);
	while (count > 0 && !equal(hook->symbol, name))
		hook++, count--;
	return count > 0 && hook->real ? hook : NULL;
}

static enum elf_hooked hook_slot(const struct elf *elf, const ElfW(Rela) *rela,
				 const struct elf_hook *hook)
{
	void **slot = (void **)(elf->base + rela->r_offset);
	void *now;

	if (!inside(elf, slot, sizeof(*slot)))
		return ELF_NO_SLOT;
	now = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	if (now == hook->ours)
		return ELF_HOOKED;
	/* Still an offset: the loader has not been here. */
	if ((uintptr_t)now < elf->high - elf->low && elf->base)
		return ELF_NOT_YET;
	/* An address in the object: its own code, which looks it up. */
	if (now != hook->real && !inside(elf, now, 1))
		return ELF_NO_SLOT;
	return set_slot(elf, slot, hook->ours) ? ELF_HOOKED : ELF_NOT_YET;
}

enum elf_hooked elf_hook(const struct elf *elf, const struct elf_hook *hook,
			 size_t count)
{
	enum elf_hooked all = ELF_NO_SLOT, one;
	const struct elf_hook *found;
	size_t i;
	int table;

	for (table = 0; table < 2; table++)
		for (i = 0; i < elf->rela_count[table]; i++) {
			const ElfW(Rela) *rela = elf->rela[table] + i;

			found = hook_of(elf, rela, hook, count);
			if (!found)
				continue;
			one = hook_slot(elf, rela, found);
			all = one > all ? one : all;
		}
	return all;
}
