#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Facts of all reports and of the messages that recordings ended with.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
set -- "$SHARED/reports/ooms.jsonl" "$SHARED"/traces/*/remedy.jsonl
for file in "$SHARED"/traces/*.json "$SHARED"/traces/*/*.json; do
	printf '%s\n' "$file"
done >"$tmp/files"
python3 tests/tools/messages.py "$O/bin/log-facts" "$@" --companions "$tmp/files"
