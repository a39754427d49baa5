/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file env.h
 * @brief Which setting a process really has, and where it comes from.
 *
 * A process has one environment, copied when it was started.  la_env_own(),
 * la_env_process_open() and la_env_of_block() tell what is in it,
 * la_env_choose() which of its variables a release of torch obeys,
 * la_env_origins_find() who sets them.  What cannot be known is unknown and
 * says why; it is never taken for unset.
 */
#ifndef LIBALLOC_ENV_H
#define LIBALLOC_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>
#include <liballoc/script.h>
#include <liballoc/setting.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief The variables of one process, in the order of its block;
 *         immutable.  A name may be there more than once. */
struct la_env;

/**
 * @brief An environment from the bytes of a block.
 * @param[out] out the environment; release with la_env_free()
 * @param block    entries "NAME=value", each ended by a NUL byte, copied
 * @param length   bytes of block, at most 64 MiB
 * @param platform on Windows names are the same in any case
 * @retval 0       done; a block that a program wrote over has
 *                 la_env_unknown() instead of entries
 * @retval -EFBIG  longer than any block
 * @retval -ENOMEM out of memory
 */
int la_env_of_block(struct la_env **out, const char *block, size_t length,
		    enum la_platform platform);

/**
 * @brief An environment from entries.
 * @param[out] out the environment; release with la_env_free()
 * @param entry    "NAME=value"; what has no name is left out; copied
 * @param count    number of entries
 * @param platform on Windows names are the same in any case
 * @retval 0       done
 * @retval -ENOMEM out of memory
 */
int la_env_of_entries(struct la_env **out, const char *const *entry,
		      size_t count, enum la_platform platform);

/**
 * @brief The environment of the calling process, on Windows as UTF-8.
 * @param[out] out the environment; release with la_env_free()
 * @retval 0       done
 * @retval -ENOMEM out of memory
 */
int la_env_own(struct la_env **out);

/**
 * @brief The environment that a program started afresh by the desktop would
 *        get, where that may differ from what the calling process has.
 * @param[out] out the environment; release with la_env_free()
 * @param err      why it cannot be told; may be NULL
 * @retval 0        done
 * @retval -ENOTSUP not on this system: only Windows keeps such a block
 * @retval -errno   it cannot be told
 */
int la_env_fresh(struct la_env **out, struct la_error *err);

/** @brief Release an environment. @param env may be NULL */
void la_env_free(struct la_env *env);

/**
 * @brief Why the environment is not known.
 * @param env environment
 * @return one line, owned by it; NULL: it is known
 */
const char *la_env_unknown(const struct la_env *env);

/**
 * @brief The entries.
 * @param env   environment
 * @param index position in the block, from 0
 * @return "NAME=value", owned by env; NULL past the end
 */
const char *la_env_entry(const struct la_env *env, size_t index);

/**
 * @brief A value of a variable.
 * @param env  environment
 * @param name name
 * @param nth  0: the first one, which C, Python, Node, Perl, zsh and fish
 *             use; the last one is what bash and dash keep
 * @return the value, owned by env; NULL if there are not so many
 */
const char *la_env_value(const struct la_env *env, const char *name,
			 size_t nth);

/** @brief What a variable does to torch's memory. */
enum la_env_role {
	LA_ENV_SETTING, /**< holds settings in some release and build */
	LA_ENV_MISSPELT, /**< looks like one that does; none reads it */
	LA_ENV_CACHING, /**< turns caching off */
	LA_ENV_DEVICES, /**< says which GPUs there are */
	LA_ENV_MPS /**< limits memory of Apple's GPUs */
};

/** @brief One variable of an environment that matters. */
struct la_env_variable {
	const char *name; /**< owned by the choice */
	const char *value; /**< the first one; owned by the environment */
	const char *last; /**< the last one, if there are more; else NULL */
	enum la_env_role role; /**< what it does */
	bool common; /**< options common to all devices come from it */
	bool device; /**< options of the CUDA allocator come from it */
	/** Why torch takes nothing from it, in one line; NULL if it does */
	const char *unread;
};

/** @brief One thing said of an environment, LA290 to LA299. */
struct la_env_finding {
	enum la_script_code code; /**< what it is */
	const char *kind; /**< the slip in one word, static */
	const char *variable; /**< that it is about; NULL: the whole */
	const char *text; /**< one line */
	bool harmless; /**< true and worth knowing, but no slip */
};

