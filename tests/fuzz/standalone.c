// SPDX-License-Identifier: Apache-2.0
/*
 * Run a fuzz target without a fuzzer: on every seed, then on mutated seeds
 * and on random bytes, the same ones each time.  Takes libFuzzer's options
 * -runs=N and -max_total_time=SECONDS, and -only=N to repeat one run; other
 * options are ignored, other arguments are folders or files of seeds.
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void))
	__attribute__((weak));

enum { INPUT_MAX = 1 << 16, RANDOM_MAX = 4096, SEEDS_MAX = 4096 };

struct seed {
	uint8_t *data; /* owned, size bytes */
	size_t size; /* at most INPUT_MAX */
};

static struct seed seeds[SEEDS_MAX];
static size_t seed_count;
static volatile uint64_t current; /* the run in progress, from 1 */

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t random_below(uint64_t *state, size_t bound)
{
	return bound ? random_next(state) % bound : 0;
}

static void add_file(const char *path)
{
	struct seed *seed = &seeds[seed_count];
	FILE *file;

	if (seed_count == SEEDS_MAX)
		return;
	file = fopen(path, "rb");
	seed->data = malloc(INPUT_MAX);
	if (!file || !seed->data) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	seed->size = fread(seed->data, 1, INPUT_MAX, file);
	fclose(file);
	seed_count++;
}

static void add_path(const char *path)
{
	struct dirent **names;
	struct stat st;
	char *file;
	int i, count;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		add_file(path);
		return;
	}
	count = scandir(path, &names, NULL, alphasort);
	if (count < 0) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	for (i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.' &&
		    asprintf(&file, "%s/%s", path, names[i]->d_name) > 0) {
			add_file(file);
			free(file);
		}
		free(names[i]);
	}
	free(names);
}

/* Copy a piece of one seed over, or in front of, the bytes at a place. */
static size_t splice(uint8_t *buf, size_t size, uint64_t *state)
{
	const struct seed *other = &seeds[random_below(state, seed_count)];
	size_t from = random_below(state, other->size);
	size_t len = random_below(state, other->size - from) % 512;
	size_t at = random_below(state, size);
	size_t insert = random_next(state) & 1 ? len : 0;

	if (at + len > INPUT_MAX || size + insert > INPUT_MAX)
		return size;
	memmove(buf + at + insert, buf + at, size - at);
	memcpy(buf + at, other->data + from, len);
	size += insert;
	return at + len > size ? at + len : size;
}

static size_t mutate(uint8_t *buf, size_t size, uint64_t *state)
{
	static const uint8_t edges[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', '.' };
	size_t at = random_below(state, size);
	size_t len = random_below(state, size - at) % 64;

	if (!size)
		return splice(buf, size, state);
	switch (random_below(state, 6)) {
	case 0:
		buf[at] ^= (uint8_t)(1u << random_below(state, 8));
		return size;
	case 1:
		buf[at] = edges[random_below(state, sizeof(edges))];
		return size;
	case 2:
		memset(buf + at, 0xff, len % 9);
		return size;
	case 3:
		memmove(buf + at, buf + at + len, size - at - len);
		return size - len;
	case 4:
		return at;
	default:
		return splice(buf, size, state);
	}
}

/* Run n makes the same input each time: a seed, mutated, or random bytes. */
static void run_nth(uint64_t n)
{
	static uint8_t buf[INPUT_MAX];
	uint64_t state = n;
	size_t size, i, changes;
	uint8_t *copy;

	current = n;
	if (n <= seed_count) {
		size = seeds[n - 1].size;
		memcpy(buf, seeds[n - 1].data, size);
	} else if (seed_count && n % 8) {
		i = random_below(&state, seed_count);
		size = seeds[i].size;
		memcpy(buf, seeds[i].data, size);
		changes = 1 + random_below(&state, 8);
		for (i = 0; i < changes; i++)
			size = mutate(buf, size, &state);
	} else {
		size = random_below(&state, RANDOM_MAX);
		for (i = 0; i < size; i++)
			buf[i] = (uint8_t)random_next(&state);
	}
	/* A block of its own, so that ASan sees a read past the end. */
	copy = malloc(size ? size : 1);
	if (!copy)
		exit(EXIT_FAILURE);
	memcpy(copy, buf, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void tell_run(void)
{
	char text[80];
	int len = snprintf(text, sizeof(text),
			   "failed; to repeat: same seeds and -only=%llu\n",
			   (unsigned long long)current);

	if (write(STDERR_FILENO, text, (size_t)len) < 0)
		_exit(EXIT_FAILURE);
}

static void on_signal(int sig)
{
	tell_run();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void report_failures(void)
{
	if (__sanitizer_set_death_callback) {
		__sanitizer_set_death_callback(tell_run);
	} else {
		signal(SIGSEGV, on_signal);
		signal(SIGBUS, on_signal);
	}
	signal(SIGABRT, on_signal);
}

int main(int argc, char **argv)
{
	uint64_t n, runs = 3000, only = 0, seconds = 10;
	time_t start = time(NULL);
	int i;

	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "-runs=", 6))
			runs = strtoull(argv[i] + 6, NULL, 10);
		else if (!strncmp(argv[i], "-only=", 6))
			only = strtoull(argv[i] + 6, NULL, 10);
		else if (!strncmp(argv[i], "-max_total_time=", 16))
			seconds = strtoull(argv[i] + 16, NULL, 10);
		else if (argv[i][0] != '-')
			add_path(argv[i]);
	}
	report_failures();
	if (only) {
		run_nth(only);
		return EXIT_SUCCESS;
	}
	for (n = 1; n <= seed_count + runs; n++) {
		run_nth(n);
		if (n > seed_count && (uint64_t)(time(NULL) - start) >= seconds)
			break;
	}
	printf("%zu seeds, %llu runs\n", seed_count, (unsigned long long)n - 1);
	while (seed_count)
		free(seeds[--seed_count].data);
	return EXIT_SUCCESS;
}
