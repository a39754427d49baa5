// SPDX-License-Identifier: Apache-2.0
/* Asks NVML about devices and their processes, in a thread of its own. */

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#include "core/core.h"
#include "core/nvml.h"
#include "core/spin.h"
#include "core/store.h"
#include "core/thread.h"
#include "core/wait.h"

enum {
	LISTED = 256, /* processes that are asked for */
	UUID = 48, /* "GPU-" or "MIG-", 36 digits and dashes, 0 */
};

/* One answer.  list is copied under lock, which is held for the copy. */
struct answer {
	uint64_t asked; /* time that it was asked for; 0: none */
	uint64_t used, total, free; /* bytes of the device */
	uint32_t processes; /* listed */
	uint32_t count; /* kept */
	struct la_probe_process list[LA_PROBE_PROCESSES]; /* most first */
};

/* A device as it was before we had a context anywhere, by NVML's index. */
struct before {
	char uuid[UUID];
	uint64_t free; /* bytes */
	uint32_t count;
	uint32_t pid[LISTED];
};

struct nvml nvml;

static struct {
	bool allowed; /* to begin, which has not been done */
	bool running; /* there is a thread */
	spinlock lock; /* of answer */
	uint32_t asked, answered; /* bells */
	uint32_t known; /* before is filled, or will not be: 1 */
	bool begun; /* a context may have been made */
	bool late; /* nobody waits until the next answer comes */
	uint64_t wanted[LA_PROBE_DEVICES]; /* time of asking; 0: none */
	uint32_t newcomer[LA_PROBE_DEVICES]; /* pid there; 0: unknown */
	bool look[LA_PROBE_DEVICES]; /* for the newcomer */
	struct answer answer[LA_PROBE_DEVICES];
	/* Of the thread alone, but for before once known is set. */
	uint32_t before_count;
	struct before before[LA_PROBE_DEVICES];
	struct nvml_process list[LISTED];
} state;

static void uuid_text(char text[UUID], const char *prefix,
		      const uint8_t uuid[16])
{
	static const char digits[] = "0123456789abcdef";
	char *out = text + 4;
	int i;

	memcpy(text, prefix, 4);
	for (i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		*out++ = digits[uuid[i] >> 4];
		*out++ = digits[uuid[i] & 15];
	}
	*out = '\0';
}

static bool find_device(unsigned int ordinal, nvml_device *device)
{
	char text[UUID];

	if (!nvml.by_uuid)
		return false;
	uuid_text(text, "GPU-", store.device[ordinal].uuid);
	if (!nvml.by_uuid(text, device))
		return true;
	uuid_text(text, "MIG-", store.device[ordinal].uuid);
	return !nvml.by_uuid(text, device);
}

static bool ask_memory(nvml_device device, struct answer *answer)
{
	struct nvml_memory_v2 v2 = {
		.version = sizeof(v2) | 2u << 24,
	};
	struct nvml_memory_v1 v1;

	if (nvml.memory_v2 && !nvml.memory_v2(device, &v2)) {
		answer->total = v2.total;
		answer->free = v2.free;
		answer->used = v2.used;
		return true;
	}
	if (!nvml.memory || nvml.memory(device, &v1))
		return false;
	answer->total = v1.total;
	answer->free = v1.free;
	answer->used = v1.used;
	return true;
}

/* Fill state.list; how many are in it. */
static unsigned int ask_processes(nvml_device device)
{
	unsigned int count = LISTED;

	if (nvml.processes && !nvml.processes(device, &count, state.list))
		return count;
	count = LISTED;
	if (nvml.processes_v2 && !nvml.processes_v2(device, &count, state.list))
		return count;
	return 0;
}

static void remember(unsigned int index)
{
	struct before *before = &state.before[state.before_count];
	struct answer answer;
	nvml_device device;
	unsigned int i;

	if (!nvml.by_index || nvml.by_index(index, &device) || !nvml.uuid ||
	    nvml.uuid(device, before->uuid, UUID) ||
	    !ask_memory(device, &answer))
		return;
	before->free = answer.free;
	before->count = ask_processes(device);
	for (i = 0; i < before->count; i++)
		before->pid[i] = state.list[i].pid;
	state.before_count++;
}

