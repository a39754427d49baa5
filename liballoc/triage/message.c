// SPDX-License-Identifier: Apache-2.0
/* Reads one message by the tables of a grammar. */
#include "triage/message.h"

#include <limits.h>
#include <string.h>

/* Bytes without any clause that end a message. */
enum { GAP_MAX = 240 };

size_t la_text_line(const struct la_text *text, size_t offset)
{
	size_t low = 0, high = text->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (text->lines[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool la_text_starts_word(const struct la_text *text, size_t offset)
{
	const char *p = text->data + offset;

	if (offset == 0)
		return true;
	if (la_is_word(*p))
		return !la_is_word(p[-1]) &&
		       !(la_is_digit(*p) && offset > 1 && p[-1] == '.' &&
			 la_is_digit(p[-2]));
	return !la_is_white(*p);
}

bool la_message_raised(const struct la_message *message, const char *name)
{
	size_t length = strlen(name);

	return message->exception.length >= length &&
	       memcmp(message->exception.text + message->exception.length -
			      length,
		      name, length) == 0;
}

/* Bounds that both hold, or false. */
static bool narrow(struct la_amount *amount, const struct la_amount *by)
{
	if (by->low > amount->high || by->high < amount->low)
		return false;
	if (by->high - by->low < amount->high - amount->low)
		*amount = *by;
	return true;
}

static bool set_amount(struct la_message *m, enum la_amount_id id,
		       const struct la_amount *amount)
{
	struct la_amount *known = &m->facts.amount[id];

	if (known->basis == LA_BASIS_NONE) {
		*known = *amount;
		return true;
	}
	return m->grammar->refines && narrow(known, amount);
}

static bool set_number(int64_t *known, uint64_t number)
{
	if (*known >= 0)
		return (uint64_t)*known == number;
	*known = (int64_t)number;
	return true;
}

/* The process's number comes ahead of what it holds. */
static bool add_process(struct la_message *m, uint64_t pid,
			const struct la_amount *amount)
{
	size_t i;

	if (amount->basis == LA_BASIS_NONE)
		m->facts.processes_unknown = true;
	for (i = 0; i < m->process_count; i++)
		if (m->process[i].pid == pid)
			return false;
	if (m->process_count < LA_MESSAGE_PROCESSES)
		m->process[m->process_count++] =
			(struct la_process){ pid, *amount };
	return true;
}

static bool apply_size(struct la_message *m, const struct la_capture *capture,
		       uint64_t pid)
{
	struct la_amount amount = capture->amount;
	enum la_amount_id id = la_pattern_amount(capture->what);

	if (capture->bare && m->grammar->units)
		return false;
	if (amount.basis != LA_BASIS_NONE)
		amount.line =
			m->text->lines[la_text_line(m->text, capture->offset)]
				.line->number;
	if (capture->what == 'M')
		return add_process(m, pid, &amount);
	if (capture->what == 'S')
		return set_amount(m, LA_AMOUNT_REQUEST, &amount) &&
		       set_amount(m, LA_AMOUNT_SEGMENT, &amount);
	if (id == LA_AMOUNT_PROCESS && amount.basis == LA_BASIS_NONE)
		m->facts.processes_unknown = true;
	return amount.basis == LA_BASIS_NONE || set_amount(m, id, &amount);
}

/* False if something is said a second time. */
static bool apply(struct la_message *m, const struct la_captures *captures)
{
	uint64_t pid = 0;
	bool fits = true;
	size_t i;

	for (i = 0; i < captures->count && fits; i++) {
		const struct la_capture *capture = &captures->capture[i];

		switch (capture->what) {
		case 'd':
			fits = set_number(&m->facts.device, capture->number);
			break;
		case 'k':
			fits = set_number(&m->facts.rank, capture->number);
			break;
		case 'i':
			fits = set_number(&m->facts.pid, capture->number);
			break;
		case 'P':
			pid = capture->number;
			break;
		default:
			fits = apply_size(m, capture, pid);
		}
	}
	return fits;
}

static bool take_clause(struct la_message *m, size_t *at, bool *ended)
{
	const struct la_text *text = m->text;
	const struct la_clause *clause = m->grammar->clause;
	struct la_captures captures;

	for (; clause->pattern; clause++) {
		size_t end = *at;

		if (!la_pattern_match(clause->pattern, text->data, text->length,
				      &end, &captures))
			continue;
		if (!apply(m, &captures)) {
			*ended = true;
			return false;
		}
		m->seen |= clause->seen;
		m->last = *at = end;
		if (!(clause->seen & LA_SEEN_HINT))
			m->end = end;
		return true;
	}
	return false;
}

/* Another message of this grammar begins here. */
static bool begins_again(const struct la_message *m, size_t at)
{
	const struct la_beginning *start = m->grammar->start;
	struct la_captures captures;

	return la_pattern_match(start->pattern, m->text->data, m->text->length,
				&at, &captures);
}

static void take_clauses(struct la_message *m)
{
	size_t at = m->last;
	bool ended = false;

	while (at < m->text->length && at - m->last <= GAP_MAX && !ended) {
		if (!la_text_starts_word(m->text, at)) {
			at++;
			continue;
		}
		if (take_clause(m, &at, &ended))
			continue;
		if (begins_again(m, at))
			break;
		at++;
	}
}

/* "torch.OutOfMemoryError: " ahead of the body. */
static void find_exception(struct la_message *m)
{
	static const char *const endings[] = { "Error", "Exception" };
	const char *data = m->text->data;
	size_t end = m->body, start, i;

	while (end > 0 && la_is_white(data[end - 1]))
		end--;
	if (end == 0 || data[end - 1] != ':')
		return;
	start = --end;
	while (start > 0 &&
	       (la_is_word(data[start - 1]) || data[start - 1] == '.'))
		start--;
	m->exception.text = data + start;
	m->exception.length = end - start;
	for (i = 0; i < 2; i++)
		if (la_message_raised(m, endings[i])) {
			m->start = start;
			return;
		}
	m->exception.length = 0;
}

static bool placed_right(const struct la_text *text, size_t at, size_t end,
			 unsigned int flags)
{
	bool first = at == 0 || text->data[at - 1] == '\n';

	if (!(flags & (LA_BEGIN_ALONE | LA_BEGIN_FIRST)))
		return true;
	if (flags & LA_BEGIN_FIRST)
		return first;
	while (end < text->length && text->data[end] == ' ')
		end++;
	return first && (end == text->length || text->data[end] == '\n');
}

static bool same_case(const struct la_text *text, size_t at,
		      const struct la_beginning *start)
{
	size_t i;

	if (!(start->flags & LA_BEGIN_LOWER))
		return true;
	for (i = 0; start->pattern[i] && la_is_word(start->pattern[i]); i++)
		if (text->data[at + i] != start->pattern[i])
			return false;
	return true;
}

static void begin(struct la_message *m, const struct la_text *text, size_t at,
		  const struct la_grammar *grammar,
		  const struct la_beginning *start)
{
	memset(&m->facts, 0, sizeof(m->facts));
	m->facts.kind = grammar->kind;
	m->facts.framework = grammar->framework;
	m->facts.backend = start->backend ? start->backend : grammar->backend;
	m->facts.form = start->form;
	m->facts.count = 1;
	m->facts.device = m->facts.rank = m->facts.pid = -1;
	m->facts.release[1] = UINT_MAX;
	m->process_count = 0;
	m->grammar = grammar;
	m->started = start;
	m->text = text;
	m->start = m->body = at;
	m->seen = start->seen;
	m->exception.length = 0;
	m->quoted = at > 1 &&
		    (text->data[at - 1] == '"' || text->data[at - 1] == '\'') &&
		    text->data[at - 2] == '(';
}

static void take_origin(struct la_message *m)
{
	const struct la_text_line *first =
		&m->text->lines[la_text_line(m->text, m->start)];
	const struct la_text_line *last =
		&m->text->lines[la_text_line(m->text, m->last - 1)];
	const struct la_origin *origin = &first->line->origin;

	m->facts.line[0] = first->line->number;
	m->facts.line[1] = last->line->number;
	if (m->facts.rank < 0)
		m->facts.rank = origin->rank;
	if (m->facts.pid < 0)
		m->facts.pid = origin->pid;
	if (m->facts.device < 0)
		m->facts.device = origin->device;
}

static void widen_to_lines(struct la_message *m)
{
	const struct la_text *text = m->text;

	m->start = text->lines[la_text_line(text, m->start)].offset;
	while (m->last < text->length && text->data[m->last] != '\n')
		m->last++;
	m->end = m->last;
}

/* A size with which a log begins may lack its first digits. */
static bool may_be_cut(const struct la_text *text, size_t at,
		       const struct la_grammar *grammar,
		       const struct la_beginning *start)
{
	return grammar->units && *start->pattern == '%' &&
	       text->lines->line->number == 1 &&
	       (at == 0 || (at == 1 && *text->data == '.'));
}

bool la_message_read(struct la_message *message, const struct la_text *text,
		     size_t at, const struct la_grammar *grammar,
		     const struct la_beginning *start)
{
	struct la_captures captures;
	size_t end = at;

	if (!la_pattern_match(start->pattern, text->data, text->length, &end,
			      &captures) ||
	    !placed_right(text, at, end, start->flags) ||
	    !same_case(text, at, start) ||
	    may_be_cut(text, at, grammar, start))
		return false;
	begin(message, text, at, grammar, start);
	message->end = message->last = end;
	if (!apply(message, &captures))
		return false;
	find_exception(message);
	if (grammar->clause)
		take_clauses(message);
	if (grammar->finish && !grammar->finish(message))
		return false;
	if (grammar->lines)
		widen_to_lines(message);
	take_origin(message);
	return true;
}
