#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The probe's file: wanted are 60 ns a record, the clock included.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CUPTI_PROBE_DIR="$folder"
"$O/bin/bench-probe-store"
"$O/bin/bench-probe-hook"
