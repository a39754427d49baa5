#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# glibc-needed.sh FILE...: print the release of glibc that programs and
# libraries need, by the versions of the symbols that they take from it.
set -eu
for file in "$@"; do
	"${OBJDUMP:-objdump}" -T "$file"
done | sed -n 's/.*[( ]GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1
