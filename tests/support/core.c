// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "support/core.h"

enum {
	HEAP_ADDR = 0x555000,
	AUXV_SIZE = 5 * 16,
	STACK_DEPTH = 4096 /* bytes below the pointers */
};

static const uint64_t stack_addr = 0x7ffd00000000;

static void *put(struct core_image *image, const void *data, size_t size)
{
	uint8_t *grown = realloc(image->data, image->size + size + 1);
	void *at;

	if (!grown)
		abort();
	image->data = grown;
	at = grown + image->size;
	if (data)
		memcpy(at, data, size);
	else
		memset(at, 0, size);
	image->size += size;
	return at;
}

static void put_word(struct core_image *image, uint64_t value)
{
	put(image, &value, sizeof(value));
}

static void put_note(struct core_image *image, uint32_t type, const void *data,
		     size_t size)
{
	const Elf64_Nhdr head = { 5, (Elf64_Word)size, type };

	put(image, &head, sizeof(head));
	put(image, "CORE\0\0\0", 8);
	put(image, data, size);
	put(image, NULL, -size % 4);
}

static void put_notes(struct core_image *image, const uint64_t *auxv)
{
	uint8_t status[336] = { 0 }, info[136] = { 0 };
	const int32_t pid = 4242, thread = 4250;

	status[12] = 6;
	memcpy(status + 32, &thread, sizeof(thread));
	memcpy(info + 24, &pid, sizeof(pid));
	memcpy(info + 40, "worker", 7);
	memcpy(info + 56, "./worker --steps 7 ", 20);
	put_note(image, NT_PRSTATUS, status, sizeof(status));
	put_note(image, NT_PRPSINFO, info, sizeof(info));
	put_note(image, 0x53494749, status, 128); /* NT_SIGINFO */
	put_note(image, NT_AUXV, auxv, AUXV_SIZE);
	status[12] = 9;
	put_note(image, NT_PRSTATUS, status, sizeof(status));
	put_note(image, NT_PLATFORM, "x", 1); /* of no interest */
	image->size -= 3; /* the last may lack its padding */
}

static size_t count(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* Strings behind the pointers; returns the address behind them. */
static uint64_t put_strings(struct core_image *stack, const char *const *list,
			    size_t pointers, uint64_t addr)
{
	size_t i;

	for (i = 0; list && list[i]; i++) {
		memcpy(stack->data + pointers + 8 * i, &addr, sizeof(addr));
		put(stack, list[i], strlen(list[i]) + 1);
		addr += strlen(list[i]) + 1;
	}
	return addr;
}

static struct core_image make_stack(const struct core_plan *plan,
				    uint64_t *auxv)
{
	struct core_image stack = { 0 };
	size_t arguments, environment, vector;
	uint64_t addr;

	put(&stack, NULL, STACK_DEPTH);
	put_word(&stack, count(plan->arguments));
	arguments = stack.size;
	put(&stack, NULL, 8 * count(plan->arguments) + 8);
	environment = stack.size;
	put(&stack, NULL, 8 * count(plan->environment) + 8);
	vector = stack.size;
	put(&stack, NULL, AUXV_SIZE);
	addr = put_strings(&stack, plan->arguments, arguments,
			   stack_addr + stack.size);
	addr = put_strings(&stack, plan->environment, environment, addr);
	auxv[9] = 0;
	auxv[6] = AT_EXECFN;
	auxv[7] = addr;
	memcpy(stack.data + vector, auxv, AUXV_SIZE);
	put(&stack, "./worker", 9);
	put(&stack, NULL, 8);
	return stack;
}

static void put_segment(struct core_image *image, uint32_t type, uint64_t addr)
{
	const Elf64_Phdr segment = { .p_type = type, .p_vaddr = addr };

	put(image, &segment, sizeof(segment));
}

/* The contents of segment n. */
static void put_contents(struct core_image *image, unsigned int n,
			 const struct core_image *contents)
{
	Elf64_Phdr segment;
	uint8_t *at = image->data + sizeof(Elf64_Ehdr) + n * sizeof(segment);

	memcpy(&segment, at, sizeof(segment));
	segment.p_offset = image->size;
	segment.p_filesz = segment.p_memsz = contents->size;
	memcpy(at, &segment, sizeof(segment));
	put(image, contents->data, contents->size);
}

struct core_image make_core(const struct core_plan *plan)
{
	uint64_t auxv[10] = { 33, 0x7ffd12345000, AT_PAGESZ, 4096, AT_UID, 7 };
	struct core_image image = { 0 }, stack = make_stack(plan, auxv);
	struct core_image heap = { .data = (uint8_t *)(uintptr_t)plan->heap,
				   .size = plan->heap_size };
	struct core_image notes = { 0 };
	Elf64_Shdr section = { .sh_info = 3 };
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_version = 1,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = plan->many ? PN_XNUM : 3,
	};

	if (!plan->bare)
		put_notes(&notes, auxv);
	put(&image, &header, sizeof(header));
	image.table = image.size;
	put_segment(&image, PT_NOTE, 0);
	put_segment(&image, PT_LOAD, HEAP_ADDR);
	put_segment(&image, PT_LOAD, stack_addr);
	image.notes = image.size;
	put_contents(&image, 0, &notes);
	image.heap = image.size;
	put_contents(&image, 1, &heap);
	image.stack = image.size;
	put_contents(&image, 2, &stack);
	header.e_shoff = plan->many ? image.size : 0;
	memcpy(image.data, &header, sizeof(header));
	if (plan->many)
		put(&image, &section, sizeof(section));
	free(stack.data);
	free(notes.data);
	return image;
}
