#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Texts that are made to take long: each is read in bounded time and memory,
# and no value is told that is longer than a program can be given.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
[ -z "${SANITIZE-}" ] || skip 'sanitizers change time and memory'
python3 tests/data/long-texts.py || fail 'not within its bounds'
