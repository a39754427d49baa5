#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every recorded string, parsed on Windows: verdict, error and values as torch.
. tests/support.sh
. tests/wine/support.sh
command -v python3 >/dev/null || skip 'no python3'

for file in tests/data/conf-*.jsonl tests/data/conf-*.jsonl.xz; do
	python3 tests/wine/recorded.py "$file" wine \
		"$windows/bin/parse-settings.exe" || fail "$file"
done
