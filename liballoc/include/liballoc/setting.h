/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file setting.h
 * @brief PYTORCH_CUDA_ALLOC_CONF strings, as each release of torch reads them.
 */
#ifndef LIBALLOC_SETTING_H
#define LIBALLOC_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A release of torch as one number, which compares. */
#define LA_RELEASE(major, minor) ((major) << 8 | (minor))

/** @brief A release that the library knows. */
struct la_release {
	unsigned int number; /**< LA_RELEASE() of it */
	const char *name; /**< "2.11" */
};

/**
 * @brief The releases that the library knows, oldest first.
 * @param index position, from 0
 * @return the release, static; NULL past the end
 */
const struct la_release *la_release_at(size_t index);

/**
 * @brief The name of a release.
 * @param number LA_RELEASE() of it
 * @return "2.11", static; NULL: the library does not know it
 */
const char *la_release_name(unsigned int number);

/**
 * @brief Read a release as people and torch itself write it.
 * @param[out] release LA_RELEASE() of it; untouched on failure
 * @param text         "2.6", "2.6.0", "2.11.0+cu130", "2.10.0a0+git1234"
 * @param err          what is wrong with it; may be NULL
 * @retval 0       the library knows it
 * @retval 1       newer than any that it knows: release is the newest of them
 * @retval -EINVAL not a release
 * @retval -ERANGE older than any with a setting, or never released
 */
int la_release_parse(unsigned int *release, const char *text,
		     struct la_error *err);

/** @brief A parsed setting; immutable. */
struct la_setting;

/** @brief When torch sees the string: it decides what an error does. */
enum la_set_at {
	LA_SET_AT_IMPORT, /**< present before `import torch` */
	LA_SET_AT_INIT, /**< set after import, before CUDA is initialised */
	LA_SET_AT_RUNTIME /**< given to the setter */
};

/** @brief What torch was built for. */
enum la_build {
	LA_BUILD_CUDA, /**< with CUDA */
	LA_BUILD_ROCM, /**< with ROCm, where CUDA's names have a HIP twin */
	LA_BUILD_CPU /**< without either: unknown options pass */
};

/** @brief Where the program runs. */
enum la_platform {
	LA_PLATFORM_LINUX, /**< Linux of its own */
	LA_PLATFORM_WSL, /**< Linux as a guest of Windows */
	LA_PLATFORM_WINDOWS /**< Windows */
};

/** @brief Number of slots of roundup_power2_divisions. */
#define LA_ROUNDUP_SLOTS 16

/** @brief Values as torch understands them. */
struct la_setting_values {
	uint64_t max_split_size; /**< bytes; UINT64_MAX: no bound */
	uint64_t max_non_split_rounding; /**< bytes */
	uint64_t large_segment_size; /**< bytes */
	double garbage_collection_threshold; /**< share of the cap; 0: off */
	double per_process_memory_fraction; /**< 0 to 1; 1: no cap */
	/** Addresses of an expandable segment: above 0 a share of the card,
	 *  below 0 that many GiB; 0: 9/8 of the card. */
	double expandable_segments_reserve;
	/** Slot i serves requests from 2^(20+i) bytes, slot 0 also smaller
	 *  ones, slot 15 also larger ones; 0 and 1: off. */
	uint64_t roundup_power2_divisions[LA_ROUNDUP_SLOTS];
	uint64_t roundup_bypass_threshold; /**< bytes; UINT64_MAX: no bound */
	uint64_t pinned_num_register_threads; /**< threads */
	uint64_t pinned_reserve_segment_size; /**< bytes; 0: off */
	uint64_t pinned_max_round_threshold; /**< bytes; UINT64_MAX: no bound */
	uint64_t pinned_max_cached_size; /**< bytes; UINT64_MAX: no bound */
	bool expandable_segments; /**< segments that grow */
	bool expandable_segments_reserve_by_class; /**< a list was given */
	bool release_lock_on_cudamalloc; /**< lock dropped in cudaMalloc */
	bool pinned_use_cuda_host_register; /**< host side only */
	bool pinned_use_background_threads; /**< host side only */
	bool pinned_free_catch_all; /**< host side only */
	bool graph_capture_record_stream_reuse; /**< graph capture only */
	bool throw_on_cudamalloc_oom; /**< refuse before memory is sought */
	bool cuda_malloc_async; /**< backend:cudaMallocAsync */
};

