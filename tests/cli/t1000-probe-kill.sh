#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Processes killed while they write to the probe's file: what they were told
# is there is there.
# Promise: killed, torn.
. tests/support.sh
command -v probe-kill >/dev/null || skip 'no probe-kill'
CUPTI_PROBE_DIR=$tmp CUPTI_PROBE_SIZE=4M CUPTI_PROBE_NODE_SIZE=1G
export CUPTI_PROBE_DIR CUPTI_PROBE_SIZE CUPTI_PROBE_NODE_SIZE
kills=1000
[ -z "${SANITIZE-}" ] || kills=100
probe-kill $kills 1
