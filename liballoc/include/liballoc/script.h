/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file script.h
 * @brief What lines of shells, launchers and configuration files give a child.
 *
 * A script is read, never run: la_script_read() tells, for each place that
 * sets, means to set or removes one of the watched variables, what a program
 * that is started next would find in its environment.  What only running it
 * could tell has no value and says so.  la_script_write() is the way back: the
 * line of a kind that gives exactly a value.
 */
#ifndef LIBALLOC_SCRIPT_H
#define LIBALLOC_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>
#include <liballoc/setting.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Who reads a text. */
enum la_script_kind {
	LA_SCRIPT_BASH, /**< bash */
	LA_SCRIPT_SH, /**< dash, and what /bin/sh is on Debian */
	LA_SCRIPT_BUSYBOX, /**< sh of busybox */
	LA_SCRIPT_ZSH, /**< zsh */
	LA_SCRIPT_KSH, /**< ksh93 */
	LA_SCRIPT_MKSH, /**< mksh */
	LA_SCRIPT_FISH, /**< fish */
	LA_SCRIPT_TCSH, /**< tcsh and csh */
	LA_SCRIPT_CMD, /**< cmd.exe reading a .bat or .cmd file */
	LA_SCRIPT_CMD_PROMPT, /**< cmd.exe at its prompt */
	LA_SCRIPT_POWERSHELL, /**< pwsh 7 and Windows PowerShell */
	LA_SCRIPT_PYTHON, /**< Python */
	LA_SCRIPT_CELL, /**< the text of one notebook cell */
	LA_SCRIPT_NOTEBOOK, /**< an .ipynb file */
	LA_SCRIPT_DOCKERFILE, /**< Dockerfile; also arguments of docker run */
	LA_SCRIPT_COMPOSE, /**< compose.yaml */
	LA_SCRIPT_K8S, /**< a Kubernetes manifest */
	LA_SCRIPT_YAML, /**< some other YAML with names and values */
	LA_SCRIPT_SYSTEMD, /**< a unit or a drop-in of systemd */
	LA_SCRIPT_SLURM, /**< a batch script, or arguments of srun or sbatch */
	LA_SCRIPT_DOTENV, /**< .env */
	LA_SCRIPT_DOCKER_ENV, /**< docker run --env-file */
	LA_SCRIPT_SYSTEMD_ENV, /**< EnvironmentFile= */
	LA_SCRIPT_ENVIRONMENT_D, /**< environment.d of systemd */
	LA_SCRIPT_ENVIRONMENT, /**< /etc/environment, as pam_env reads it */
	LA_SCRIPT_PAM_ENV, /**< /etc/security/pam_env.conf */
	LA_SCRIPT_CRONTAB, /**< crontab */
	LA_SCRIPT_LAUNCH, /**< launch.json of Visual Studio Code */
	LA_SCRIPT_KERNEL, /**< kernel.json of Jupyter */
	LA_SCRIPT_CONDA, /**< conda-meta/state */
	LA_SCRIPT_MODULE, /**< a modulefile in Tcl */
	LA_SCRIPT_MODULE_LUA, /**< a modulefile in Lua */
	LA_SCRIPT_KINDS /**< how many there are */
};

/**
 * @brief The word for a kind, as `allocctl verify --kind` takes it.
 * @param kind kind
 * @return a static word, for instance "bash"; NULL for no such kind
 */
const char *la_script_kind_name(enum la_script_kind kind);

/**
 * @brief The kind that a word stands for.
 * @param[out] kind the kind; untouched on failure
 * @param name      la_script_kind_name() of it, or another word for it ("sh",
 *                  "pwsh", "batch", "docker", "kubernetes", "env", ...)
 * @retval 0       found
 * @retval -ENOENT no such kind
 */
int la_script_kind_parse(enum la_script_kind *kind, const char *name);

/**
 * @brief The kind of a file, by its name, then by how it begins.
 * @param[out] kind the kind; untouched on failure
 * @param path      name of the file; NULL: unknown
 * @param text      its bytes
 * @param length    how many
 * @retval 0       told
 * @retval -ENOENT neither tells
 */
int la_script_kind_guess(enum la_script_kind *kind, const char *path,
			 const char *text, size_t length);

/** @brief Whether a child gets a value. */
enum la_script_fate {
	LA_SCRIPT_ARRIVES, /**< programs started next see value */
	LA_SCRIPT_REMOVED, /**< programs started next have no such variable */
	LA_SCRIPT_LOST, /**< meant to be set; no program gets it from here */
	LA_SCRIPT_UNKNOWN /**< only running it could tell */
};

/**
 * @brief The word for a fate, as JSON has it.
 * @param fate fate
 * @return a static word: "arrives", "removed", "lost" or "unknown"; NULL for
 *         no such fate
 */
