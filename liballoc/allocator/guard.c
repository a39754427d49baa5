// SPDX-License-Identifier: Apache-2.0
/* Whether a process is a child of fork(): guard_holds(). */

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "allocator/guard.h"

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int guard_init(struct guard *guard)
{
	uint32_t *page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return -ENOMEM;
	*page = madvise(page, page_size(), MADV_WIPEONFORK) ? GUARD_BY_PID :
							      GUARD_OWN;
	guard->page = page;
	guard->pid = getpid();
	return 0;
}

void guard_release(struct guard *guard)
{
	munmap((void *)(uintptr_t)guard->page, page_size());
}

bool guard_by_pid(const struct guard *guard)
{
	return guard->pid == getpid();
}
