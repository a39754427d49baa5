// SPDX-License-Identifier: Apache-2.0
// Of torch's c10/util/Exception.h, what the plug-in relies on.
#ifndef TESTS_PLUGIN_C10_H
#define TESTS_PLUGIN_C10_H

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#define SEEN __attribute__((visibility("default")))

namespace c10
{
extern SEEN int alive; // exceptions

struct SEEN SourceLocation {
	const char *function;
	const char *file;
	std::uint32_t line;
};

class SEEN Error : public std::exception {
    public:
	Error(SourceLocation at, std::string text);
	~Error() override;
	const char *what() const noexcept override;

	std::vector<std::string> more[4];
	std::string message;
	const char *function;
};

class SEEN OutOfMemoryError : public Error {
	using Error::Error;
};
}

#endif