const char *la_script_fate_name(enum la_script_fate fate);

/**
 * @brief Stable number of each kind of diagnostic, printed as LA220.
 *
 * 220 to 239: any shell and file; 240 to 249: cmd.exe and prompts; 250 to 259:
 * PowerShell; 260 to 269: files, containers and services; 270 to 279: Slurm
 * and other launchers; 280 to 289: Python and notebooks; 290 to 299: what a
 * process really has.
 */
enum la_script_code {
	LA_SCRIPT_NOT_EXPORTED = 220,
	LA_SCRIPT_BLANKS = 221,
	LA_SCRIPT_REDIRECTED = 222,
	LA_SCRIPT_BRACES = 223,
	LA_SCRIPT_GLOB = 224,
	LA_SCRIPT_MODIFIER = 225,
	LA_SCRIPT_OTHER_LANGUAGE = 226,
	LA_SCRIPT_POSITIONAL = 227,
	LA_SCRIPT_XTRACE = 228,
	LA_SCRIPT_CHILD_ENDS = 229,
	LA_SCRIPT_CARRIAGE_RETURN = 230,
	LA_SCRIPT_BYTE_ORDER_MARK = 231,
	LA_SCRIPT_LOOKALIKE = 232,
	LA_SCRIPT_TRAILING_BLANK = 233,
	LA_SCRIPT_QUOTES_KEPT = 234,
	LA_SCRIPT_NEEDS_RUNNING = 235,
	LA_SCRIPT_READ_ONLY = 236,
	LA_SCRIPT_SYNTAX = 237,
	LA_SCRIPT_NOT_FOUND = 238,
	LA_SCRIPT_ONE_COMMAND = 239,
	LA_SCRIPT_SETX = 240,
	LA_SCRIPT_RESTORED = 241,
	LA_SCRIPT_EARLY = 242,
	LA_SCRIPT_NAME_QUOTED = 243,
	LA_SCRIPT_DROPPED = 244,
	LA_SCRIPT_PROMPT = 245,
	LA_SCRIPT_VARIABLE_COLON = 250,
	LA_SCRIPT_BAREWORD = 251,
	LA_SCRIPT_PIPELINE = 252,
	LA_SCRIPT_SET_VARIABLE = 253,
	LA_SCRIPT_REGISTRY = 254,
	LA_SCRIPT_EMPTY_REMOVES = 255,
	LA_SCRIPT_LIST_JOINED = 256,
	LA_SCRIPT_TAKEN_UNSET = 257,
	LA_SCRIPT_EMPTY_VARIABLE = 258,
	LA_SCRIPT_NOT_RUN = 259,
	LA_SCRIPT_NO_ASSIGNMENT = 260,
	LA_SCRIPT_COMMENT_KEPT = 261,
	LA_SCRIPT_READERS_DIFFER = 262,
	LA_SCRIPT_OVERRIDDEN = 263,
	LA_SCRIPT_DUPLICATE = 264,
	LA_SCRIPT_ELSEWHERE = 265,
	LA_SCRIPT_NOT_A_STRING = 266,
	LA_SCRIPT_NEWLINE_KEPT = 267,
	LA_SCRIPT_CONTINUATION = 268,
	LA_SCRIPT_NOT_EXPANDED = 269,
	LA_SCRIPT_COMMA_CUT = 270,
	LA_SCRIPT_NOT_PASSED = 271,
	LA_SCRIPT_EARLIER_KEPT = 272,
	LA_SCRIPT_EXPORT_NONE = 273,
	LA_SCRIPT_OTHER_NODES = 274,
	LA_SCRIPT_ACTS_LATER = 275,
	LA_SCRIPT_STALE_SERVER = 276,
	LA_SCRIPT_BUILD_ARGUMENT = 277,
	LA_SCRIPT_POLICY = 278,
	LA_SCRIPT_REST_GONE = 279,
	LA_SCRIPT_PYTHON_VARIABLE = 280,
	LA_SCRIPT_TOO_LATE = 281,
	LA_SCRIPT_FUNCTION_CALL = 282,
	LA_SCRIPT_NOT_TEXT = 283,
	LA_SCRIPT_CONDITIONAL = 284,
	LA_SCRIPT_NOT_REACHED = 285,
	LA_SCRIPT_PLACEHOLDER = 286,
	LA_SCRIPT_ONE_PROGRAM = 287,
	LA_SCRIPT_INCOMPLETE = 288,
	LA_SCRIPT_PUTENV = 289,
	LA_SCRIPT_TWO_VARIABLES = 290,
	LA_SCRIPT_TWICE_IN_BLOCK = 291,
	LA_SCRIPT_ENV_UNKNOWN = 292,
	LA_SCRIPT_NEW_NAME = 293,
	LA_SCRIPT_MISSPELT = 294,
	LA_SCRIPT_CHANGED = 295,
	LA_SCRIPT_CACHING_OFF = 296,
	LA_SCRIPT_SHADOWED = 297,
	LA_SCRIPT_STALE = 298,
	LA_SCRIPT_OTHER_BUILD = 299
};

