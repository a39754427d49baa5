#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# debian-sources.sh: print this system's package sources of Debian 12, as apt
# has them, in the format of sources.list.  Fails where there are none.
set -eu
suite=bookworm

apt-get indextargets 'Created-By: Packages' 'Origin: Debian' \
	--format 'deb $(REPO_URI) $(SUITE) $(CODENAME) $(COMPONENT)' |
	awk -v s=$suite '$4 ~ "^" s {
		key = $1 " " $2 " " $4
		if (!(key in seen)) order[++n] = key
		if (!seen[key, $5]++) seen[key] = seen[key] " " $5
	}
	END {
		for (i = 1; i <= n; i++) print order[i] seen[order[i]]
		exit !n
	}'
