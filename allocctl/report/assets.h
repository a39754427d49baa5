/* SPDX-License-Identifier: Apache-2.0 */
/* Script and style of the page, compiled in. */
#ifndef ALLOCCTL_REPORT_ASSETS_H
#define ALLOCCTL_REPORT_ASSETS_H

/* UTF-8, each with a 0 behind it; neither has "</" in it. */
extern const char page_script[];
extern const char page_style[];

#endif /* ALLOCCTL_REPORT_ASSETS_H */