/* Worth nothing if a context may have been made meanwhile. */
static void look_before(void)
{
	unsigned int count = 0, i;

	if (nvml.count && nvml.count(&count))
		count = 0;
	if (count > LA_PROBE_DEVICES)
		count = LA_PROBE_DEVICES;
	for (i = 0; i < count; i++)
		remember(i);
	if (__atomic_load_n(&state.begun, __ATOMIC_ACQUIRE))
		state.before_count = 0;
	__atomic_store_n(&state.known, 1, __ATOMIC_RELEASE);
	wait_ring(&state.answered);
}

static const struct before *find_before(unsigned int ordinal)
{
	char text[UUID];
	unsigned int i;

	uuid_text(text, "GPU-", store.device[ordinal].uuid);
	for (i = 0; i < state.before_count; i++)
		if (!strcmp(state.before[i].uuid, text))
			return &state.before[i];
	return NULL;
}

static bool was_there(const struct before *before, unsigned int pid)
{
	unsigned int i;

	for (i = 0; i < before->count; i++)
		if (before->pid[i] == pid)
			return true;
	return false;
}

static bool is_listed(unsigned int pid, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (state.list[i].pid == pid)
			return true;
	return false;
}

/* The own pid in NVML's name space, or 0. */
static uint32_t self(unsigned int ordinal, unsigned int count)
{
	const struct before *before = find_before(ordinal);
	uint32_t newcomer = 0;
	unsigned int i;

	if (is_listed(store.header->pid, count) &&
	    !(before && was_there(before, store.header->pid)))
		return store.header->pid;
	if (state.newcomer[ordinal] || !before ||
	    !__atomic_load_n(&state.look[ordinal], __ATOMIC_ACQUIRE))
		return state.newcomer[ordinal];
	for (i = 0; i < count; i++) {
		if (was_there(before, state.list[i].pid))
			continue;
		if (newcomer)
			return 0;
		newcomer = state.list[i].pid;
	}
	state.newcomer[ordinal] = newcomer;
	return newcomer;
}

/* Into its place, most bytes first; unknown bytes come last. */
static void keep(struct answer *answer, const struct nvml_process *process,
		 uint32_t own)
{
	struct la_probe_process new = {
		.pid = process->pid,
		.self = own && process->pid == own,
		.used = process->used,
	};
	uint32_t i = answer->count;

	while (i && new.used + 1 > answer->list[i - 1].used + 1)
		i--;
	if (i == LA_PROBE_PROCESSES)
		return;
	if (answer->count < LA_PROBE_PROCESSES)
		answer->count++;
	memmove(&answer->list[i + 1], &answer->list[i],
		(answer->count - 1 - i) * sizeof(new));
	answer->list[i] = new;
}

static void answer(unsigned int ordinal)
{
	struct answer new = {
		.asked = __atomic_load_n(&state.wanted[ordinal],
					 __ATOMIC_ACQUIRE),
	};
	nvml_device device;
	unsigned int count, i;
	uint32_t own;

	if (!new.asked || new.asked == state.answer[ordinal].asked)
		return;
	if (find_device(ordinal, &device) && ask_memory(device, &new)) {
		count = ask_processes(device);
		own = self(ordinal, count);
		new.processes = count;
		for (i = 0; i < count; i++)
			keep(&new, &state.list[i], own);
	}
	spin_lock(&state.lock);
	state.answer[ordinal] = new;
	spin_unlock(&state.lock);
	__atomic_store_n(&state.late, false, __ATOMIC_RELAXED);
	wait_ring(&state.answered);
}

static void load(void)
{
	void *library;

	if (nvml.ready)
		return;
	library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
#define X(member, symbol, parameters) \
	nvml.member = (int(*) parameters)probe_symbol(library, symbol);
	NVML_SYMBOLS(X)
#undef X
	nvml.ready = true;
}

