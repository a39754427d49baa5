#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The completions are what the tables of the programs give.
. tests/support.sh
command -v table-allocctl >/dev/null || skip 'no allocctl'
command -v table-cupti-probe >/dev/null || skip 'no cupti-probe'

mkdir "$tmp/completions"
scripts/completions/write.sh "$tmp/completions"
diff -r -u packaging/completions "$tmp/completions" ||
	fail 'packaging/completions is old: make completions'
