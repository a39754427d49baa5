/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of one line (python-statement.c), which blocks (python.c) run. */
#ifndef LA_SCRIPT_PYTHON_STATEMENT_H
#define LA_SCRIPT_PYTHON_STATEMENT_H

#include "script/python.h"

/* Statements up to the end of the line, and that end. */
void py_simple_line(struct py *py);
/* The place of the statement that is read next. */
void py_begin(struct py *py);
/* Values of what was assigned since mark are not known any more. */
void py_forget(struct py *py, size_t mark);
/* Targets of for, from the token that is read next up to in. */
void py_assign_names(struct py *py, const struct py_value *value);
/* May more lines be run again? */
bool py_has_budget(struct py *py);
/* Does a variable of Python look as if the one of torch was meant? */
bool py_is_name_meant(const struct py *py, const char *name, size_t length);
/* The line of a notebook that begins with % or !, in cell.c. */
void py_magic(struct py *py);
/* What can be said only when all was read. */
void py_finish(struct py *py);

#endif /* LA_SCRIPT_PYTHON_STATEMENT_H */