static void *serve(void *unused)
{
	uint32_t seen;
	unsigned int i;

	(void)unused;
	(void)prctl(PR_SET_NAME, "cupti-probe-nv");
	load();
	if (!nvml.ready || !nvml.init || nvml.init()) {
		__atomic_store_n(&state.running, false, __ATOMIC_RELEASE);
		wait_ring(&state.answered);
		return NULL;
	}
	look_before();
	for (;;) {
		seen = __atomic_load_n(&state.asked, __ATOMIC_ACQUIRE);
		for (i = 0; i < LA_PROBE_DEVICES; i++)
			answer(i);
		wait_for(&state.asked, seen, UINT64_C(3600000000000));
	}
}

void nvml_allow(void)
{
	__atomic_store_n(&state.allowed, true, __ATOMIC_RELEASE);
}

/* Not earlier than it must be: loaded beside a cuInit() NVML leaves a lock of
 * libcuda behind, on which the next cuInit() waits for ever (580.159). */
static void begin(void)
{
	bool allowed = true;

	if (!__atomic_compare_exchange_n(&state.allowed, &allowed, false, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&state.running, true, __ATOMIC_RELEASE);
	if (!thread_create(serve))
		__atomic_store_n(&state.running, false, __ATOMIC_RELEASE);
}

static bool is_running(void)
{
	return __atomic_load_n(&state.running, __ATOMIC_ACQUIRE);
}

/* Wait for another answer; false: it is too late. */
static bool wait_more(uint32_t seen, uint64_t until)
{
	uint64_t now = store_now();

	if (now >= until || !is_running())
		return false;
	wait_for(&state.answered, seen, until - now);
	return true;
}

bool nvml_free_before(unsigned int device, uint64_t *free)
{
	uint64_t until = store_now() + NVML_WAIT_BEFORE;
	const struct before *before;
	uint32_t seen;

	if (__atomic_load_n(&state.begun, __ATOMIC_ACQUIRE))
		return false;
	begin();
	do {
		seen = __atomic_load_n(&state.answered, __ATOMIC_ACQUIRE);
	} while (!__atomic_load_n(&state.known, __ATOMIC_ACQUIRE) &&
		 wait_more(seen, until));
	if (__atomic_exchange_n(&state.begun, true, __ATOMIC_ACQ_REL) ||
	    !__atomic_load_n(&state.known, __ATOMIC_ACQUIRE))
		return false;
	before = find_before(device);
	if (!before)
		return false;
	*free = before->free;
	return true;
}

uint64_t nvml_ask(unsigned int device)
{
	uint64_t now = store_now();

	begin();
	if (!is_running() || device >= LA_PROBE_DEVICES)
		return 0;
	__atomic_store_n(&state.wanted[device], now, __ATOMIC_RELEASE);
	wait_ring(&state.asked);
	return now;
}

void nvml_find_self(unsigned int device)
{
	if (device < LA_PROBE_DEVICES)
		__atomic_store_n(&state.look[device], true, __ATOMIC_RELEASE);
	(void)nvml_ask(device);
}

static bool copy(struct la_probe_oom *oom, unsigned int device, uint64_t asked)
{
	const struct answer *a = &state.answer[device];
	bool done;

	spin_lock(&state.lock);
	done = a->asked >= asked;
	if (done) {
		oom->nvml_used = a->used;
		oom->nvml_total = a->total;
		oom->processes = a->processes;
		memcpy(oom->process, a->list, sizeof(a->list));
		oom->process_count = a->count;
	}
	spin_unlock(&state.lock);
	return done;
}

bool nvml_fill(struct la_probe_oom *oom, unsigned int device, uint64_t asked,
	       uint64_t until)
{
	uint32_t seen;

	if (!asked || device >= LA_PROBE_DEVICES)
		return false;
	for (;;) {
		seen = __atomic_load_n(&state.answered, __ATOMIC_ACQUIRE);
		if (copy(oom, device, asked))
			return true;
		if (__atomic_load_n(&state.late, __ATOMIC_RELAXED))
			return false;
		if (!wait_more(seen, until))
			break;
	}
	if (until)
		__atomic_store_n(&state.late, true, __ATOMIC_RELAXED);
	return false;
}
