// SPDX-License-Identifier: Apache-2.0
/* The bytes of report/ that a browser reads, see allocctl/Build. */

#include "assets.h"

const char page_script[] = {
#include "page-script.js.inc"
};

const char page_style[] = {
#include "page-style.css.inc"
};
