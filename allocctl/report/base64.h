/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ALLOCCTL_REPORT_BASE64_H
#define ALLOCCTL_REPORT_BASE64_H

#include "util/json.h"

/* A JSON string of bytes in base64 (RFC 4648, padded).  False: no memory. */
bool base64_json(struct la_json *json, const void *bytes, size_t size);

#endif /* ALLOCCTL_REPORT_BASE64_H */
