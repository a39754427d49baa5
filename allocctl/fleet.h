/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl fleet has been told by nodes, and how that is held together. */
#ifndef ALLOCCTL_FLEET_H
#define ALLOCCTL_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "hostlist.h"
#include "util/strbuf.h"

enum {
	FLEET_NODES = HOSTLIST_MOST, /* most that are told apart */
	FLEET_PARTS = 20 * FLEET_NODES,
	FLEET_LINE_BYTES = 1 << 20, /* longest line that is a report */
	FLEET_NAME_BYTES = HOSTLIST_NAME, /* longest name of a node */
};

#define FLEET_PART_SCHEMA "allocctl.fleet-part/1"

/* What is held together; fleet_fact_names has their names. */
enum fleet_fact {
	FLEET_SETTING, /* variables that torch reads */
	FLEET_ORIGIN, /* who set them */
	FLEET_TORCH,
	FLEET_DRIVER,
	FLEET_GPUS,
	FLEET_ALLOCCTL, /* its version */
	FLEET_FAULTS, /* what allocctl doctor would do */
	FLEET_FACTS
};

extern const char *const fleet_fact_names[FLEET_FACTS];

/* One answer. */
struct fleet_node {
	char *name; /* owned */
	char *fact[FLEET_FACTS]; /* owned; all NULL where there is an error */
	char *error; /* owned; NULL: the node has reported */
	size_t order; /* in which answers came */
};

/* A piece of a report. */
struct fleet_part {
	char *name; /* owned: of the node */
	char *id; /* owned: of the report */
	char *text; /* owned */
	size_t length;
	size_t part, parts; /* its number, from 1, and how many there are */
};

/* Nodes that say the same. */
struct fleet_group {
	const char *value;
	const char **node; /* their names, in order */
	size_t count;
};

struct fleet_groups {
	struct fleet_group *group; /* owned; the largest first */
	const char **names; /* owned: where groups have theirs */
	size_t count;
};

struct fleet {
	struct hostlist expected; /* sorted; none: whoever answers */
	struct fleet_node *node; /* owned; one for each different answer */
	size_t count, room;
	struct fleet_part *part; /* owned */
	size_t part_count, part_room;
	size_t answered; /* nodes that have reported */
	struct hostlist missing, conflicting;
	struct fleet_groups fact[FLEET_FACTS], errors;
	bool prefixed; /* a node's name was before a report */
	size_t other_lines; /* that are no report and no node's */
	char *other_line; /* owned: the first of them */
	const char *launcher; /* NULL: none was run */
	int launcher_status;
	bool full; /* more has come than FLEET_NODES, FLEET_PARTS allow */
	bool failed; /* no memory */
};

/* One line of input. */
struct fleet_line {
	const char *text; /* terminated */
	size_t length;
	const char *file; /* as the user has it */
	size_t number; /* of the line, from 1 */
	bool cut; /* it was longer than FLEET_LINE_BYTES */
};

/* Read all lines of a stream; false after a message. */
bool fleet_read(struct fleet *fleet, FILE *stream, const char *file);

/*
 * Take the report, or the part of one, that is at text.  name: of the node, as
 * a launcher has it; "": the report says it, and it is left there.  NULL, or
 * why it is none.
 */
const char *fleet_take_report(struct fleet *fleet, const char *text,
			      size_t length, char name[FLEET_NAME_BYTES + 1]);

/* Make reports of the parts that nodes have sent. */
void fleet_join(struct fleet *fleet);

/* Print the report of this node in such parts.  A status. */
int fleet_report_node(void);

/* Add what a node has said, which is no report. */
void fleet_add_error(struct fleet *fleet, const char *name, const char *why);

/* Add an answer; NULL: no memory, or there are FLEET_NODES. */
struct fleet_node *fleet_add(struct fleet *fleet, const char *name);

/* Hold the answers together. */
void fleet_compare(struct fleet *fleet);

/* 0 all agree, 1 they differ, 3 somebody has given no answer. */
int fleet_status(const struct fleet *fleet);

void fleet_print_text(const struct fleet *fleet);
void fleet_print_json(const struct fleet *fleet);
void fleet_release(struct fleet *fleet);

/*
 * Run a launcher with what each node is to run behind its words, and read what
 * that prints.  A status; not STATUS_DONE after a message.
 */
int fleet_launch(struct fleet *fleet, int count, char **words);

#endif /* ALLOCCTL_FLEET_H */