/** @brief Who reads a string, and when. */
struct la_setting_context {
	unsigned int release; /**< one of la_release_at() */
	enum la_set_at set_at; /**< when torch sees it */
	enum la_build build; /**< what torch was built for */
	/** What an earlier string left, parts of which outlive the next one;
	 *  NULL: nothing was parsed before. */
	const struct la_setting_values *previous;
	enum la_platform platform; /**< changes remarks, never a verdict */
};

/**
 * @brief Parse a setting as a release of torch would.
 * @param[out] out the setting; untouched on failure
 * @param text     the string, not necessarily terminated
 * @param length   bytes of text
 * @param context  who reads it, and when
 * @param err      on -EINVAL: torch's own error text and the byte of the
 *                 token that it objects to; may be NULL
 * @retval 0        torch accepts it; release with la_setting_free()
 * @retval -EINVAL  torch refuses it
 * @retval -ENOTSUP the library does not know the release
 * @retval -ENOMEM  out of memory
 */
int la_setting_parse_for(struct la_setting **out, const char *text,
			 size_t length,
			 const struct la_setting_context *context,
			 struct la_error *err);

/**
 * @brief Parse a setting as a CUDA build of torch 2.11 would.
 * @param[out] out the setting; untouched on failure
 * @param text     the string, not necessarily terminated
 * @param length   bytes of text
 * @param set_at   when torch sees it
 * @param err      on -EINVAL: torch's own error text and the byte of the
 *                 token that it objects to; may be NULL
 * @retval 0       torch accepts it; release with la_setting_free()
 * @retval -EINVAL torch refuses it
 * @retval -ENOMEM out of memory
 *
 * Source: torch 2.11.0, compared with what that release did with 1,722
 * strings.
 */
int la_setting_parse(struct la_setting **out, const char *text, size_t length,
		     enum la_set_at set_at, struct la_error *err);

/**
 * @brief Release a setting.
 * @param setting setting, or NULL for no action
 */
void la_setting_free(struct la_setting *setting);

/**
 * @brief The values of a setting.
 * @param setting setting
 * @return the values, owned by the setting
 */
const struct la_setting_values *
la_setting_values(const struct la_setting *setting);

/**
 * @brief Do two settings place device memory alike?
 * @param a values
 * @param b values
 * @return true if they differ in nothing, or in options of host memory and
 *         of graph capture alone
 */
bool la_setting_alike(const struct la_setting_values *a,
		      const struct la_setting_values *b);

/**
 * @brief The string that a setting was parsed from.
 * @param setting setting
 * @return the string, terminated, owned by the setting
 */
const char *la_setting_text(const struct la_setting *setting);

/**
 * @brief Whether torch reads a setting from a variable.
 * @param name    name of the variable, terminated
 * @param context who reads it
 * @return NULL if it does, else in one static line what it does instead
 */
const char *la_setting_variable_unread(
	const char *name, const struct la_setting_context *context);

/** @brief Which memory an option is about. */
enum la_setting_side {
	LA_SIDE_DEVICE, /**< GPU memory */
	LA_SIDE_HOST /**< pinned host memory */
};

/** @brief One option of any release; texts are NULL where not known. */
struct la_setting_option {
	const char *name; /**< as written in the string */
	const char *type; /**< unit or kind of its value */
	const char *range; /**< values that torch takes */
	const char *fallback; /**< what holds where it is not named */
	const char *since; /**< first release */
	const char *until; /**< last release; NULL: still there */
	enum la_setting_side side; /**< memory that it is about */
	const char *summary; /**< what it truly does, one paragraph */
	const char *history; /**< what changed between; NULL: nothing */
	const char *interactions; /**< with other options */
	const char *cost; /**< what it costs where it acts */
	const char *source; /**< how that is known */
};

