#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Facts of recordings are what torch's messages say, and what gets past a
# failed request is what torch did, from whole histories and from rings.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
python3 tests/shared/triage-remedies.py "$O/bin/triage-recording" \
	"$SHARED/traces" "$tmp"
