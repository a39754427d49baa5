#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint-probe.sh LIB: the library that is loaded into programs exports what its
# map lists, the map lists every entry point of calls.txt and little else, and
# all that it takes of others is libc's.
set -eu
lib=$1 inject=${2:-cupti-probe/inject}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

{
	awk '/^cu/ { print $1 }' "$inject/abi/calls.txt"
	printf '%s\n' InitializeInjection dlsym dlvsym cuGetProcAddress \
		cuGetProcAddress_v2 \
		_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE \
		_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE
} | sort >"$tmp/wanted"
sed -n '/^global:/,/^local:/s/^\t\(.*\);$/\1/p' "$inject/libcupti-probe.map" |
	sort >"$tmp/map"
nm -D --defined-only "$lib" | awk '{ print $3 }' | sort >"$tmp/exported"

status=0
for list in map exported; do
	diff "$tmp/wanted" "$tmp/$list" >"$tmp/diff" && continue
	sed -n "s/^< /lint: not $list by libcupti-probe: /p
		s/^> /lint: $list by libcupti-probe: /p" "$tmp/diff" >&2
	status=1
done
needed=$(readelf -d "$lib" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
	grep -v -E '^(libc|libdl|libpthread|ld-linux.*)\.so' || :)
[ -z "$needed" ] || { echo "lint: libcupti-probe needs $needed" >&2; status=1; }
exit $status
