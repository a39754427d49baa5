// SPDX-License-Identifier: Apache-2.0
/*
 * Frameworks and engines with allocators of their own.
 *
 *	vllm-no-blocks vllm-kv-cache vllm-startup	vLLM; sglang
 *	ggml		llama.cpp and its kin
 *	cupy rmm onnxruntime paddle tensorrt
 *	triton-shared	a kernel's shared memory: no memory ran out
 */
#include "message.h"

static const struct la_start vllm_starts[] = {
	{ "No available memory for the cache blocks",
	  .form = "vllm-no-blocks" },
	{ "To serve at least one request with the model",
	  .form = "vllm-kv-cache" },
	{ "(%r KV cache is needed, which is larger than the available KV "
	  "cache memory",
	  .form = "vllm-kv-cache" },
	{ "larger than the maximum number of tokens that can be stored in KV "
	  "cache",
	  .form = "vllm-kv-cache" },
	{ "Free memory on device (%h/%t) on startup is less than desired GPU "
	  "memory utilization",
	  .form = "vllm-startup" },
	{ "Free memory on device cuda:%d (%h/%t) on startup is less than "
	  "desired GPU memory utilization",
	  .form = "vllm-startup" },
	{ .pattern = NULL },
};

static const struct la_clause vllm_clauses[] = {
	{ "(%r KV cache is needed", 0 },
	{ "%r KV cache is needed", 0 },
	{ "larger than the available KV cache memory (%f)", 0 },
	{ "(%x, %r)", 0 },
	{ NULL, 0 },
};

static const struct la_grammar vllm = {
	.framework = "vllm",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = vllm_starts,
	.clause = vllm_clauses,
};

static const struct la_start sglang_starts[] = {
	{ "Not enough memory. Please try to increase --mem-fraction-static",
	  .form = "sglang" },
	{ .pattern = NULL },
};

static const struct la_grammar sglang = {
	.framework = "sglang",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = sglang_starts,
};

static const struct la_start ggml_starts[] = {
	{ "allocating %r on device %d: cudaMalloc failed: out of memory",
	  .form = "ggml" },
	{ "allocating %r on device %d: hipMalloc failed: out of memory",
	  .form = "ggml", .backend = "hip" },
	{ "cudaMalloc failed: out of memory", .form = "ggml" },
	{ "failed to allocate CUDA%d buffer of size %r", .form = "ggml" },
	{ "failed to allocate ROCm%d buffer of size %r", .form = "ggml",
	  .backend = "hip" },
	{ "CUDA error: out of memory current device: %d", .form = "ggml" },
	{ "Device memory allocation of size %r failed", .form = "ggml",
	  .backend = "vulkan" },
	{ .pattern = NULL },
};

static const struct la_clause ggml_clauses[] = {
	{ "failed to allocate CUDA%d buffer of size %r", 0 },
	{ "failed to allocate ROCm%d buffer of size %r", 0 },
	{ NULL, 0 },
};

static const struct la_grammar ggml = {
	.framework = "ggml",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.refines = true,
	.start = ggml_starts,
	.clause = ggml_clauses,
};

static const struct la_start cupy_starts[] = {
	{ "Out of memory allocating %r (allocated so far: %a", .form = "cupy" },
	{ "out of memory to allocate %r (total %z)", .form = "cupy" },
	{ .pattern = NULL },
};

static const struct la_clause cupy_clauses[] = {
	{ "limit set to: %l", 0 },
	{ NULL, 0 },
};

static const struct la_grammar cupy = {
	.framework = "cupy",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = cupy_starts,
	.clause = cupy_clauses,
};

static const struct la_start rmm_starts[] = {
	{ "std::bad_alloc: out_of_memory:", .form = "rmm" },
	{ "std::bad_alloc: CUDA error at:", .form = "rmm" },
	{ "std::bad_alloc: CUDA error (failed to allocate %r) at:",
	  .form = "rmm" },
	{ "RMM failure at:", .form = "rmm" },
	{ .pattern = NULL },
};

static const struct la_clause rmm_clauses[] = {
	{ "(failed to allocate %r)", 0 },
	{ "cudaErrorMemoryAllocation out of memory", 0 },
	{ "Maximum pool size exceeded", 0 },
	{ NULL, 0 },
};

static const struct la_grammar rmm = {
	.framework = "rmm",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = rmm_starts,
	.clause = rmm_clauses,
};

static const struct la_start onnx_starts[] = {
	{ "Failed to allocate memory for requested buffer of size %r",
	  .form = "onnxruntime" },
	{ "Available memory of %f is smaller than requested bytes of %r",
	  .form = "onnxruntime" },
	{ .pattern = NULL },
};

static const struct la_grammar onnx = {
	.framework = "onnxruntime",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = onnx_starts,
};

static const struct la_start paddle_starts[] = {
	{ "Out of memory error on GPU %d. Cannot allocate %r memory on GPU",
	  .form = "paddle" },
	{ .pattern = NULL },
};

static const struct la_clause paddle_clauses[] = {
	{ "%a memory has been allocated", 0 },
	{ "available memory is only %f", 0 },
	{ NULL, 0 },
};

static const struct la_grammar paddle = {
	.framework = "paddle",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = paddle_starts,
	.clause = paddle_clauses,
};

static const struct la_start tensorrt_starts[] = {
	{ "Requested amount of GPU memory (%r) could not be allocated",
	  .form = "tensorrt" },
	{ .pattern = NULL },
};

static const struct la_grammar tensorrt = {
	.framework = "tensorrt",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = tensorrt_starts,
};

static const struct la_start triton_starts[] = {
	{ "out of resource: shared memory", .form = "triton-shared" },
	{ "out of resource: tensor memory", .form = "triton-shared" },
	{ .pattern = NULL },
};

static const struct la_clause triton_clauses[] = {
	{ "Required: %n", 0 },
	{ "Hardware limit: %n", 0 },
	{ NULL, 0 },
};

static const struct la_grammar triton = {
	.framework = "triton",
	.backend = "cuda",
	.kind = LA_OOM_LOOKALIKE,
	.start = triton_starts,
	.clause = triton_clauses,
};

const struct la_grammar *const la_framework_grammars[] = {
	&vllm, &sglang, &ggml,	   &cupy,   &rmm,
	&onnx, &paddle, &tensorrt, &triton, NULL,
};
