/* SPDX-License-Identifier: Apache-2.0 */
/* What `allocctl calibrate` measures. */
#ifndef ALLOCCTL_CALIBRATE_H
#define ALLOCCTL_CALIBRATE_H

#include <stdbool.h>
#include <stdio.h>

#include <liballoc/device.h>
#include <liballoc/replay.h>

#include "cudart.h"

enum { CALIBRATE_ROUNDS = 20 }; /* times that each figure is the median of */

struct calibration {
	struct la_costs costs;
	double record, wait_for, query; /* us, of an event */
	bool is_shared; /* others use the GPU */
	const char *cudart; /* path of the runtime that was timed */
	int version; /* of it, as 12040 */
};

/* Measure all; false after a message. */
bool calibrate_measure(struct calibration *out, struct la_device *device,
		       const struct cudart *cudart);

/* As a file that la_costs_read() takes. */
void calibrate_write_yaml(const struct calibration *calibration, FILE *file);

/* path: where the file is; NULL: nowhere. */
void calibrate_print_json(const struct calibration *calibration,
			  const char *path);
void calibrate_print_text(const struct calibration *calibration,
			  const char *path);

#endif /* ALLOCCTL_CALIBRATE_H */
