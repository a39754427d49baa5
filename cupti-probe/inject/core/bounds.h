/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where recordings lie and how much of the disk they may take.  The probe keeps
 * to it when it makes one, the command when it removes some.
 */
#ifndef PROBE_BOUNDS_H
#define PROBE_BOUNDS_H

/* The folder of the package: writable for all, made by the administrator. */
#define BOUND_FOLDER "/var/lib/cupti-probe"

enum {
	BOUND_NODE = 1 << 30, /* bytes of all recordings, if nothing is set */
	BOUND_PART = 10, /* of the file system: a tenth, if that is less */
	BOUND_FREE_PERCENT = 15 /* of the file system that stay free */
};

#endif /* PROBE_BOUNDS_H */
