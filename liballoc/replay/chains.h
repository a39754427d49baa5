/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_CHAINS_H
#define LA_REPLAY_CHAINS_H

#include "replay/program.h"

/*
 * Make *out a view of a program that begins with what it held, segments in
 * the pages of chains and pages without blocks unmapped: how expandable
 * segments have it at worst.  granule: bytes of a page of large blocks.
 * Release out->start and out->piece; all else is the program's.
 * Returns 0 or -ENOMEM.
 */
int program_chain(struct la_program *out, const struct la_program *program,
		  uint64_t granule);

#endif /* LA_REPLAY_CHAINS_H */
