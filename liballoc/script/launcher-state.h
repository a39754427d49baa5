/* SPDX-License-Identifier: Apache-2.0 */
/* A command as its launchers take it apart, one behind the other. */
#ifndef LA_SCRIPT_LAUNCHER_STATE_H
#define LA_SCRIPT_LAUNCHER_STATE_H

#include "script/launcher.h"

enum { LA_LAUNCH_GIVEN = 16 };

struct la_launch {
	struct la_script *script;
	const struct la_script_part *part;
	const struct la_script_word *word;
	size_t count;
	size_t at; /* the word that is read next */
	size_t self; /* the launcher's own name */
	/* What the next program in the chain has of the variables watched. */
	struct la_script_given given[LA_LAUNCH_GIVEN];
	size_t given_count;
	/* APPTAINERENV_V and the like, which containers get as V. */
	struct la_script_given prefixed[LA_LAUNCH_GIVEN];
	size_t prefixed_count;
};

/* The word that is read next, or "" past the end or if it is not known. */
const char *la_launch_word(const struct la_launch *launch);
bool la_launch_is(const struct la_launch *launch, const char *word);
/* Past the options of a launcher; valued: letters whose value may stand in the
 * next word; long_valued: " --a --b " whose value does. */
void la_launch_skip_options(struct la_launch *launch, const char *valued,
			    const char *long_valued);
/* The value of an option that is read next (-e V, -eV, --env V, --env=V), and
 * past it; NULL: another word.  Either name may be NULL. */
const char *la_launch_option(struct la_launch *launch, const char *brief,
			     const char *full);

/* NAME=VALUE gives the program NAME; where it is said: the word before at.
 * The assignment, or LA_SCRIPT_WHOLE if it is not one that is watched. */
size_t la_launch_set(struct la_launch *launch, const char *assignment);
size_t la_launch_set_name(struct la_launch *launch, const char *name,
			  size_t length, const char *value);
void la_launch_say(struct la_launch *launch, size_t assignment,
		   enum la_script_code code);
struct la_script_given *la_launch_given(struct la_launch *launch,
					const char *name, size_t length);
/* The same of APPTAINERENV_V; prefix: without the name. */
const struct la_script_given *la_launch_prefixed(const struct la_launch *launch,
						 const char *prefix,
						 const char *name);
/* Something may come before each that is given. */
void la_launch_doubt(struct la_launch *launch, const char *why);
/* The text of a file that the script wrote, which the word read last names,
 * alone or behind an equals sign; NULL: not known. */
const struct la_script_file *la_launch_file(const struct la_launch *launch);
/* The program does not get what was given. */
void la_launch_drop(struct la_launch *launch, struct la_script_given *given,
		    enum la_script_code code);
void la_launch_drop_all(struct la_launch *launch, enum la_script_code code);
/* A text that another shell reads; start: bytes of the part. */
void la_launch_read(struct la_launch *launch, enum la_script_kind kind,
		    const char *text, size_t start);
/* The rest of the words, as one text that another shell reads. */
void la_launch_remote(struct la_launch *launch, enum la_script_kind kind);

/* A launcher: reads its words, at stands behind them. */
struct la_launcher {
	const char *name;
	void (*run)(struct la_launch *launch);
};

/* Tables, NULL name at the end. */
extern const struct la_launcher la_launchers_local[], la_launchers_cluster[],
	la_launchers_container[];

/* What --export of Slurm does; who: srun keeps values that are there. */
enum la_slurm_who { LA_SLURM_SRUN, LA_SLURM_SBATCH };
void la_slurm_export(struct la_launch *launch, enum la_slurm_who who,
		     const char *spec);
/* What srun does without --export: SLURM_EXPORT_ENV, which sbatch sets. */
void la_slurm_inherit(struct la_launch *launch);

#endif /* LA_SCRIPT_LAUNCHER_STATE_H */
