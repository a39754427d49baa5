/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as the loader has mapped them, and objects that lie. */
#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "loader/elf.h"

#ifdef __aarch64__
#define SLOT R_AARCH64_JUMP_SLOT
#else
#define SLOT R_X86_64_JUMP_SLOT
#endif

static const char *const libc[] = { "libc.so", NULL };

START_TEST(what_libc_defines)
{
	char path[4096] = "";

	ck_assert_ptr_eq(elf_find("libc.so", "getenv", NULL, 0),
			 dlsym(RTLD_DEFAULT, "getenv"));
	ck_assert_ptr_nonnull(elf_find("libc.so", "getenv", path,
				       sizeof(path)));
	ck_assert_ptr_nonnull(strstr(path, "/libc.so"));
	ck_assert_ptr_eq(elf_find_early("libc.so", "getenv"),
			 elf_find("libc.so", "getenv", NULL, 0));
	ck_assert_ptr_null(elf_find_early("libc.so", "get_no_env"));
	ck_assert_ptr_null(elf_find_early("libnone.so", "getenv"));
	ck_assert_ptr_null(elf_find("libc.so", "get_no_env", NULL, 0));
	ck_assert_ptr_null(elf_find("libnone.so", "getenv", NULL, 0));
	/* There is no room for the path. */
	ck_assert_ptr_null(elf_find("libc.so", "getenv", path, 4));
}
END_TEST

START_TEST(whose_an_address_is)
{
	int local;

	ck_assert(elf_address_in(dlsym(RTLD_DEFAULT, "getenv"), libc));
	ck_assert(!elf_address_in((void *)elf_find, libc));
	ck_assert(!elf_address_in(&local, libc));
	ck_assert(!elf_address_in(NULL, libc));
}
END_TEST

/* An object of our own making: one page in which everything lies. */
static struct page {
	ElfW(Sym) symbol[3];
	ElfW(Rela) rela[3];
	uint32_t hash[4 + 2 + 1 + 2]; /* head, filter, bucket, chain */
	void *slot[3];
	char strings[32];
} page;

static int theirs, ours, another;

static struct elf own(void)
{
	struct elf elf = {
		.path = "own", .name = "own", .base = (uintptr_t)&page,
		.low = (uintptr_t)&page, .high = (uintptr_t)(&page + 1),
		.symbols = page.symbol, .strings = page.strings,
		.string_bytes = sizeof(page.strings), .hash = page.hash,
		.rela = { page.rela, NULL }, .rela_count = { 3, 0 },
	};
	int i;

	memset(&page, 0, sizeof(page));
	memcpy(page.strings, "\0wanted\0other\0mine", 19);
	page.symbol[1].st_name = 1;
	page.symbol[2].st_name = 8;
	for (i = 0; i < 3; i++) {
		page.rela[i].r_offset = offsetof(struct page, slot) +
					i * sizeof(void *);
		page.rela[i].r_info = ELF64_R_INFO(i, SLOT);
		page.slot[i] = &theirs;
	}
	return elf;
}

static struct elf_hook hook(void)
{
	return (struct elf_hook){ "wanted", &ours, &theirs };
}

START_TEST(one_slot_of_three)
{
	struct elf_hook wanted = hook();
	struct elf elf = own();

	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_HOOKED);
	ck_assert_ptr_eq(page.slot[0], &theirs);
	ck_assert_ptr_eq(page.slot[1], &ours);
	ck_assert_ptr_eq(page.slot[2], &theirs);
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_HOOKED);
	wanted.symbol = "unknown";
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NO_SLOT);
}
END_TEST

START_TEST(what_a_slot_holds)
{
	struct elf_hook wanted = hook();
	struct elf elf = own();

	/* Its own way to look it up. */
	page.slot[1] = page.strings;
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_HOOKED);
	ck_assert_ptr_eq(page.slot[1], &ours);
	/* Somebody else's function. */
	page.slot[1] = (void *)(elf.high + 64);
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NO_SLOT);
	ck_assert_ptr_eq(page.slot[1], (void *)(elf.high + 64));
	/* An offset of the file: it is not relocated. */
	page.slot[1] = (void *)0x36;
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NOT_YET);
	ck_assert_ptr_eq(page.slot[1], (void *)0x36);
	/* The real function is not known. */
	page.slot[1] = &theirs;
	wanted.real = NULL;
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NO_SLOT);
	wanted.real = &another;
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NO_SLOT);
}
END_TEST

START_TEST(what_lies_outside)
{
	struct elf_hook wanted = hook();
	struct elf elf = own();

	page.rela[1].r_offset = sizeof(page) - sizeof(void *) + 1;
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NO_SLOT);
	page.rela[1].r_offset = UINT64_MAX - 8;
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NO_SLOT);
	elf = own();
	page.rela[1].r_info = ELF64_R_INFO(0x7fffffff, SLOT);
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NO_SLOT);
	page.rela[1].r_info = ELF64_R_INFO(1, 8); /* of another type */
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NO_SLOT);
	elf = own();
	page.symbol[1].st_name = UINT32_MAX;
	ck_assert_int_eq(elf_hook(&elf, &wanted, 1), ELF_NO_SLOT);
	ck_assert_ptr_eq(page.slot[1], &theirs);
}
END_TEST

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

START_TEST(a_hash_that_lies)
{
	struct elf elf = own();

	page.symbol[1].st_shndx = 1;
	page.symbol[1].st_value = offsetof(struct page, slot);
	page.hash[0] = 1; /* buckets */
	page.hash[1] = 1; /* first symbol */
	page.hash[2] = 1; /* words of 64 bits */
	page.hash[6] = 1;
	page.hash[7] = gnu_hash("wanted") | 1;
	ck_assert_ptr_eq(elf_symbol(&elf, "wanted"), page.slot);
	ck_assert_ptr_null(elf_symbol(&elf, "other"));
	page.symbol[1].st_shndx = SHN_UNDEF;
	ck_assert_ptr_null(elf_symbol(&elf, "wanted"));
	page.symbol[1].st_shndx = 1;
	page.hash[7] = gnu_hash("wanted") & ~1u; /* no end */
	page.symbol[1].st_name = 8;
	ck_assert_ptr_null(elf_symbol(&elf, "wanted"));
	page.hash[6] = 0x7fffffff;
	ck_assert_ptr_null(elf_symbol(&elf, "wanted"));
	page.hash[6] = 0;
	ck_assert_ptr_null(elf_symbol(&elf, "wanted"));
	page.hash[2] = UINT32_MAX;
	ck_assert_ptr_null(elf_symbol(&elf, "wanted"));
	page.hash[0] = UINT32_MAX;
	ck_assert_ptr_null(elf_symbol(&elf, "wanted"));
	page.hash[0] = 0;
	ck_assert_ptr_null(elf_symbol(&elf, "wanted"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe-elf");
	TCase *tests = tcase_create("elf");
	SRunner *runner;
	int failed;

	tcase_add_test(tests, what_libc_defines);
	tcase_add_test(tests, whose_an_address_is);
	tcase_add_test(tests, one_slot_of_three);
	tcase_add_test(tests, what_a_slot_holds);
	tcase_add_test(tests, what_lies_outside);
	tcase_add_test(tests, a_hash_that_lies);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
