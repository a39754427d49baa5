// SPDX-License-Identifier: Apache-2.0
/*
 * JAX, XLA and TensorFlow.
 *
 *	jax		XLA: "Out of memory while trying to allocate"
 *	jax-failed-request	of its allocator
 *	tf-bfc		TensorFlow's allocator gave up
 *	tf-bfc-warning	it says itself that this is no failure
 *	tf-dump		what it prints of its state
 *	tf-driver	the device refused
 *	tf-pinned	the host's pinned memory
 *	tf-library	cuBLAS or cuDNN found none left
 */
#include "triage/message.h"

static const struct la_beginning jax_starts[] = {
	{ "Out of memory while trying to allocate %r", .form = "jax" },
	{ "Out of memory allocating %r", .form = "jax" },
	{ "Failed to allocate request for %z (%r) on device ordinal %d",
	  .form = "jax-failed-request" },
	{ "Ran out of memory in memory space hbm. Used %r of %l hbm",
	  .form = "jax", .backend = "tpu" },
	{ .pattern = NULL },
};

static const struct la_grammar jax = {
	.framework = "jax",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.units = true,
	.start = jax_starts,
};

enum { SEEN_HARMLESS = 1 << 0, SEEN_HOST = 1 << 1 };

static const struct la_beginning bfc_starts[] = {
	{ "Allocator (GPU_%d_bfc) ran out of memory trying to allocate %r",
	  .form = "tf-bfc" },
	{ "Allocator (cuda_host_bfc) ran out of memory trying to allocate %r",
	  .form = "tf-pinned", .seen = SEEN_HOST },
	{ "Allocator %w ran out of memory trying to allocate %r",
	  .form = "tf-bfc" },
	{ "Ran out of memory trying to allocate %r", .form = "tf-bfc" },
	{ "OOM when allocating tensor with shape", .form = "tf-bfc",
	  .flags = LA_BEGIN_DETAIL },
	{ "RESOURCE_EXHAUSTED: failed to allocate memory", .form = "tf-bfc" },
	{ .pattern = NULL },
};

static const struct la_clause bfc_clauses[] = {
	{ "The caller indicates that this is not a failure", SEEN_HARMLESS },
	{ "(rounded to %s)", 0 },
	{ "/device:GPU:%d by allocator", 0 },
	{ NULL, 0 },
};

static bool finish_bfc(struct la_message *m)
{
	if (m->seen & SEEN_HOST) {
		m->facts.kind = LA_OOM_PINNED;
		m->facts.backend = "cpu";
	}
	if (m->seen & SEEN_HARMLESS) {
		m->facts.form = "tf-bfc-warning";
		m->facts.kind = LA_OOM_HARMLESS;
	}
	return true;
}

static const struct la_grammar bfc = {
	.framework = "tensorflow",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = bfc_starts,
	.clause = bfc_clauses,
	.finish = finish_bfc,
};

static const struct la_beginning dump_starts[] = {
	{ "Sum Total of in-use chunks: %a", .form = "tf-dump" },
	{ "total_region_allocated_bytes_: %v memory_limit_: %l",
	  .form = "tf-dump" },
	{ "Total bytes in pool: %v memory_limit_: %l", .form = "tf-dump" },
	{ "Limit: %l InUse: %a MaxInUse: %n", .form = "tf-dump" },
	{ "%n Chunks of size %n totalling %z", .form = "tf-dump" },
	{ .pattern = NULL },
};

static const struct la_clause dump_clauses[] = {
	{ "%n Chunks of size %n totalling %z", 0 },
	{ "Sum Total of in-use chunks: %a", 0 },
	{ "total_region_allocated_bytes_: %v memory_limit_: %l", 0 },
	{ "Total bytes in pool: %v memory_limit_: %l", 0 },
	{ "Limit: %l InUse: %a MaxInUse: %n", 0 },
	{ "LargestFreeBlock: %g", 0 },
	{ NULL, 0 },
};

static const struct la_grammar dump = {
	.framework = "tensorflow",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.refines = true,
	.start = dump_starts,
	.clause = dump_clauses,
};

static const struct la_beginning driver_starts[] = {
	{ "failed to allocate %z (%r) from device: CUDA_ERROR_OUT_OF_MEMORY",
	  .form = "tf-driver" },
	{ .pattern = NULL },
};

static const struct la_grammar driver = {
	.framework = "tensorflow",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = driver_starts,
};

static const struct la_beginning pinned_starts[] = {
	{ "could not allocate pinned host memory of size: %r",
	  .form = "tf-pinned" },
	{ "failed to alloc %r on host: CUDA_ERROR_OUT_OF_MEMORY",
	  .form = "tf-pinned" },
	{ .pattern = NULL },
};

static const struct la_grammar pinned = {
	.framework = "tensorflow",
	.backend = "cpu",
	.kind = LA_OOM_PINNED,
	.start = pinned_starts,
};

static const struct la_beginning library_starts[] = {
	{ "failed to create cublas handle: CUBLAS_STATUS_",
	  .form = "tf-library" },
	{ "Could not create cudnn handle: CUDNN_STATUS_",
	  .form = "tf-library" },
	{ .pattern = NULL },
};

static const struct la_grammar library = {
	.framework = "tensorflow",
	.backend = "cuda",
	.kind = LA_OOM_LIBRARY,
	.start = library_starts,
};

const struct la_grammar *const la_xla_grammars[] = {
	&jax, &bfc, &dump, &driver, &pinned, &library, NULL,
};
