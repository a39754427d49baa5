// SPDX-License-Identifier: Apache-2.0
/*
 * Any needle has one of its first STRIDE blocks of three bytes where the
 * offset is a multiple of STRIDE: only these blocks are looked up.
 */
#include "triage/needle.h"

#include <string.h>

#include "triage/pattern.h"
#include "util/util.h"

/*
 * A needle counts only where the word before or after it is the named one, or
 * lies on another line, behind a wrap or a prefix.  Folded.
 */
static const struct needle {
	const char *text;
	const char *before;
	const char *after;
} needles_of_messages[] = {
	/* PyTorch's allocator, and "out of memory" of everybody */
	{ "out of", NULL, "memory" },
	{ "of memory", "out", NULL },
	{ "out of resource", NULL, NULL },
	{ "out_of_memory", NULL, NULL },
	{ "outofmemory", NULL, NULL },
	{ "outofdevicememory", NULL, NULL },
	{ "out_of_device_memory", NULL, NULL },
	{ "out_of_resources", NULL, NULL },
	{ "out_of_host_memory", NULL, NULL },
	{ "cudaerrormemoryalloc", NULL, NULL },
	{ "pinned memory", NULL, NULL },
	{ "to allocate", NULL, NULL },
	{ "allocate memory", NULL, NULL },
	{ "cannot allocate", NULL, NULL },
	{ "allocate tensor", NULL, NULL },
	{ "allocate request", NULL, NULL },
	{ "allocating tensor", NULL, NULL },
	{ "oom when", NULL, NULL },
	{ "total capac", NULL, NULL },
	{ "already allocated", NULL, NULL },
	{ "reserved in total", NULL, NULL },
	{ "reserved by pytorch", NULL, NULL },
	{ "allocated by pytorch", NULL, NULL },
	{ "memory in use", NULL, NULL },
	{ "preemptively rejected", NULL, NULL },
	{ "would exceed", NULL, NULL },
	{ "according to cuda", NULL, NULL },
	{ "allocation on device", NULL, NULL },
	{ "invalid buffer size", NULL, NULL },
	{ "runtime error (2)", NULL, NULL },
	{ "thcudacheck", NULL, NULL },
	/* libraries */
	{ "_alloc_failed", NULL, NULL },
	{ "resource allocation", NULL, NULL },
	{ "cublas_status_not", NULL, NULL },
	{ "cudnn_status_not", NULL, NULL },
	{ "cudnn_status_int", NULL, NULL },
	{ "cusolver_status_int", NULL, NULL },
	{ "cufft_internal", NULL, NULL },
	{ "valid cudnn", NULL, NULL },
	{ "find an engine", NULL, NULL },
	{ "engine to execute", NULL, NULL },
	{ "to execute this", NULL, NULL },
	{ "find a valid", NULL, NULL },
	{ "cudnn algorithm", NULL, NULL },
	{ "valid engine config", NULL, NULL },
	{ "cuda calloc", NULL, NULL },
	{ "not enough", NULL, "memory" },
	{ "nvml_success ==", NULL, NULL },
	{ "internal assert failed", NULL, NULL },
	{ "enough gpu video", NULL, NULL },
	/* other frameworks */
	{ "trying to alloc", NULL, NULL },
	{ "memory allocat", NULL, NULL },
	{ "bfc_allocator.cc", NULL, NULL },
	{ "chunks of size", NULL, NULL },
	{ "total of in-use", NULL, NULL },
	{ "allocated_bytes_:", NULL, NULL },
	{ "maxinuse", NULL, NULL },
	{ "failed to alloc", NULL, NULL },
	{ "resource_exhausted:", NULL, NULL },
	{ "no available", NULL, "memory" },
	{ "memory for the", NULL, NULL },
	{ "the cache blocks", NULL, NULL },
	{ "available memory of", NULL, NULL },
	{ "cache is needed", NULL, NULL },
	{ "serve at least", NULL, NULL },
	{ "stored in kv cache", NULL, NULL },
	{ "memory on device", NULL, NULL },
	{ "on startup is", NULL, NULL },
	{ "cudamalloc failed", NULL, NULL },
	{ "hipmalloc failed", NULL, NULL },
	{ "buffer of size", NULL, NULL },
	{ "bad_alloc", NULL, NULL },
	{ "smaller than requested", NULL, NULL },
	{ "amount of gpu memory", NULL, NULL },
	/* the host */
	{ "killed process", NULL, NULL },
	{ "kill process", NULL, NULL },
	{ "oom-kill", NULL, NULL },
	{ "oom_kill", NULL, NULL },
	{ "oomkilled", NULL, NULL },
	{ "memory limit", NULL, NULL },
	{ "killed", "", "" },
	{ "sigkill", NULL, NULL },
	{ "code 137", NULL, NULL },
	{ "code: 137", NULL, NULL },
	{ "code: -9", NULL, NULL },
	{ "code -9", NULL, NULL },
	{ "status 137", NULL, NULL },
	{ "signal 9", NULL, NULL },
	{ "by signal", NULL, NULL },
	{ "errno 12]", NULL, NULL },
	{ "unable to allocate", NULL, NULL },
	{ "bus error", NULL, NULL },
	{ "shared memory", NULL, NULL },
	{ "space left on", NULL, NULL },
	{ "nvrm: xid", NULL, NULL },
	{ "xid (pci", NULL, NULL },
};

