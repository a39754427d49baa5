/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl doctor found, and what to do about it. */
#ifndef ALLOCCTL_DOCTOR_H
#define ALLOCCTL_DOCTOR_H

#include "env.h"
#include "util/json.h"

enum { DOCTOR_GPUS = 64 };

struct doctor_gpu {
	char name[96];
	uint64_t total, used; /* bytes; 0: not known */
	bool mig; /* it is divided */
};

struct doctor_gpus {
	struct doctor_gpu gpu[DOCTOR_GPUS];
	size_t count;
	unsigned int seen; /* GPUs in all: there may be more than have room */
	char driver[64]; /* its release; empty: not known */
	const char *how; /* "NVML", "/proc/driver/nvidia"; NULL: none seen */
	char why[256]; /* why NVML says nothing; empty: it does */
};

/* Texts that say something to do, in the order in which to do it. */
struct doctor_step {
	const char *kind; /* word of a finding, or "" */
	char *text; /* owned */
	bool fault; /* something is wrong, not only worth knowing */
};

struct doctor {
	struct env_view env;
	struct doctor_gpus gpus;
	const char *system; /* "linux", "wsl", "windows" or "macos" */
	const char *container; /* what says that this is one; NULL: none */
	const char *policy; /* file of the site's; NULL: none */
	char host[256]; /* its name; empty: not known */
	const char *node; /* its name in Slurm; NULL: no task of Slurm's */
	struct doctor_step *step; /* owned */
	size_t step_count, step_room;
	bool failed; /* no memory */
};

/* GPUs and driver, through NVML where it is installed. */
void doctor_find_gpus(struct doctor_gpus *gpus);

/* Limits of the system, then what the findings ask for; a status. */
int doctor_judge(struct doctor *doctor);

/* Find out all of it and print it; json NULL: as text.  A status. */
int doctor_report(const struct env_query *query, struct la_json *json);

void doctor_print_text(const struct doctor *doctor);
void doctor_print_json(const struct doctor *doctor, struct la_json *json);

#endif /* ALLOCCTL_DOCTOR_H */
