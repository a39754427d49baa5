/* SPDX-License-Identifier: Apache-2.0 */
/* A choice while it is made. */
#ifndef LA_ENV_CHOICE_H
#define LA_ENV_CHOICE_H

#include "env/internal.h"

/* The face comes first: it is what the caller holds. */
struct la_env_judgement {
	struct la_env_choice face;
	const struct la_env *env;
	struct la_setting_context context;
	struct la_env_variable *variable; /* face.variable; names owned */
	size_t room;
	struct la_env_finding *finding; /* face.finding; texts owned */
	size_t finding_room;
	bool failed; /* no memory */
};

/* Say what is wrong with what was chosen. */
void la_env_judge(struct la_env_judgement *j);

/* The name of torch's that was meant by one that looks like it; NULL: none. */
const char *la_env_meant(const char *name, size_t length);

#endif /* LA_ENV_CHOICE_H */