/**
 * @brief The table of options.
 * @param index position in the table, from 0
 * @return the option, static; NULL past the end
 */
const struct la_setting_option *la_setting_option_at(size_t index);

/** @brief How much a remark matters. */
enum la_severity {
	LA_SEVERITY_NOTE, /**< true as written, worth knowing */
	LA_SEVERITY_WARNING, /**< probably not what was meant */
	LA_SEVERITY_HINT /**< why torch refuses it, or the cure */
};

/** @brief Stable number of each kind of remark, printed as LA101. */
enum la_setting_code {
	LA_REMARK_PREFIX = 101,
	LA_REMARK_WRAPPED = 102,
	LA_REMARK_NOT_INTEGER = 103,
	LA_REMARK_COLON = 104,
	LA_REMARK_COMMA = 105,
	LA_REMARK_DUPLICATE = 106,
	LA_REMARK_ROUNDUP_OFF = 107,
	LA_REMARK_LIST_GAP = 108,
	LA_REMARK_NEEDS_MAX_SPLIT = 109,
	LA_REMARK_NEEDS_CAP = 110,
	LA_REMARK_SPLIT_IGNORED = 111,
	LA_REMARK_HOST_ONLY = 112,
	LA_REMARK_BLANK_DELETED = 113,
	LA_REMARK_NO_CAP = 114,
	LA_REMARK_NATIVE_ONLY = 115,
	LA_REMARK_CLAMPED = 116,
	LA_REMARK_TRAILING = 117,
	LA_REMARK_SPLIT_IS_SEGMENT = 118,
	LA_REMARK_LIST_SLOT = 119,
	LA_REMARK_EMPTY_LIST = 120,
	LA_REMARK_CAP_TOO_SMALL = 121,
	LA_REMARK_CAP_READ_ONCE = 122,
	LA_REMARK_SKIPPED = 123,
	LA_REMARK_VARIABLE = 124,
	LA_REMARK_PLATFORM = 125,
	LA_REMARK_SHARING = 126,
	LA_REMARK_HARMFUL_PAIR = 127,
	LA_REMARK_STARTS_ANEW = 128,
	LA_REMARK_LOOKALIKE = 129,
	LA_REMARK_SETTER = 130,
	LA_REMARK_GUIDES = 131,
	LA_REMARK_LIST_ORDER = 132,
	LA_REMARK_UNKNOWN = 201,
	LA_REMARK_OTHER_RELEASE = 202,
	LA_REMARK_DEBUG = 203,
	LA_REMARK_EQUALS = 204,
	LA_REMARK_SPELLING = 205,
	LA_REMARK_QUOTES = 206,
	LA_REMARK_BACKEND_LATE = 207,
	LA_REMARK_ENDS_EARLY = 208,
	LA_REMARK_TYPOGRAPHY = 209,
	LA_REMARK_NO_KEY = 210,
	LA_REMARK_SEPARATOR = 211,
	LA_REMARK_VALUE = 212,
	LA_POLICY_REFUSED = 301,
	LA_POLICY_FORBIDDEN = 302,
	LA_POLICY_REQUIRED = 303,
	LA_POLICY_RANGE = 304,
	LA_POLICY_VALUE = 305,
	LA_POLICY_OTHERS = 306,
	LA_POLICY_VARIABLE = 307,
	LA_POLICY_RELEASE = 308
};

/** @brief What a code stands for. */
struct la_setting_code_info {
	enum la_setting_code code; /**< the number */
	enum la_severity severity; /**< how much it matters */
	const char *meaning; /**< one line */
	const char *example; /**< a string that it is about */
	const char *instead; /**< what to do */
};

/**
 * @brief The table of codes, in ascending order.
 * @param index position in the table, from 0
 * @return the entry, static; NULL past the end
 */
const struct la_setting_code_info *la_setting_code_at(size_t index);

/** @brief One remark on a string. */
struct la_setting_remark {
	enum la_setting_code code; /**< its kind */
	enum la_severity severity; /**< how much it matters */
	uint64_t offset; /**< first byte that it is about */
	uint64_t length; /**< bytes that it is about; may be 0 */
	const char *text; /**< one line */
};

