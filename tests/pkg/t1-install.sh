#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make install below DESTDIR: clients compile and run, the command works.
. tests/support.sh
. tests/pkg/support.sh

${MAKE:-make} -s CC="${CC:-cc}" O="$O" SANITIZE="${SANITIZE-}" install \
	DESTDIR="$tmp/root" prefix=/usr
check_clients "$tmp/root" /usr/lib
check_command "$tmp/root"
check_probe "$tmp/root" /usr/lib
