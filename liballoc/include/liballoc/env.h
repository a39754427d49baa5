/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file env.h
 * @brief How to set an environment variable in each shell.
 */
#ifndef LIBALLOC_ENV_H
#define LIBALLOC_ENV_H

#include <stddef.h>

#include <liballoc/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Shells that a line can be written for. */
enum la_shell {
	LA_SHELL_POSIX, /**< bash, sh, dash, zsh, ksh */
	LA_SHELL_CMD, /**< cmd.exe at its prompt */
	LA_SHELL_CMD_BATCH, /**< cmd.exe in a .bat or .cmd file */
	LA_SHELL_POWERSHELL /**< Windows PowerShell and pwsh */
};

/**
 * @brief The name of a shell, for a label beside its line.
 * @param shell shell
 * @return a static text, for instance "bash"; NULL for no such shell
 */
const char *la_shell_name(enum la_shell shell);

/**
 * @brief The line that sets a variable for the programs started next.
 * @param shell    shell that reads the line
 * @param name     letters, digits and underscores, no digit first
 * @param value    any bytes, terminated
 * @param[out] out the line without a newline at its end; release with free()
 * @param err      on -EINVAL and -EOPNOTSUPP: what cannot be expressed and
 *                 the byte of value where it stands; may be NULL
 * @retval 0           done; that shell gives its children exactly value
 * @retval -EINVAL     no such shell, or not a name
 * @retval -EOPNOTSUPP no line of that shell does this: cmd cannot hold line
 *                     ends or quotes and removes the variable for an empty
 *                     value, as do older PowerShells
 * @retval -ENOMEM     out of memory
 *
 * Delayed expansion of cmd, off by default, is taken to be off: with it an
 * exclamation mark is lost.
 */
int la_env_assignment(enum la_shell shell, const char *name, const char *value,
		      char **out, struct la_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_ENV_H */
