#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands of the guides end and print as the guides show.
. tests/support.sh
. tests/guide.sh
command -v allocctl >/dev/null || skip 'no allocctl'
command -v cupti-probe >/dev/null || skip 'no cupti-probe'
for guide in oom settings cluster; do
	check_run $guide
done
