// SPDX-License-Identifier: Apache-2.0
/*
 * PyTorch's other allocators, its calls of CUDA, and libraries in it.
 *
 *	async		backend:cudaMallocAsync
 *	mps mps-buffer	Apple
 *	cuda-error	any call of the runtime; cuda-driver-error: of VMM
 *	xpu-error	the same of Intel's
 *	cublas cudnn cufft cusolver nccl	their own memory
 *	cpu cpu-lua	the host's memory
 *	nvml-assert	an assertion failed while reporting an OOM
 *	directml	Windows
 */
#include <limits.h>
#include <string.h>

#include "triage/message.h"

#include <liballoc/setting.h>

enum { SEEN_WHOLE = 1 << 0, SEEN_LAST = 1 << 1 };

static const struct la_beginning async_starts[] = {
	{ "Allocation on device %d would exceed allowed memory",
	  .form = "async", .seen = SEEN_WHOLE },
	{ "Allocation on device %d", .form = "async" },
	{ "Allocation on device", .form = "async" },
	{ .pattern = NULL },
};

static const struct la_clause async_clauses[] = {
	{ "Currently allocated~:~%a", 0 },
	{ "Requested~:~%S", 0 },
	{ "Device limit~:~%t", 0 },
	{ "Free (according to CUDA)~:~%f", 0 },
	{ "PyTorch limit (set by user-supplied memory fraction)~:~%l",
	  SEEN_LAST },
	{ NULL, 0 },
};

static bool finish_async(struct la_message *m)
{
	m->facts.truncated = !(m->seen & SEEN_LAST);
	m->facts.release[0] = LA_RELEASE(2, 0);
	return m->seen & SEEN_WHOLE || la_message_raised(m, "OutOfMemoryError");
}

static const struct la_grammar async = {
	.framework = "pytorch",
	.backend = "cuda",
	.kind = LA_OOM_ASYNC,
	.units = true,
	.start = async_starts,
	.clause = async_clauses,
	.finish = finish_async,
};

static const struct la_beginning mps_starts[] = {
	{ "MPS backend out of memory", .form = "mps" },
	{ "MPS allocated: %v, other allocations: %o", .form = "mps" },
	{ "Invalid buffer size: %s", .form = "mps-buffer", .seen = SEEN_LAST },
	{ .pattern = NULL },
};

static const struct la_clause mps_clauses[] = {
	{ "MPS allocated: %v,", 0 },
	{ "other allocations: %o,", 0 },
	{ "max allowed: %l", 0 },
	{ "Tried to allocate %s on", SEEN_LAST },
	{ NULL, 0 },
};

static bool finish_mps(struct la_message *m)
{
	m->facts.truncated = !(m->seen & SEEN_LAST);
	return true;
}

static const struct la_grammar mps = {
	.framework = "pytorch",
	.backend = "mps",
	.kind = LA_OOM_MPS,
	.units = true,
	.start = mps_starts,
	.clause = mps_clauses,
	.finish = finish_mps,
};

static const struct la_beginning call_starts[] = {
	{ "CUDA error: out of memory", .form = "cuda-error" },
	{ "HIP error: out of memory", .form = "cuda-error", .backend = "hip" },
	{ .pattern = NULL },
};

/* A line that a traceback puts below a frame's source: "    ^^^^^". */
static bool is_marking(const char *line, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!strchr(" ~^", line[i]))
			return false;
	return true;
}

static bool pins(const char *line, size_t length)
{
	return memmem(line, length, "pin_memory(", 11) ||
	       memmem(line, length, "pin_memory=True", 15);
}

/* The call is that of the innermost frame, whose source is the line above. */
static bool is_pinning(const struct la_message *m)
{
	const struct la_text *text = m->text;
	size_t n = la_text_line(text, m->start), end = text->lines[n].offset;
	size_t start, length;

	while (n > 0) {
		start = text->lines[--n].offset;
		length = end - start - 1;
		end = start;
		if (!is_marking(text->data + start, length))
			return pins(text->data + start, length);
	}
	return false;
}

/* Code that asks for it has it in quotes. */
static bool finish_call(struct la_message *m)
{
	if (m->body > 0 && !m->quoted &&
	    strchr("\"'", m->text->data[m->body - 1]))
		return false;
	if (la_message_raised(m, "AcceleratorError"))
		m->facts.release[0] = LA_RELEASE(2, 8);
	if (is_pinning(m))
		m->facts.kind = LA_OOM_PINNED;
	return true;
}

static const struct la_grammar call = {
	.framework = "pytorch",
	.backend = "cuda",
	.kind = LA_OOM_CALL,
	.start = call_starts,
	.finish = finish_call,
};

static const struct la_beginning xpu_starts[] = {
	{ "UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", .form = "xpu-error" },
	{ "UR_RESULT_ERROR_OUT_OF_RESOURCES", .form = "xpu-error" },
	{ "PI_ERROR_OUT_OF_RESOURCES", .form = "xpu-error" },
	{ "PI_ERROR_OUT_OF_HOST_MEMORY", .form = "xpu-error" },
	{ .pattern = NULL },
};

static const struct la_grammar xpu = {
	.framework = "pytorch",
	.backend = "xpu",
	.kind = LA_OOM_CALL,
	.start = xpu_starts,
};

static const struct la_beginning mapping_starts[] = {
	{ "CUDA driver error: out of memory", .form = "cuda-driver-error" },
	{ "HIP driver error: out of memory", .form = "cuda-driver-error",
	  .backend = "hip" },
	{ .pattern = NULL },
};

static const struct la_grammar mapping = {
	.framework = "pytorch",
	.backend = "cuda",
	.kind = LA_OOM_MAPPING,
	.start = mapping_starts,
};

