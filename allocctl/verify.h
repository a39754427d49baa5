/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl verify asks, what it found, and its two formats. */
#ifndef ALLOCCTL_VERIFY_H
#define ALLOCCTL_VERIFY_H

#include <liballoc/script.h>
#include <liballoc/setting.h>

#include "opt.h"

/* One thing said of a place of the text, or of the text. */
struct verify_said {
	int code; /* printed as LA220 */
	const char *kind; /* the slip in one word, static */
	char *text; /* owned */
	uint64_t offset, length; /* bytes of the text */
	size_t line, column; /* of offset, from 1; 0: no place */
};

struct verify_list {
	struct verify_said *said; /* owned */
	size_t count, room;
};

/* One place that sets, means to set or removes a variable. */
struct verify_place {
	char *variable; /* owned */
	char *value; /* owned; NULL: none that a program sees */
	char *cure; /* owned: the line to write instead, or NULL */
	enum la_script_fate fate;
	bool refused; /* torch does not take the value */
	uint64_t offset, length; /* bytes of the text */
	size_t line, column; /* of offset, from 1 */
	struct verify_list list;
};

/* How a real shell is started. */
enum verify_start {
	VERIFY_LINE, /* with the line that sets what is wanted */
	VERIFY_LOGIN,
	VERIFY_INTERACTIVE,
	VERIFY_NEITHER /* as for a script */
};

/* What a program got from a real shell. */
struct verify_shell {
	const char *name;
	char *version, *value; /* owned, or NULL: not told, not set */
	const char *trouble; /* static: why nothing is known; NULL: it is */
	bool arrives;
};

struct verify_request {
	const char *wanted; /* setting, or NULL */
	const char *path; /* of the script; "-": standard input; NULL: none */
	const char *variable; /* the one that is watched; NULL: torch's */
	const char *kind; /* word, or NULL: told by name and text */
	const char *torch; /* release, or NULL */
	struct opt_list shells; /* words */
	int os; /* enum verify_os; -1: by the kind */
	int format; /* enum print_format */
	enum verify_start start;
};

struct verify {
	struct verify_request request;
	enum la_script_kind kind;
	bool alone; /* the text is a value or an error of torch, no script */
	struct la_setting_context context; /* that checks the values */
	char *text; /* owned, terminated */
	size_t length;
	struct verify_place *place; /* owned */
	size_t count, room;
	struct verify_list list; /* of the text as a whole */
	struct verify_shell *shell; /* owned, one each word of the request */
	bool failed; /* no memory */
	bool unread; /* the file of a format cannot be parsed */
};

/* Add to what is said; kind is static, text is copied. */
void verify_say(struct verify *verify, struct verify_list *list, int code,
		const char *kind, const char *text, uint64_t offset,
		uint64_t length);

/* A new place, or NULL after failed was set; the value is copied. */
struct verify_place *verify_add(struct verify *verify, const char *variable,
				const char *value, enum la_script_fate fate,
				uint64_t offset, uint64_t length);

/* Take a text that is a setting or what torch says of one; false: neither. */
bool verify_recognise(struct verify *verify);

/* What torch makes of the value at a place, in the words of reports. */
void verify_value(struct verify *verify, struct verify_place *place);

/* What to write there instead; place->cure, or NULL if nothing is known. */
void verify_cure(struct verify *verify, struct verify_place *place);

/* Run the shells that are wanted: verify->shell. */
void verify_shells(struct verify *verify);

/* Has the torch of that program read the variable before? */
bool verify_is_late(const struct verify_place *place);

void verify_print_text(const struct verify *verify);
void verify_print_json(const struct verify *verify);

#endif /* ALLOCCTL_VERIFY_H */
