/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_PICTURE_H
#define LA_HEAP_PICTURE_H

#include <liballoc/heap.h>

/* A picture while it is drawn; zero-initialised: of nothing. */
struct drawing {
	struct la_picture picture;
	size_t room; /* of picture.part */
	size_t last; /* the part that was added to last */
	int err; /* 0 or -ENOMEM: a block is missing */
};

/* Add a block; a la_heap_visitor of a struct drawing.  Blocks of one segment
 * come one behind the other, the first of them at its start. */
void drawing_add(void *data, const struct la_block_info *info);

/* Finish the sums and hand the picture over.  Returns 0 or -ENOMEM. */
int drawing_finish(struct drawing *drawing, struct la_picture *out);

/* Add holes to others. */
void holes_add(struct la_holes *to, const struct la_holes *from);

#endif /* LA_HEAP_PICTURE_H */
