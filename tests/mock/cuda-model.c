/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda-model.h"

#include <pthread.h>
#include <string.h>

enum { ILLEGAL_ADDRESS = 700 };

struct model model = { .next = 0x7f0000000000 };
__thread struct mock_context *current;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void model_lock(void)
{
	pthread_mutex_lock(&lock);
}

void model_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

int model_devices(void)
{
	int devices = (int)mock_variable("MOCK_CUDA_DEVICES", "1");

	return devices < MOCK_DEVICES ? devices : MOCK_DEVICES;
}

static uint64_t capacity(void)
{
	uint64_t total = mock_variable("MOCK_CUDA_TOTAL", "16G");
	uint64_t others = mock_variable("MOCK_CUDA_OTHERS", "0");

	return others < total ? total - others : 0;
}

bool model_take(int device, uint64_t bytes)
{
	if (bytes > capacity() || model.used[device] > capacity() - bytes)
		return false;
	model.used[device] += bytes;
	return true;
}

void model_give(int device, uint64_t bytes)
{
	model.used[device] -= bytes;
}

MOCK_EXPORT void mock_cuda_memory(int device, uint64_t *free, uint64_t *total)
{
	uint64_t all = capacity();

	model_lock();
	*total = mock_variable("MOCK_CUDA_TOTAL", "16G");
	*free = all > model.used[device] ? all - model.used[device] : 0;
	model_unlock();
}

uint64_t model_address(uint64_t size)
{
	uint64_t addr = model.next;

	model.next += (size + (2 << 20) - 1) & -(2ull << 20);
	return addr;
}

static struct item **bucket_of(enum item_kind kind, uint64_t addr)
{
	uint64_t hash = (addr ^ kind) * 0x9e3779b97f4a7c15ull;

	return &model.bucket[hash >> 52];
}

struct item *model_add(enum item_kind kind, int device, uint64_t addr,
		       uint64_t size, uint64_t taken)
{
	struct item **bucket = bucket_of(kind, addr);
	struct item *item = calloc(1, sizeof(*item));

	if (!item)
		abort();
	item->kind = kind;
	item->device = device;
	item->addr = addr;
	item->size = size;
	item->taken = taken;
	item->owners = 1;
	item->next = *bucket;
	*bucket = item;
	model.items++;
	return item;
}

struct item *model_find(enum item_kind kind, uint64_t addr)
{
	struct item *item = *bucket_of(kind, addr);

	while (item && (item->kind != kind || item->addr != addr))
		item = item->next;
	return item;
}

void model_drop(struct item *item)
{
	struct item **at = bucket_of(item->kind, item->addr);

	while (*at != item)
		at = &(*at)->next;
	*at = item->next;
	model.items--;
	model_give(item->device, item->taken);
	free(item);
}

static bool overlaps(const struct item *item, uint64_t addr, uint64_t size)
{
	return item->addr < addr + size && addr < item->addr + item->size;
}

CUresult model_visit(enum item_kind kind, uint64_t addr, uint64_t size,
		     CUresult (*visit)(struct item *item, const void *data),
		     const void *data)
{
	struct item *item, *next;
	CUresult result = CUDA_SUCCESS;
	size_t i;

	for (i = 0; i < sizeof(model.bucket) / sizeof(*model.bucket); i++) {
		for (item = model.bucket[i]; item && !result; item = next) {
			next = item->next;
			if (item->kind == kind && overlaps(item, addr, size))
				result = visit(item, data);
		}
	}
	return result;
}

MOCK_EXPORT unsigned long mock_cuda_things(void)
{
	return model.items;
}

MOCK_EXPORT unsigned int mock_cuda_access(uint64_t addr)
{
	struct item *item;
	unsigned int access;

	model_lock();
	item = model_find(ITEM_MAPPING, addr);
	access = item ? item->access : 0;
	model_unlock();
	return access;
}

/* The one failure that was ordered. */
static struct {
	const char *name;
	unsigned int skip;
	CUresult result;
} ordered;
static unsigned long calls;

MOCK_EXPORT void mock_cuda_fail(const char *name, unsigned int skip,
				CUresult result)
{
	model_lock();
	ordered.name = name;
	ordered.skip = skip;
	ordered.result = result;
	model_unlock();
}

MOCK_EXPORT unsigned long mock_cuda_calls(void)
{
	return __atomic_load_n(&calls, __ATOMIC_RELAXED);
}

static bool is_called(const char *name, const char *base)
{
	size_t length = strlen(base);

	return !strncmp(name, base, length) &&
	       (!name[length] || name[length] == '_');
}

CUresult model_due(const char *name)
{
	CUresult result = model.broken ? ILLEGAL_ADDRESS : CUDA_SUCCESS;

	model_lock();
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (ordered.name && is_called(name, ordered.name) &&
	    !ordered.skip--) {
		result = ordered.result;
		ordered.name = NULL;
	}
	model_unlock();
	return result;
}