/** @brief What a code stands for. */
struct la_script_code_info {
	enum la_script_code code; /**< the number */
	const char *kind; /**< the slip in one word, such as "not_exported" */
	const char *meaning; /**< one line */
	const char *example; /**< a line that it is about */
	const char *instead; /**< what to do */
};

/**
 * @brief The table of codes, in ascending order.
 * @param index position in the table, from 0
 * @return the entry, static; NULL past the end
 */
const struct la_script_code_info *la_script_code_at(size_t index);

/** @brief One thing said about a place in the text. */
struct la_script_diagnostic {
	enum la_script_code code; /**< what it is */
	const char *kind; /**< the slip in one word, static */
	const char *text; /**< one line; owned by the script */
	uint64_t offset; /**< first byte that it is about */
	uint64_t length; /**< bytes that it is about; may be 0 */
	size_t line; /**< of offset, from 1 */
	size_t column; /**< of offset, in characters, from 1 */
};

/** @brief One place that sets, means to set or removes a variable. */
struct la_script_assignment {
	const char *variable; /**< its name; owned by the script */
	/** What the child sees if it arrives, else NULL; owned by the script */
	const char *value;
	enum la_script_fate fate; /**< whether a child gets it */
	uint64_t offset; /**< first byte of the place */
	uint64_t length; /**< bytes of it */
	size_t line; /**< of offset, from 1 */
	size_t column; /**< of offset, in characters, from 1 */
	/** What is to be said about it, by offset; owned by the script */
	const struct la_script_diagnostic *diagnostics;
	size_t diagnostic_count; /**< how many */
};

/** @brief Who reads the text, and where. */
struct la_script_options {
	enum la_script_kind kind; /**< who reads it */
	enum la_platform platform; /**< where the program runs */
	/** Variables that are watched, NULL at the end; NULL: those from which
	 *  torch reads settings. */
	const char *const *watched;
	/** "NAME=value" known to be there before, NULL at the end; NULL: none
	 *  is known.  What is not named here has no known value. */
	const char *const *environment;
};

/** @brief A text that was read; immutable. */
struct la_script;

/**
 * @brief Find what a text gives to the programs that it starts, or that are
 * started after it.
 * @param[out] out the result; release with la_script_free()
 * @param text     the text, any bytes; copied
 * @param length   bytes of text, at most 16 MiB
 * @param options  who reads it
 * @param err      what cannot be read and where; may be NULL
 * @retval 0        read; the text itself may still be wrong: see diagnostics
 * @retval -EINVAL  no such kind
 * @retval -EFBIG   too long, or nested too deep
 * @retval -EBADMSG a file of a format (JSON, YAML) that cannot be parsed
 * @retval -ENOTSUP a kind that needs libyaml or jansson, in a build without
 * @retval -ENOMEM  out of memory
 */
int la_script_read(struct la_script **out, const char *text, size_t length,
		   const struct la_script_options *options,
		   struct la_error *err);

/**
 * @brief The places found, in the order in which they act.
 * @param script a script
 * @param[out] count how many
 * @return an array owned by the script; the last one that names a variable is
 *         what programs started after it all find
 */
const struct la_script_assignment *
la_script_assignments(const struct la_script *script, size_t *count);

/**
 * @brief What is to be said of the text but of no assignment.
 * @param script a script
 * @param[out] count how many
 * @return an array owned by the script, by offset
 */
const struct la_script_diagnostic *
la_script_diagnostics(const struct la_script *script, size_t *count);

/**
 * @brief The line of a kind that gives the programs started next a value.
 * @param kind     who reads the line
 * @param name     letters, digits and underscores, no digit first
 * @param value    any bytes, terminated
 * @param[out] out the line or lines without a newline at the end; release
 *                 with free()
 * @param err      on -EINVAL and -EOPNOTSUPP: what cannot be expressed and
 *                 the byte of value where it stands; may be NULL
 * @retval 0           done; that kind gives its children exactly value
 * @retval -EINVAL     no such kind, or not a name
 * @retval -EOPNOTSUPP no line of that kind does this: cmd cannot hold line
 *                     ends or quotes and removes the variable for an empty
 *                     value, as do older PowerShells
 * @retval -ENOMEM     out of memory
 *
 * Delayed expansion of cmd, off by default, is taken to be off: with it an
 * exclamation mark is lost.
 */
int la_script_write(enum la_script_kind kind, const char *name,
		    const char *value, char **out, struct la_error *err);

/** @brief Release a script. @param script may be NULL */
void la_script_free(struct la_script *script);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_SCRIPT_H */
