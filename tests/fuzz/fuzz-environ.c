// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes are an ELF file that defines environ or not, within its bytes, and
 * an environment block whose entries are those of the bytes, or is unknown.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "env/elf.h"
#include "env/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const uint8_t *data;
	size_t size;
};

static void must(int holds)
{
	if (!holds)
		abort();
}

static bool read_bytes(void *arg, uint64_t offset, void *out, size_t size)
{
	const struct bytes *bytes = arg;

	if (offset > bytes->size || size > bytes->size - offset)
		return false;
	memcpy(out, bytes->data + offset, size);
	return true;
}

static void read_elf(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };
	uint64_t addr, again, base;
	struct la_elf elf;
	bool found;

	if (la_elf_open(&elf, read_bytes, &bytes))
		return;
	must(elf.word == 4 || elf.word == 8);
	la_elf_loaded_at(&elf, 0, 4096, &base);
	found = la_elf_environ(&elf, &addr);
	must(found == la_elf_environ(&elf, &again));
	must(!found || addr == again);
	/* Whoever has no such word defines no such variable. */
	must(!found || memmem(data, size, "environ", sizeof("environ")));
}

static void read_block(const char *block, size_t size,
		       enum la_platform platform)
{
	const char *entry, *value;
	struct la_env *env;
	size_t i, total = 0;

	must(la_env_of_block(&env, block, size, platform) == 0);
	for (i = 0; (entry = la_env_entry(env, i)); i++) {
		value = strchr(entry, '=');
		must(value && value > entry);
		must(memmem(block, size, entry, strlen(entry)) != NULL);
		total += strlen(entry) + 1;
	}
	must(total <= size + 1);
	must(!la_env_unknown(env) || i == 0);
	/* A block of entries is known and complete. */
	must(platform == LA_PLATFORM_WINDOWS || la_env_unknown(env) ||
	     total == size);
	la_env_value(env, "PYTORCH_CUDA_ALLOC_CONF", 0);
	la_env_free(env);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_elf(data, size);
	read_block((const char *)data, size, LA_PLATFORM_LINUX);
	read_block((const char *)data, size, LA_PLATFORM_WINDOWS);
	return 0;
}
