/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions of C++, thrown from C: those that torch turns into its own of
 * Python.
 *
 * Nothing is linked: what makes and throws them is looked up in the libraries
 * that the process has loaded, by the names that both ABIs of std::string
 * have had since torch 2.4.  All of this folder is compiled with -fexceptions,
 * so that they pass through.
 */
#ifndef LA_TORCH_THROW_H
#define LA_TORCH_THROW_H

/* What a failure becomes in Python. */
enum la_thrown {
	LA_THROWN_OOM, /* torch.OutOfMemoryError: c10::OutOfMemoryError */
	LA_THROWN_ERROR /* RuntimeError: c10::Error, else std::runtime_error */
};

/*
 * Throw; where c10::OutOfMemoryError is not to be had the other one, and the
 * text says so.  Ends the process where there is no C++ at all.
 */
_Noreturn void la_throw(enum la_thrown kind, const char *text);

#endif /* LA_TORCH_THROW_H */
