#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reader gives what pickle.load() gives, event by event.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
python3 tests/shared/reader.py "$O/bin/dump-recording" "$SHARED/traces"