/** @brief Why torch refuses a string. */
struct la_setting_refusal {
	const char *text; /**< torch's own words, whole */
	const char *exception; /**< type that Python code sees */
	uint64_t offset; /**< first byte of the token that it means */
	uint64_t length; /**< bytes of it; 0 at the end of the string */
	bool aborts_import; /**< `import torch` itself fails */
};

/** @brief All that can be said about one string; immutable. */
struct la_setting_check;

/**
 * @brief Parse a setting and collect remarks on it.
 * @param[out] out the result, whether torch accepts it or not; release with
 *                 la_setting_check_free()
 * @param text     the string, not necessarily terminated
 * @param length   bytes of text
 * @param context  who reads it, and when
 * @retval 0        done
 * @retval -ENOTSUP the library does not know the release
 * @retval -ENOMEM  out of memory
 */
int la_setting_check_new(struct la_setting_check **out, const char *text,
			 size_t length,
			 const struct la_setting_context *context);

/**
 * @brief Release a result.
 * @param check result, or NULL for no action
 */
void la_setting_check_free(struct la_setting_check *check);

/**
 * @brief The setting, if torch accepts the string.
 * @param check result
 * @return the setting, owned by the result; NULL if torch refuses it
 */
const struct la_setting *
la_setting_check_setting(const struct la_setting_check *check);

/**
 * @brief The refusal, if torch refuses the string.
 * @param check result
 * @return the refusal, owned by the result; NULL if torch accepts it
 */
const struct la_setting_refusal *
la_setting_check_refusal(const struct la_setting_check *check);

/**
 * @brief What holds after the parse, whether torch accepts the string or not:
 *        a refused string has started some options anew and set others.
 * @param check result
 * @return the values, owned by the result
 */
const struct la_setting_values *
la_setting_check_values(const struct la_setting_check *check);

/**
 * @brief Remarks on the string, in the order of their offsets.
 * @param check      result
 * @param[out] count number of remarks
 * @return the remarks, owned by the result
 */
const struct la_setting_remark *
la_setting_check_remarks(const struct la_setting_check *check, size_t *count);

/**
 * @brief The string that was meant, if torch refuses or misreads this one.
 * @param check result
 * @return a string that torch accepts in the same situation, owned by the
 *         result; empty if nothing of it is left; NULL if there is nothing to
 *         correct, or nothing that can be
 */
const char *la_setting_check_correction(const struct la_setting_check *check);

/**
 * @brief The options that a string names, each once, accepted or not.
 * @param check result
 * @param index position, from 0
 * @return the option, static; NULL past the last one
 */
const struct la_setting_option *
la_setting_check_option(const struct la_setting_check *check, size_t index);

/** @brief A starting point that guides give. */
struct la_preset {
	const char *name; /**< one word */
	const char *by; /**< what decides: "gpu", "input" or "memory" */
	const char *of; /**< which GPUs, inputs or memory */
	const char *settings; /**< blanks between them; NULL: share */
	const char *source; /**< where it is from */
	unsigned int share; /**< max_split_size_mb: memory / share; 0: not so */
	unsigned int step; /**< and from there in steps of MiB; 0: not so */
};

/**
 * @brief The table of presets.
 * @param index position in the table, from 0
 * @return the preset, static; NULL past the end
 */
const struct la_preset *la_preset_at(size_t index);

/** @brief What replays of shipped recordings say of a setting. */
struct la_preset_replay {
	const char *setting; /**< as in la_preset.settings */
	/** Least memory under which the programs run, against the default's:
	 *  lowest and highest. */
	double needs[2];
	/** Memory held where nothing limits it, against the default's. */
	double reserves[2];
};

/**
 * @brief The table of replays.
 * @param index position in the table, from 0
 * @return the replays, static; NULL past the end
 */
const struct la_preset_replay *la_preset_replay_at(size_t index);