/** @brief What a release and build of torch takes from an environment. */
struct la_env_choice {
	/** Those that matter: settings in the order in which torch asks for
	 *  them, then the others by name */
	const struct la_env_variable *variable;
	size_t variable_count; /**< how many */
	/** Where options common to all devices come from (2.9: those of host
	 *  memory; before: all options); NULL: from none */
	const struct la_env_variable *common;
	/** Where the options of the CUDA allocator come from; NULL: from
	 *  none */
	const struct la_env_variable *device;
	const struct la_env_finding *finding; /**< what is wrong */
	size_t finding_count; /**< how many */
};

/**
 * @brief Which variables win: the first that is set, even if it is empty or
 *        malformed.
 * @param[out] out the choice; release with la_env_choice_free() before env
 * @param env      environment
 * @param context  who reads it
 * @retval 0       done; of an unknown environment it is empty
 * @retval -ENOMEM out of memory
 */
int la_env_choose(struct la_env_choice **out, const struct la_env *env,
		  const struct la_setting_context *context);

/**
 * @brief Add a finding for each setting that another environment has with
 *        another value: what the process was started with, or what programs
 *        started afresh get.
 * @param choice choice
 * @param other  the other environment
 * @param code   LA_SCRIPT_CHANGED or LA_SCRIPT_STALE
 * @param text   how the other environment is called: "at its start"
 * @retval 0       done; nothing is added if one of them is unknown
 * @retval -ENOMEM out of memory
 */
int la_env_choice_compare(struct la_env_choice *choice,
			  const struct la_env *other, enum la_script_code code,
			  const char *text);

/**
 * @brief The variables from which some release or build of torch reads
 *        settings.
 * @param index position, from 0
 * @return a static name; NULL past the end
 */
const char *la_env_setting_name(size_t index);

/** @brief Release a choice. @param choice may be NULL */
void la_env_choice_free(struct la_env_choice *choice);

/** @brief A process that runs, and its environment. */
struct la_env_process;

/** @brief What is known of a process; NULL where it is not. */
struct la_env_process_info {
	int64_t pid; /**< its number */
	int64_t parent; /**< that of its parent; 0: none or not known */
	const char *command; /**< its name */
	const char *arguments; /**< command line, blanks between */
	const char *program; /**< file of the program, as it sees it */
	const char *folder; /**< its working folder, as it sees it */
	/** Folder through which its files are reached: "/proc/7/root" of a
	 *  container; "" if it sees the caller's files */
	const char *root;
	const char *unit; /**< its service: "x.service" of systemd, or of
			   *   Windows */
	bool user_unit; /**< the service is one of a user's manager */
	const char *torch; /**< library of torch's allocator that it has
			    *   loaded: when it has, the setting may have
			    *   been read */
	bool gpu; /**< it has a GPU open: when it has torch too, the setting
		   *   has probably been read */
	/** What it was started with; unknown on Windows */
	const struct la_env *initial;
	/** What it has now; changes do not reach an allocator that has read
	 *  its setting */
	const struct la_env *current;
	/** Where current was found: file whose variable environ it is, or a
	 *  word for it */
	const char *current_from;
};

/**
 * @brief Look at a process without stopping it.
 * @param[out] out the process; release with la_env_process_free()
 * @param pid      its number; 0: the calling process
 * @param err      why it cannot be seen; may be NULL
 * @retval 0        done; parts may be unknown, see la_env_unknown()
 * @retval -ESRCH   no such process
 * @retval -ENOTSUP not on this system
 * @retval -ENOMEM  out of memory
 */
int la_env_process_open(struct la_env_process **out, int64_t pid,
			struct la_error *err);

/**
 * @brief What is known of a process.
 * @param process process
 * @return the information, owned by it
 */
const struct la_env_process_info *
la_env_process_info(const struct la_env_process *process);

/** @brief Release a process. @param process may be NULL */
void la_env_process_free(struct la_env_process *process);

/** @brief Whose programs a place is for. */
enum la_env_scope {
	LA_ENV_SYSTEM, /**< all users of the machine */
	LA_ENV_USER, /**< one user */
	LA_ENV_SERVICE, /**< one service */
	LA_ENV_PROJECT, /**< an environment of Python, a kernel, a folder */
	LA_ENV_JOB, /**< a job of a cluster */
	LA_ENV_GIVEN, /**< a file that was named */
	LA_ENV_PARENT /**< what a process was started with */
};