enum { BLOCK = 3, STRIDE = LA_NEEDLE_LEAST - BLOCK + 1 };

_Static_assert(ARRAY_SIZE(needles_of_messages) < 256, "indices are bytes");

/* Three bytes, without what tells the cases of a letter apart, as a hash. */
static size_t block(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t bytes = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;

	return (size_t)((bytes & 0xdfdfdf) * 2654435761U >> 17);
}

void la_needles_init(struct la_needles *needles)
{
	size_t i, k;

	memset(needles, 0, sizeof(*needles));
	for (i = 0; i < ARRAY_SIZE(needles_of_messages); i++) {
		const char *text = needles_of_messages[i].text;
		uint8_t *first = &needles->first[(unsigned char)text[0]];

		for (k = 0; k < STRIDE; k++)
			needles->block[block(text + k)] |= 1U << k;
		needles->next[i + 1] = *first;
		*first = (uint8_t)(i + 1);
	}
}

static bool word_at(const char *word, const char *text, size_t at,
		    size_t length)
{
	for (; *word; word++, at++)
		if (at >= length || la_fold(text[at]) != *word)
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The word before at is the one wanted, or a prefix ends there. */
static bool before_fits(const char *word, const char *text, size_t at)
{
	size_t length = strlen(word);

	while (at > 0 && is_blank(text[at - 1]))
		at--;
	if (at == 0 || text[at - 1] < 'a' || text[at - 1] > 'z')
		return true;
	return length && at >= length && word_at(word, text, at - length, at);
}

static bool after_fits(const char *word, const char *text, size_t at,
		       size_t length)
{
	if (*word == '\0' && at < length && la_is_word(text[at]))
		return false;
	while (at < length && is_blank(text[at]))
		at++;
	if (at == length || !la_is_word(text[at]))
		return true;
	return word_at(word, text, at, length);
}

static bool matches(const struct needle *needle, const char *text, size_t at,
		    size_t length)
{
	if (!word_at(needle->text, text, at, length))
		return false;
	if (needle->before && !before_fits(needle->before, text, at))
		return false;
	return !needle->after || after_fits(needle->after, text,
					    at + strlen(needle->text), length);
}

static bool found_at(const struct la_needles *needles, const char *text,
		     size_t at, size_t length)
{
	uint8_t i = needles->first[(unsigned char)la_fold(text[at])];

	for (; i; i = needles->next[i])
		if (matches(&needles_of_messages[i - 1], text, at, length))
			return true;
	return false;
}

size_t la_needles_find(const struct la_needles *needles, const char *text,
		       size_t from, size_t length)
{
	size_t at = from, k;

	for (; at + BLOCK <= length; at += STRIDE) {
		uint8_t places = needles->block[block(text + at)];

		for (k = STRIDE; places && k-- > 0;)
			if (places >> k & 1 && at - from >= k &&
			    found_at(needles, text, at - k, length))
				return at - k;
	}
	return length;
}
