/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text being read: readers (script/kinds.c) find places and say things
 * about them with what is declared here; script.c keeps the result.
 */
#ifndef LA_SCRIPT_INTERNAL_H
#define LA_SCRIPT_INTERNAL_H

#include <stdarg.h>

#include <liballoc/script.h>

enum {
	LA_SCRIPT_BYTES = 16 << 20, /* longest text */
	LA_SCRIPT_DEPTH = 16, /* texts within texts */
	/*
	 * Longest value, with its terminator.  Linux gives no program a longer
	 * string (MAX_ARG_STRLEN), Windows none of more than 32,767
	 * characters: what is longer is not known, and readers need not build
	 * it.
	 */
	LA_SCRIPT_VALUE = 128 << 10,
	LA_SCRIPT_VALUES = 64 << 20, /* bytes of all values kept at once */
	LA_SCRIPT_PLACES = 1 << 16 /* most that are noted */
};

/* Instead of an assignment's index: the text as a whole. */
#define LA_SCRIPT_WHOLE SIZE_MAX

/* From start on, bytes of a part stand at offset, or behind it. */
struct la_script_piece {
	size_t start; /* bytes of the part */
	uint64_t offset; /* of the whole text */
};

/* A piece of the text, as one reader gets it. */
struct la_script_part {
	const char *text;
	size_t length;
	/* Byte of the whole text at which it starts.  Where the part was made
	 * of an escaped string, all of it is put at that place (exact false).
	 */
	uint64_t offset;
	bool exact;
	/* Or of several: where those bytes of it stand, by start; unowned. */
	const struct la_script_piece *piece;
	size_t piece_count;
	/* The shell that reads it ends with it: what is set there reaches only
	 * programs that the part itself starts. */
	bool ends;
};

/* Byte of the whole text at which a byte of the part stands. */
uint64_t la_script_offset(const struct la_script_part *part, size_t start);

/* The line of the whole text in which it stands, from 1. */
size_t la_script_line(struct la_script *script,
		      const struct la_script_part *part, size_t start);

/* Find all that a part does; 0 or -errno with err filled. */
typedef int la_script_reader(struct la_script *script,
			     const struct la_script_part *part,
			     struct la_error *err);

/* One row for each kind (kinds.c). */
struct la_script_reading {
	const char *name; /* of --kind */
	la_script_reader *read;
};

const struct la_script_reading *la_script_reading(enum la_script_kind kind);

/* Who reads the text that is being read now. */
enum la_script_kind la_script_kind_now(const struct la_script *script);
enum la_platform la_script_platform(const struct la_script *script);

/* Is the variable one that is watched?  Names differ in case in cmd and
 * PowerShell on Windows: fold. */
bool la_script_watches(const struct la_script *script, const char *name,
		       size_t length, bool fold);

/* The variable watched at an index; NULL past the end. */
const char *la_script_watched(const struct la_script *script, size_t index);

/* Bytes of APPTAINERENV_ or SINGULARITYENV_ before a name that is watched;
 * 0: it is another name. */
size_t la_script_container_prefix(const struct la_script *script,
				  const char *name, size_t length);

/* What was there before, or NULL: not known. */
const char *la_script_outer(const struct la_script *script, const char *name,
			    size_t length);

/*
 * Note a place.  value: what a child sees, copied; NULL unless it arrives.
 * Beyond the bounds above it becomes unknown, which is said.
 * The index, for la_script_say(); LA_SCRIPT_WHOLE if there is no memory, which
 * la_script_read() then returns, or behind la_script_stop().
 */
size_t la_script_add(struct la_script *script,
		     const struct la_script_part *part, const char *variable,
		     size_t variable_length, const char *value,
		     enum la_script_fate fate, size_t start, size_t end);

/* There are too many places: no more are noted, and all variables end as not
 * known. */
void la_script_stop(struct la_script *script);

/* Change what became of it: a later line exports it, or the shell ends. */
void la_script_change(struct la_script *script, size_t assignment,
		      const char *value, enum la_script_fate fate);

/* It ended before the text does: no place that holds, whatever its fate. */
void la_script_over(struct la_script *script, size_t assignment);

/* What a place gives so far; valid until the next la_script_add(). */
const struct la_script_assignment *
la_script_peek(const struct la_script *script, size_t assignment);

/* How many places were noted so far. */
size_t la_script_count(const struct la_script *script);

/*
 * Say something of an assignment or of the whole; start and end are bytes of
 * the part.  Without a format: the meaning of the code (codes.c).
 */
void la_script_say(struct la_script *script, const struct la_script_part *part,
		   size_t assignment, enum la_script_code code, size_t start,
		   size_t end, const char *format, ...)
	__attribute__((format(printf, 7, 8)));

/*
 * Read a part in another language: RUN of a Dockerfile, os.system() of Python.
 * -EFBIG beyond LA_SCRIPT_DEPTH.
 */
int la_script_nested(struct la_script *script, enum la_script_kind kind,
		     const struct la_script_part *part, struct la_error *err);

const struct la_script_code_info *la_script_code_of(enum la_script_code code);

/* Readers; several kinds share one and ask la_script_kind_now(). */
la_script_reader la_script_read_shell, la_script_read_fish,
	la_script_read_tcsh, la_script_read_cmd, la_script_read_powershell,
	la_script_read_python, la_script_read_cell, la_script_read_notebook,
	la_script_read_dockerfile, la_script_read_yaml, la_script_read_systemd,
	la_script_read_slurm, la_script_read_dotenv, la_script_read_pam_env,
	la_script_read_crontab, la_script_read_json, la_script_read_module;

#endif /* LA_SCRIPT_INTERNAL_H */