/** @brief Where a site keeps its policy. */
#define LA_POLICY_PATH "/etc/liballoc/policy.yaml"

/** @brief What a site wants of settings; immutable. */
struct la_policy;

/**
 * @brief Read a policy, see allocctl-policy(5).
 * @param[out] out the policy; untouched on failure
 * @param text     YAML, not necessarily terminated
 * @param length   bytes of text
 * @param err      what is wrong, with line and column; may be NULL
 * @retval 0        success; release with la_policy_free()
 * @retval -EBADMSG not a policy
 * @retval -EFBIG   larger than any policy
 * @retval -ENOTSUP this build reads no YAML
 * @retval -ENOMEM  out of memory
 */
int la_policy_parse(struct la_policy **out, const char *text, size_t length,
		    struct la_error *err);

/**
 * @brief Read a policy from a file.
 * @param[out] out the policy; untouched on failure
 * @param path     the file
 * @param err      what is wrong, with line and column; may be NULL
 * @return as la_policy_parse(), or what opening and reading the file gave
 */
int la_policy_read(struct la_policy **out, const char *path,
		   struct la_error *err);

/**
 * @brief Release a policy.
 * @param policy policy, or NULL for no action
 */
void la_policy_free(struct la_policy *policy);

/** @brief Who wants a setting; what is NULL is not known, nor judged. */
struct la_policy_subject {
	const char *variable; /**< name of the variable that holds it */
	const char *user; /**< name of the user */
	const char *path; /**< absolute path of the program or its folder */
};

/** @brief One way in which a setting is not what the policy wants. */
struct la_policy_violation {
	enum la_setting_code code; /**< LA_POLICY_... */
	size_t line; /**< of the policy, from 1; 0: of no line of it */
	uint64_t offset; /**< first byte of the setting that it is about */
	uint64_t length; /**< bytes that it is about; may be 0 */
	const char *text; /**< one line */
};

/** @brief What a policy says of one setting; immutable. */
struct la_policy_result;

/**
 * @brief Judge a setting.
 * @param[out] out the result; release with la_policy_result_free()
 * @param policy   policy
 * @param text     the setting, not necessarily terminated
 * @param length   bytes of text
 * @param context  who reads it, and when
 * @param subject  who wants it
 * @retval 0        done
 * @retval -ENOTSUP the library does not know the release
 * @retval -ENOMEM  out of memory
 */
int la_policy_check(struct la_policy_result **out,
		    const struct la_policy *policy, const char *text,
		    size_t length, const struct la_setting_context *context,
		    const struct la_policy_subject *subject);

/**
 * @brief Release a result.
 * @param result result, or NULL for no action
 */
void la_policy_result_free(struct la_policy_result *result);

/**
 * @brief Violations, none if the subject is exempt.
 * @param result     result
 * @param[out] count number of violations
 * @return the violations, owned by the result
 */
const struct la_policy_violation *
la_policy_violations(const struct la_policy_result *result, size_t *count);

/**
 * @brief The exemption that applies.
 * @param result result
 * @return its line in the policy; 0 if none does
 */
size_t la_policy_exemption_line(const struct la_policy_result *result);

/**
 * @brief What a policy puts in the place of a setting that breaks it.
 *
 * That is what the setting was meant to be, as la_setting_check_correction()
 * has it, or else the setting that the policy names under repair; neither if
 * it breaks the policy too, or if the policy has no such key.
 * @param[out] out the setting to use, for free(); NULL unless 1 is returned
 * @param policy   policy
 * @param text     the setting, not necessarily terminated
 * @param length   bytes of text
 * @param context  who reads it, and when
 * @param subject  who wants it
 * @retval 0        the setting may stay as it is
 * @retval 1        it is replaced
 * @retval -ENOENT  it breaks the policy, and nothing is put in its place
 * @retval -ENOTSUP the library does not know the release
 * @retval -ENOMEM  out of memory
 */
int la_policy_repair(char **out, const struct la_policy *policy,
		     const char *text, size_t length,
		     const struct la_setting_context *context,
		     const struct la_policy_subject *subject);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_SETTING_H */
