#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parses of strings of one to three options.
set -eu
"$O/bin/bench-setting"
