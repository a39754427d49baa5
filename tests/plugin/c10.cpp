// SPDX-License-Identifier: Apache-2.0
// Stands in for libc10.so and, with OUT_OF_MEMORY, for libc10_cuda.so: the
// exceptions of torch with the names of its own, and with other members.
#include "c10.hpp"

#ifdef OUT_OF_MEMORY
void throw_one()
{
	throw c10::OutOfMemoryError({ "", "", 0 }, "");
}
#else
int c10::alive;

c10::Error::Error(SourceLocation at, std::string text)
	: message(std::move(text)), function(at.function)
{
	alive++;
}

c10::Error::~Error()
{
	alive--;
}

const char *c10::Error::what() const noexcept
{
	return message.c_str();
}
#endif
