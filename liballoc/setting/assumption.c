// SPDX-License-Identifier: Apache-2.0
/* The lines of torch's sources that its texts name. */
#include "setting/parser.h"
#include "util/util.h"

/* From one release on; a line of 0: that release has no such text. */
static const struct places {
	unsigned int first;
	const char *folder; /* where the wheels of that release were built */
	const char *backend_file;
	int line[LA_ASSUMED_LIST_END + 1];
} places[] = {
	{ LA_RELEASE(2, 0), "..", "CUDACachingAllocator.cpp", { 644 } },
	{ LA_RELEASE(2, 1), "..", "CUDACachingAllocator.cpp", { 1058 } },
	{ LA_RELEASE(2, 2), "..", "CUDAAllocatorConfig.cpp", { 225 } },
	{ LA_RELEASE(2, 3), "..", "CUDAAllocatorConfig.cpp", { 226 } },
	{ LA_RELEASE(2, 4), "..", "CUDAAllocatorConfig.cpp", { 227 } },
	{ LA_RELEASE(2, 6), "/pytorch", "CUDAAllocatorConfig.cpp", { 250 } },
	{ LA_RELEASE(2, 8), "/pytorch", "CUDAAllocatorConfig.cpp", { 287 } },
	{ LA_RELEASE(2, 9), "/pytorch", "CUDAAllocatorConfig.cpp", { 288 } },
	{ LA_RELEASE(2, 10),
	  "/pytorch",
	  "CUDAAllocatorConfig.cpp",
	  { 44, 126, 57, 117, 162 } },
	{ LA_RELEASE(2, 11),
	  "/pytorch",
	  "CUDAAllocatorConfig.cpp",
	  { 44, 124, 55, 115, 185 } },
	{ LA_RELEASE(2, 13),
	  "/__w/pytorch/pytorch",
	  "CUDAAllocatorConfig.cpp",
	  { 44, 124, 55, 115, 211 } },
	{ LA_RELEASE(2, 15),
	  "/__w/pytorch/pytorch",
	  "CUDAAllocatorConfig.cpp",
	  { 64, 123, 54, 114, 213 } },
};

static const struct places *places_of(unsigned int release)
{
	size_t i = ARRAY_SIZE(places) - 1;

	while (places[i].first > release)
		i--;
	return &places[i];
}

static const char *condition_of(const struct la_parser *p,
				enum la_assumption assumption)
{
	switch (assumption) {
	case LA_ASSUMED_BACKEND:
		return p->context->release < LA_RELEASE(2, 10) ?
			       "config[i] == get()->name()" :
			       "tokenizer[i] == get()->name()";
	case LA_ASSUMED_LIST_END:
		return "i < tokenizer.size()";
	default:
		return "i < config_.size()";
	}
}

static const char *file_of(const struct places *at,
			   enum la_assumption assumption)
{
	switch (assumption) {
	case LA_ASSUMED_BACKEND:
		return at->backend_file;
	case LA_ASSUMED_LIST_END:
		return "AllocatorConfig.cpp";
	default:
		return "AllocatorConfig.h";
	}
}

int la_parser_broken(struct la_parser *p, size_t i, enum la_refusal_kind kind,
		     enum la_assumption assumption, const char *text)
{
	const struct places *at = places_of(p->context->release);
	bool backend = assumption == LA_ASSUMED_BACKEND;

	return la_parser_refuse(p, i, kind,
				"%s INTERNAL ASSERT FAILED at "
				"\"%s/c10/%s/%s\":%d, please report a bug to "
				"PyTorch. %s",
				condition_of(p, assumption), at->folder,
				backend ? "cuda" : "core",
				file_of(at, assumption), at->line[assumption],
				text);
}
