// SPDX-License-Identifier: Apache-2.0
/*
 * play-heap RELEASE: what the heap does with programs, a line for each of its
 * answers.  Lines of a program:
 *
 *   program LAYOUT CARD TOTAL SETTING	begins one: enum la_layout, bytes that
 *					the device has and says it has
 *   fraction F			memory fraction, before all that follows
 *   set SETTING
 *   alloc BYTES STREAM
 *   free N				what the Nth alloc gave, from 0
 *   empty				empty_cache()
 *   begin N, end N, drop N		use_mem_pool(), and the end of a MemPool
 *
 * Mappings that touch and follow one another are shown as one; unmappings too.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/device.h>
#include <liballoc/heap.h>
#include <liballoc/setting.h>


static struct la_setting_context context;
static struct la_setting *setting;
static struct la_heap *heap; /* NULL: not begun */
static struct la_heap_config config;
static la_block *block;
static size_t blocks;
static int pool; /* in use */

static struct {
	enum la_action action; /* LA_ACTION_COUNT: there is none */
	uint64_t addr, size;
} last = { .action = LA_ACTION_COUNT }; /* event that may go on */
static bool oom; /* did the request at hand send such an event? */

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "play-heap: %s\n", what);
	exit(EXIT_FAILURE);
}

static void flush(void)
{
	if (last.action < LA_ACTION_COUNT)
		printf("%s %" PRIx64 " %" PRIu64 "\n",
		       la_action_name(last.action), last.addr, last.size);
	last.action = LA_ACTION_COUNT;
}

static void hear_segment(enum la_action action, uint64_t addr, uint64_t size)
{
	if (action == last.action && addr == last.addr + last.size &&
	    (action == LA_SEGMENT_MAP || action == LA_SEGMENT_UNMAP)) {
		last.size += size;
		return;
	}
	flush();
	last.action = action;
	last.addr = addr;
	last.size = size;
}

static void hear(void *data, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream)
{
	(void)data;
	(void)stream;
	switch (action) {
	case LA_SEGMENT_ALLOC:
	case LA_SEGMENT_FREE:
	case LA_SEGMENT_MAP:
	case LA_SEGMENT_UNMAP:
		hear_segment(action, addr, size);
		break;
	case LA_ALLOC:
		flush();
		printf("alloc %" PRIx64 "\n", addr);
		break;
	case LA_OOM:
		oom = true;
		break;
	default:
		break;
	}
}

static void parse(const char *text)
{
	struct la_setting *next;
	struct la_error err;

	if (la_setting_parse_for(&next, text, strlen(text), &context, &err) < 0)
		die(err.text);
	la_setting_free(setting);
	setting = next;
	context.previous = la_setting_values(setting);
	context.set_at = LA_SET_AT_RUNTIME;
}

static void set_fraction(double fraction)
{
	config.cap = la_heap_cap(fraction, config.total, config.release);
}

static void end(void)
{
	flush();
	la_heap_free(heap);
	heap = NULL;
	la_device_destroy(config.device);
	config.device = NULL;
	la_setting_free(setting);
	setting = NULL;
	free(block);
	block = NULL;
	blocks = 0;
	pool = LA_DEFAULT_POOL;
}

static void begin(const char *line)
{
	uint64_t card;
	int layout, at;

	end();
	if (sscanf(line, "%d %" SCNu64 " %" SCNu64 "%n", &layout, &card,
		   &config.total, &at) != 3 ||
	    la_device_sim(&config.device, (enum la_layout)layout, card, 0) < 0)
		die("not a program");
	context.set_at = LA_SET_AT_INIT;
	context.previous = NULL;
	parse(line + at + (line[at] == ' '));
	config.cap = UINT64_MAX;
	if (context.previous->per_process_memory_fraction < 1)
		set_fraction(context.previous->per_process_memory_fraction);
}

static void change(const char *text)
{
	parse(text);
	if (la_heap_set(heap, la_setting_values(setting), NULL) < 0)
		die("setting not taken");
}

static void take(uint64_t size, uint64_t stream)
{
	la_block got = LA_NO_BLOCK;
	int err;

	block = realloc(block, (blocks + 1) * sizeof(*block));
	if (!block)
		die("out of memory");
	err = la_heap_alloc(heap, size, la_heap_stream(heap, stream), pool,
			    &got);
	if (err < 0) {
		flush();
		puts(oom ? "oom" : "refused");
	}
	oom = false;
	block[blocks++] = got;
}

static void give(uint64_t number)
{
	if (number >= blocks)
		die("no such alloc");
	if (block[number] != LA_NO_BLOCK)
		la_heap_release(heap, block[number]);
	block[number] = LA_NO_BLOCK;
}

static void use_pool(const char *word, uint64_t number)
{
	const uint64_t id[2] = { 0, number };
	int used = la_heap_pool(heap, id);

	if (!strcmp(word, "drop"))
		la_heap_pool_drop(heap, used);
	else
		pool = !strcmp(word, "begin") ? used : LA_DEFAULT_POOL;
}

static void play(char *line)
{
	char *rest = line + strcspn(line, " ");
	uint64_t number, stream;

	if (*rest)
		*rest++ = '\0';
	if (!strcmp(line, "program")) {
		begin(rest);
		return;
	}
	if (!strcmp(line, "fraction")) {
		set_fraction(strtod(rest, NULL));
		return;
	}
	config.setting = la_setting_values(setting);
	if (!heap && la_heap_new(&heap, &config, NULL) < 0)
		die("no heap");
	number = strtoull(rest, &rest, 10);
	stream = strtoull(rest, NULL, 10);
	if (!strcmp(line, "alloc"))
		take(number, stream);
	else if (!strcmp(line, "free"))
		give(number);
	else if (!strcmp(line, "empty"))
		la_heap_empty_cache(heap);
	else if (!strcmp(line, "set"))
		change(rest);
	else
		use_pool(line, number);
}

int main(int argc, char **argv)
{
	static char line[4096];

	if (argc != 2 || la_release_parse(&context.release, argv[1], NULL) < 0)
		die("no release");
	config.release = context.release;
	config.listener = hear;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		play(line);
	}
	end();
	return 0;
}
