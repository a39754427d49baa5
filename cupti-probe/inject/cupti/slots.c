/* SPDX-License-Identifier: Apache-2.0 */
#include "cupti/slots.h"

#include <string.h>

#include "core/core.h"
#include "preload/torch.h"

enum {
	TORCH_HOOKS = 2,
	SUBSCRIBE_HOOKS = 3,
	/* A slot that its library was just filling may be lost again: so many
	 * rounds after a change look at all of them. */
	ROUNDS = 3,
	/* And so many wait for the loader to finish with a library. */
	PATIENCE = 600
};

/* Owner: whoever runs scan(): the front end at its start, then the core's
 * thread alone. */
static struct {
	struct elf_hook torch[TORCH_HOOKS]; /* real NULL: not wanted yet */
	const struct elf_hook *subscribe;
	bool allocator;
	unsigned long long changes; /* of the loader's list, when last seen */
	int rounds, patience; /* that are left */
} slots;

struct seen {
	bool torch; /* a library's slots of it lead to us */
	bool early; /* a library is not finished */
};

static bool count_changes(const struct elf *elf, void *data)
{
	*(unsigned long long *)data = elf->adds + elf->subs;
	return true;
}

static bool hook_one(const struct elf *elf, void *data)
{
	enum elf_hooked torch, subscribe = ELF_NO_SLOT;
	struct seen *seen = data;

	if (strncmp(elf->name, "libcupti", 8) == 0 ||
	    strncmp(elf->name, "libc10.so", 9) == 0)
		return false;
	torch = elf_hook(elf, slots.torch, TORCH_HOOKS);
	if (slots.subscribe)
		subscribe = elf_hook(elf, slots.subscribe, SUBSCRIBE_HOOKS);
	seen->torch |= torch == ELF_HOOKED;
	seen->early |= torch == ELF_NOT_YET || subscribe == ELF_NOT_YET;
	return false;
}

static void find_torch(void)
{
	slots.torch[0].real = elf_find("libc10.so", TORCH_REPORT, NULL, 0);
	slots.torch[1].real = elf_find("libc10.so", TORCH_REPORT_OOM, NULL, 0);
}

static void scan(void)
{
	struct seen seen = { .early = false };
	unsigned long long changes = 0;

	elf_each(count_changes, &changes);
	if (changes != slots.changes) {
		slots.changes = changes;
		slots.rounds = ROUNDS;
		slots.patience = PATIENCE;
	}
	if (slots.rounds == 0)
		return;
	slots.rounds--;
	if (slots.allocator)
		find_torch();
	elf_each(hook_one, &seen);
	if (seen.torch)
		torch_watch();
	if (seen.early && slots.patience > 0) {
		slots.patience--;
		slots.rounds = ROUNDS;
	}
}

static void tick(void)
{
	scan();
	torch_tick();
}

void slots_begin(bool allocator, const struct elf_hook subscribe[3])
{
	slots.torch[0].symbol = TORCH_REPORT;
	slots.torch[0].ours = (void *)torch_report;
	slots.torch[1].symbol = TORCH_REPORT_OOM;
	slots.torch[1].ours = (void *)torch_report_oom;
	slots.allocator = allocator;
	slots.subscribe = subscribe;
	if (!allocator && !subscribe)
		return;
	scan();
	__atomic_store_n(&probe_tick, tick, __ATOMIC_RELEASE);
}