static const struct la_beginning library_starts[] = {
	{ "CUDA error: CUBLAS_STATUS_ALLOC_FAILED", .form = "cublas" },
	{ "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED", .form = "cublas" },
	{ "CUBLAS_STATUS_ALLOC_FAILED", .form = "cublas" },
	{ "cublas runtime error : resource allocation failed",
	  .form = "cublas" },
	{ "HIPBLAS_STATUS_ALLOC_FAILED", .form = "cublas", .backend = "hip" },
	{ "cuDNN error: CUDNN_STATUS_ALLOC_FAILED", .form = "cudnn" },
	{ "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", .form = "cudnn" },
	{ "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR", .form = "cudnn" },
	{ "CUDNN_STATUS_ALLOC_FAILED", .form = "cudnn" },
	{ "Unable to find a valid cuDNN algorithm to run convolution",
	  .form = "cudnn" },
	{ "unable to find an engine to execute this computation",
	  .form = "cudnn" },
	{ "No valid engine configs", .form = "cudnn" },
	{ "CUSOLVER_STATUS_ALLOC_FAILED", .form = "cusolver" },
	{ "CUSOLVER_STATUS_INTERNAL_ERROR, when calling "
	  "`cusolverDnCreate(handle)`",
	  .form = "cusolver" },
	{ "cuFFT error: CUFFT_ALLOC_FAILED", .form = "cufft" },
	{ "cuFFT error: CUFFT_INTERNAL_ERROR", .form = "cufft" },
	{ .pattern = NULL },
};

static const struct la_clause library_clauses[] = {
	{ "when calling %w", 0 },
	{ NULL, 0 },
};

static const struct la_grammar library = {
	.framework = "pytorch",
	.backend = "cuda",
	.kind = LA_OOM_LIBRARY,
	.start = library_starts,
	.clause = library_clauses,
};

static const struct la_beginning torch7_starts[] = {
	{ "Error in CuDNN: CUDNN_STATUS_ALLOC_FAILED", .form = "cudnn" },
	{ .pattern = NULL },
};

static const struct la_grammar torch7 = {
	.framework = "torch7",
	.backend = "cuda",
	.kind = LA_OOM_LIBRARY,
	.start = torch7_starts,
};

static const struct la_beginning nccl_starts[] = {
	{ "NCCL WARN Cuda failure 'out of memory'", .form = "nccl" },
	{ "NCCL WARN Cuda failure %n 'out of memory'", .form = "nccl" },
	{ "Cuda failure 'out of memory'", .form = "nccl" },
	{ "Cuda failure %n 'out of memory'", .form = "nccl" },
	{ "NCCL WARN Failed to CUDA calloc async %r", .form = "nccl" },
	{ "NCCL WARN Failed to CUDA calloc %r", .form = "nccl" },
	{ "Failed to CUDA calloc async %r", .form = "nccl" },
	{ "Failed to CUDA calloc %r", .form = "nccl" },
	{ .pattern = NULL },
};

static const struct la_clause nccl_clauses[] = {
	{ "Failed to CUDA calloc async %r", 0 },
	{ "Failed to CUDA calloc %r", 0 },
	{ NULL, 0 },
};

static const struct la_grammar nccl = {
	.framework = "pytorch",
	.backend = "cuda",
	.kind = LA_OOM_LIBRARY,
	.units = true,
	.start = nccl_starts,
	.clause = nccl_clauses,
};

static const struct la_beginning cpu_starts[] = {
	{ "DefaultCPUAllocator: can't allocate memory: you tried to "
	  "allocate %r",
	  .form = "cpu" },
	{ "DefaultCPUAllocator: not enough memory: you tried to allocate %r",
	  .form = "cpu" },
	{ "$ Torch: not enough memory: you tried to allocate %r",
	  .form = "cpu-lua" },
	{ .pattern = NULL },
};

static const struct la_clause cpu_clauses[] = {
	{ "Error code 12 (Cannot allocate memory)", 0 },
	{ "Buy new RAM!", LA_SEEN_HINT },
	{ NULL, 0 },
};

/* Lua's division drops what is left of a GB. */
static bool finish_cpu(struct la_message *m)
{
	struct la_amount *request = &m->facts.amount[LA_AMOUNT_REQUEST];

	if (strcmp(m->facts.form, "cpu-lua") == 0 &&
	    request->basis != LA_BASIS_NONE) {
		uint64_t half = (request->high - request->low) / 2;

		request->low += half;
		request->high += half - 1;
	}
	return true;
}

static const struct la_grammar cpu = {
	.framework = "pytorch",
	.backend = "cpu",
	.kind = LA_OOM_HOST,
	.units = true,
	.start = cpu_starts,
	.clause = cpu_clauses,
	.finish = finish_cpu,
};

static const struct la_beginning assert_starts[] = {
	{ "NVML_SUCCESS == %w INTERNAL ASSERT FAILED", .form = "nvml-assert" },
	{ .pattern = NULL },
};

static const struct la_grammar asserted = {
	.framework = "pytorch",
	.backend = "cuda",
	.kind = LA_OOM_ASSERTED,
	.start = assert_starts,
};

static const struct la_beginning directml_starts[] = {
	{ "Could not allocate tensor with %r. There is not enough GPU video "
	  "memory",
	  .form = "directml" },
	{ .pattern = NULL },
};

static const struct la_grammar directml = {
	.framework = "directml",
	.backend = "directml",
	.kind = LA_OOM_FRAMEWORK,
	.start = directml_starts,
};

const struct la_grammar *const la_torch_other_grammars[] = {
	&async,	  &xpu,	 &mps, &call,	  &mapping,  &torch7,
	&library, &nccl, &cpu, &asserted, &directml, NULL,
};
