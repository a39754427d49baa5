// SPDX-License-Identifier: Apache-2.0
/*
 * torch-heap: what the caching allocator of a torch wheel does with a program,
 * a line for each of its answers.  Built with the wheel's headers and RELEASE,
 * which is 211 for torch 2.11; run with fake-cuda.c preloaded.  The lines of a
 * program are those of tests/tools/play-heap.c, without the first.
 */
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <c10/cuda/CUDACachingAllocator.h>
#if __has_include(<c10/cuda/CUDAAllocatorConfig.h>)
#include <c10/cuda/CUDAAllocatorConfig.h>
#endif
#if RELEASE >= 210
#include <c10/core/AllocatorConfig.h>
#endif
#ifdef P2P
#include <c10/cuda/PeerToPeerAccess.h>
#endif

#ifdef P2P
namespace c10::cuda::_internal {
void setHasPrimaryContext(bool (*)(DeviceIndex));
}
#endif

namespace torch_heap = c10::cuda::CUDACachingAllocator;

static void change(const std::string &text)
{
#if RELEASE >= 210
	c10::CachingAllocator::setAllocatorSettings(text);
#else
	torch_heap::setAllocatorSettings(text);
#endif
}

/* An assertion of 2.1 to 2.4, which max_split_size_mb makes with expandable
 * segments, is a refusal; what else is thrown is a fault of this program. */
static void tell(const std::string &text)
{
	if (text.find("Tried to allocate") != std::string::npos)
		puts("oom");
	else
		puts("refused");
	if (text.find("Tried to allocate") == std::string::npos &&
	    text.find("preemptively rejected") == std::string::npos &&
	    text.find("!block->expandable_segment_") == std::string::npos)
		std::cerr << text.substr(0, 400) << "\n";
}

static void *get(uint64_t bytes, uint64_t stream)
{
	try {
		void *at = torch_heap::raw_alloc_with_stream(
			bytes, (cudaStream_t)stream);

		printf("alloc %lx\n", (unsigned long)at);
		return at;
	} catch (const std::exception &error) {
		tell(error.what());
		return nullptr;
	}
}

#if RELEASE >= 210
/* As torch.cuda.use_mem_pool() and the end of a MemPool. */
static void use_pool(const std::string &word, uint64_t pool)
{
	static std::vector<bool> made(100);
	c10::MempoolId_t id = { 0, pool };

	if (word == "begin") {
		if (!made.at(pool))
			torch_heap::createOrIncrefPool(0, id);
		made[pool] = true;
		torch_heap::beginAllocateToPool(
			0, id, [](cudaStream_t) { return true; });
	} else if (word == "end") {
		torch_heap::endAllocateToPool(0, id);
		torch_heap::releasePool(0, id);
	} else {
		torch_heap::releasePool(0, id);
		torch_heap::emptyCache(id);
		made[pool] = false;
	}
}
#endif

int main()
{
	std::vector<void *> block;
	std::string line, word;

	setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
	torch_heap::init(1);
#ifdef P2P
	c10::cuda::detail::init_p2p_access_cache(1);
	c10::cuda::_internal::setHasPrimaryContext(
		[](c10::DeviceIndex) { return true; });
#endif
	while (std::getline(std::cin, line)) {
		std::istringstream in(line);
		uint64_t number, stream;
		double fraction;

		in >> word;
		if (word == "alloc") {
			in >> number >> stream;
			block.push_back(get(number, stream));
		} else if (word == "free") {
			in >> number;
			if (block.at(number))
				torch_heap::raw_delete(block[number]);
			block[number] = nullptr;
		} else if (word == "empty") {
			torch_heap::emptyCache();
#if RELEASE >= 210
		} else if (word == "begin" || word == "end" ||
			   word == "drop") {
			in >> number;
			use_pool(word, number);
#endif
		} else if (word == "fraction") {
			in >> fraction;
			torch_heap::setMemoryFraction(fraction, 0);
		} else {
			change(line.size() > 4 ? line.substr(4) : "");
		}
	}
	fflush(stdout);
	_Exit(0);
}
