// SPDX-License-Identifier: Apache-2.0
/*
 * Frameworks and engines with allocators of their own.
 *
 *	vllm-no-blocks vllm-kv-cache vllm-startup	vLLM; sglang
 *	ggml ggml-pinned	llama.cpp and its kin
 *	cupy rmm onnxruntime paddle tensorrt ctranslate2 mxnet numba pycuda
 *	metal		Apple's, of MLX and others
 *	triton-shared	a kernel's shared memory: no memory ran out
 */
#include "triage/message.h"

static const struct la_beginning vllm_starts[] = {
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

static const struct la_beginning sglang_starts[] = {
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

static const struct la_beginning ggml_starts[] = {
	{ "allocating %r on device %d: cudaMalloc failed: out of memory",
	  .form = "ggml" },
	{ "allocating %r on device %d: hipMalloc failed: out of memory",
	  .form = "ggml", .backend = "hip" },
	{ "cudaMalloc failed: out of memory", .form = "ggml" },
	{ "failed to allocate CUDA%d buffer of size %r", .form = "ggml" },
	{ "failed to allocate ROCm%d buffer of size %r", .form = "ggml",
	  .backend = "hip" },
	{ "CUDA error: out of memory current device: %d", .form = "ggml" },
	{ "CUDA error %n at %w out of memory", .form = "ggml" },
	{ "vk::Device::allocateMemory: ErrorOutOfDeviceMemory", .form = "ggml",
	  .backend = "vulkan" },
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

static const struct la_beginning ggml_host_starts[] = {
	{ "failed to allocate %r of pinned memory", .form = "ggml-pinned" },
	{ .pattern = NULL },
};

static const struct la_grammar ggml_host = {
	.framework = "ggml",
	.backend = "cpu",
	.kind = LA_OOM_PINNED,
	.start = ggml_host_starts,
};

static const struct la_beginning cupy_starts[] = {
	{ "Out of memory allocating %r (allocated so far: %a", .form = "cupy" },
	{ "out of memory to allocate %r (total %z)", .form = "cupy" },
	{ "cudaErrorMemoryAllocation: out of memory", .form = "cupy" },
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
	.units = true,
	.start = cupy_starts,
	.clause = cupy_clauses,
};

static const struct la_beginning rmm_starts[] = {
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

static const struct la_beginning onnx_starts[] = {
	{ "Failed to allocate memory for requested buffer of size %r",
	  .form = "onnxruntime" },
	{ "CUDA failure %n: out of memory ; GPU=%d", .form = "onnxruntime" },
	{ "CUBLAS failure %n: CUBLAS_STATUS_ALLOC_FAILED",
	  .form = "onnxruntime" },
	{ "CUDNN failure %n: CUDNN_STATUS_ALLOC_FAILED",
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

static const struct la_beginning paddle_starts[] = {
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

static const struct la_beginning tensorrt_starts[] = {
	{ "Requested amount of GPU memory (%r) could not be allocated",
	  .form = "tensorrt" },
	{ "OutOfMemory (Requested size was %r", .form = "tensorrt" },
	{ "Error Code %n: OutOfMemory", .form = "tensorrt" },
	{ "Error Code %n: Cuda Runtime (out of memory)", .form = "tensorrt" },
	{ .pattern = NULL },
};

static const struct la_grammar tensorrt = {
	.framework = "tensorrt",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = tensorrt_starts,
};

static const struct la_beginning ctranslate2_starts[] = {
	{ "CUDA failed with error out of memory", .form = "ctranslate2" },
	{ .pattern = NULL },
};

static const struct la_grammar ctranslate2 = {
	.framework = "ctranslate2",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = ctranslate2_starts,
};

static const struct la_beginning mxnet_starts[] = {
	{ "cudaMalloc retry failed: out of memory", .form = "mxnet" },
	{ .pattern = NULL },
};

static const struct la_grammar mxnet = {
	.framework = "mxnet",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = mxnet_starts,
};

static const struct la_beginning numba_starts[] = {
	{ "Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY",
	  .form = "numba" },
	{ "Call to %w results in CUDA_ERROR_OUT_OF_MEMORY", .form = "numba" },
	{ .pattern = NULL },
};

static const struct la_grammar numba = {
	.framework = "numba",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = numba_starts,
};

static const struct la_beginning pycuda_starts[] = {
	{ "cuMemAlloc failed: out of memory", .form = "pycuda" },
	{ .pattern = NULL },
};

static const struct la_grammar pycuda = {
	.framework = "pycuda",
	.backend = "cuda",
	.kind = LA_OOM_FRAMEWORK,
	.start = pycuda_starts,
};

static const struct la_beginning metal_starts[] = {
	{ "kIOGPUCommandBufferCallbackErrorOutOfMemory", .form = "metal" },
	{ .pattern = NULL },
};

static const struct la_grammar metal = {
	.framework = "metal",
	.backend = "mps",
	.kind = LA_OOM_FRAMEWORK,
	.start = metal_starts,
};

static const struct la_beginning triton_starts[] = {
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
	&vllm,	&sglang, &ggml,	    &ggml_host, &cupy,	      &rmm,
	&onnx,	&paddle, &tensorrt, &triton,	&ctranslate2, &mxnet,
	&numba, &pycuda, &metal,    NULL,
};