/** @brief Whether a place has a part in how the process was started. */
enum la_env_part {
	LA_ENV_TAKES_PART, /**< it has */
	LA_ENV_MAY_TAKE_PART, /**< that cannot be told */
	LA_ENV_NO_PART /**< it has not */
};

/** @brief One place that sets, means to set or removes a variable. */
struct la_env_origin {
	const char *variable; /**< name */
	/** What programs started after it find; NULL: none, or unknown */
	const char *value;
	enum la_script_fate fate; /**< whether they find it */
	enum la_env_scope scope; /**< for whom */
	enum la_env_part part; /**< whether it has a part */
	/** Who reads it and when: "login shells of bash" */
	const char *reader;
	/** File, without the search's root; key of the registry; "process 7
	 *  (bash)" */
	const char *file;
	size_t line; /**< from 1; 0: no line */
	size_t column; /**< in characters, from 1; 0: none */
	bool matches; /**< it gives the value that the process has */
	bool source; /**< the process has it from here */
	/** What is to be said of the place, as of la_script_assignment */
	const struct la_script_diagnostic *diagnostics;
	size_t diagnostic_count; /**< how many */
};

/** @brief A place that was to be read and could not be. */
struct la_env_unread {
	const char *file; /**< as la_env_origin.file */
	const char *reason; /**< one line */
};

/** @brief Where to look. */
struct la_env_search {
	/** Folder that stands for /; NULL: / itself */
	const char *root;
	const char *home; /**< of the user, below root; NULL: unknown */
	const char *folder; /**< working folder, below root; NULL: unknown */
	/** Environment of the process: whose values are compared, and what
	 *  tells CONDA_PREFIX, ZDOTDIR, BASH_ENV ...; NULL: unknown */
	const struct la_env *env;
	/** The process whose service and ancestors count; NULL: none, so that
	 *  who has a part is unknown */
	const struct la_env_process *process;
	const char *const *files; /**< further files */
	size_t file_count; /**< how many of these */
	/** Variables that are sought, NULL at the end; NULL: those of
	 *  la_env_choose() */
	const char *const *watched;
	enum la_platform platform; /**< where the program runs */
	bool macos; /**< with LA_PLATFORM_LINUX: the files of macOS */
};

/** @brief Places found; immutable. */
struct la_env_origins;

/**
 * @brief Find who sets variables.  Files are read, never run.
 * @param[out] out the places; release with la_env_origins_free()
 * @param search   where to look; strings are copied
 * @param err      what went wrong; may be NULL
 * @retval 0       done, also if nothing was found
 * @retval -ENOMEM out of memory
 */
int la_env_origins_find(struct la_env_origins **out,
			const struct la_env_search *search,
			struct la_error *err);

/**
 * @brief The places, in the order in which they act.
 * @param origins places
 * @param[out] count how many
 * @return an array owned by origins
 */
const struct la_env_origin *la_env_origins(const struct la_env_origins *origins,
					   size_t *count);

/**
 * @brief Files that could not be read.
 * @param origins places
 * @param[out] count how many
 * @return an array owned by origins
 */
const struct la_env_unread *
la_env_origins_unread(const struct la_env_origins *origins, size_t *count);

/** @brief Release places. @param origins may be NULL */
void la_env_origins_free(struct la_env_origins *origins);

/** @brief One ancestor of a process. */
struct la_env_ancestor {
	int64_t pid; /**< its number */
	const char *command; /**< its name; NULL: unknown */
	const char *arguments; /**< its command line; NULL: unknown */
	/** It was started with this; NULL: unset, or unknown */
	const char *initial;
	const char *current; /**< it has this now; NULL: unset, or unknown */
	const char *unknown; /**< why neither is known, in one line, or NULL */
};

/**
 * @brief The value of a variable in the ancestors of a process.
 * @param[out] out   ancestors, the parent first; release with
 *                   la_env_ancestors_free()
 * @param[out] count number of them
 * @param process    process
 * @param variable   name
 * @retval 0       done
 * @retval -ENOMEM out of memory
 */
int la_env_ancestors(struct la_env_ancestor **out, size_t *count,
		     const struct la_env_process *process,
		     const char *variable);

/**
 * @brief Release ancestors.
 * @param ancestor ancestors, or NULL for no action
 * @param count    number of them
 */
void la_env_ancestors_free(struct la_env_ancestor *ancestor, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_ENV_H */
