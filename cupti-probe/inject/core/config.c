// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

#include "core/config.h"
#include "core/parts.h"

enum variable {
#define PROBE_VARIABLE(id, name, takes, standard, help) id,
#include "core/variables.inc"
};

static const char *const names[] = {
#define PROBE_VARIABLE(id, name, takes, standard, help) [id] = name,
#include "core/variables.inc"
};

/* Copies of values: the program may change its environment later. */
static struct {
	char text[8192];
	size_t used;
} kept;

static void complain(struct config *config, enum variable variable,
		     const char *why)
{
	size_t used = strlen(config->note);

	snprintf(config->note + used, sizeof(config->note) - used, "%s %s\n",
		 names[variable], why);
}

static const char *keep(struct config *config, enum variable variable)
{
	const char *value = getenv(names[variable]);
	char *copy = kept.text + kept.used;
	size_t size = value ? strlen(value) + 1 : 0;

	if (size <= 1)
		return NULL;
	if (size > sizeof(kept.text) - kept.used) {
		complain(config, variable, "is too long");
		return NULL;
	}
	kept.used += size;
	return memcpy(copy, value, size);
}

static bool is_one_of(const char *value, const char *const words[4])
{
	int i;

	for (i = 0; i < 4; i++)
		if (!strcasecmp(value, words[i]))
			return true;
	return false;
}

static bool read_switch(struct config *config, enum variable variable,
			bool standard)
{
	static const char *const on[] = { "on", "1", "yes", "true" };
	static const char *const off[] = { "off", "0", "no", "false" };
	const char *value = getenv(names[variable]);

	if (!value || !*value)
		return standard;
	if (is_one_of(value, on))
		return true;
	if (is_one_of(value, off))
		return false;
	complain(config, variable, "is neither on nor off");
	return standard;
}

/* The factor of a unit; 0: there is none of that name. */
static uint64_t unit(const char *name)
{
	static const char letters[] = "KMGT";
	const char *letter;
	uint64_t base, factor;

	if (!*name || !strcasecmp(name, "B"))
		return 1;
	letter = strchr(letters, *name & ~0x20);
	if (!letter)
		return 0;
	if (!strcasecmp(name + 1, "B"))
		base = 1000;
	else if (!name[1] || !strcasecmp(name + 1, "i") ||
		 !strcasecmp(name + 1, "iB"))
		base = 1024;
	else
		return 0;
	for (factor = base; letter > letters; letter--)
		factor *= base;
	return factor;
}

/* A whole number and a unit; false: it is none, or 0. */
static bool parse_size(const char *text, uint64_t *size)
{
	uint64_t number = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *text - '0', &number))
			return false;
	while (*text == ' ')
		text++;
	if (__builtin_mul_overflow(number, unit(text), &number) || !number)
		return false;
	*size = number;
	return true;
}

static uint64_t read_size(struct config *config, enum variable variable,
			  uint64_t standard)
{
	const char *value = getenv(names[variable]);
	uint64_t size;

	if (!value || !*value)
		return standard;
	if (parse_size(value, &size))
		return size;
	complain(config, variable, "is no size");
	return standard;
}

void config_read(struct config *config)
{
	memset(config, 0, sizeof(*config));
	kept.used = 0;
	config->off = getauxval(AT_SECURE) || !read_switch(config, OFF, true);
	config->directory = keep(config, DIRECTORY);
	config->size = read_size(config, SIZE, PROBE_FILE_SIZE);
	config->node_size = read_size(config, NODE_SIZE, 0);
	config->allocator = read_switch(config, ALLOCATOR, true);
	config->exclusive = read_switch(config, EXCLUSIVE, false);
	config->chain = keep(config, CHAIN);
	config->reporter = keep(config, REPORT);
	config->nvml = read_switch(config, NVML, true);
	config->arguments = read_switch(config, ARGUMENTS, false);
	config->run = keep(config, RUN);
}
