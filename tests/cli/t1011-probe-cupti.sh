#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The front end of CUPTI: versions 11 to 13, a place that is taken, a place
# that another wants, ids that mean something else, and who is loaded next.
. tests/support.sh
. tests/probe.sh

has() {	# has WHAT LINE: the front end told it
	grep -q -x -e "$2" "$tmp/log" || fail "$1: no '$2' in: $(cat "$tmp/log")"
}

has_not() {	# has_not WHAT PATTERN
	! grep -e "$2" "$tmp/log" || fail "$1: has '$2'"
}

# The library of the driver's major version or an older one; what an older one
# does not know is not seen, and nothing else is missing.
operations='init;begin;alloc 1M;async 1M;create 2M;end'
plain cuda-program dlsym "$operations"
for release in 11:18 12:28 13:130001; do
	major=${release%:*}
	LD_LIBRARY_PATH=$O/mock:$O/mock/12:$O/mock/11 \
		MOCK_CUDA_DRIVER=${major}080 \
		watched cupti cuda-program dlsym "$operations"
	same "CUPTI $major"
	has "CUPTI $major" "version ${release#*:}"
	has "CUPTI $major" 'view driver'
	has "CUPTI $major" 'exit cuMemCreate 0 2097152'
	has "CUPTI $major" 'exit cuDevicePrimaryCtxRelease_v2 0 0'
	has_not "CUPTI $major" '^note'
done

# The one that is loaded already, though the driver knows a newer one.
LD_LIBRARY_PATH=$O/mock:$O/mock/12:$O/mock/11 \
	LD_PRELOAD="$runtime $O/mock/11/libcupti.so.11.8" \
	watched cupti cuda-program dlsym "$operations"
has 'CUPTI is loaded already' 'version 18'

# Beside a library of the CUDA runtime, as in wheels and toolkits.
mkdir -p "$tmp/nvidia/cu13/lib" "$tmp/driver"
cp "$O"/mock/libcupti.so.13 "$tmp/nvidia/cu13/lib/"
cp "$O"/mock/libc10.so "$tmp/nvidia/cu13/lib/libcudart.so.13"
cp "$O"/mock/libcuda.so.1 "$tmp/driver/"
LD_LIBRARY_PATH=$tmp/driver \
	LD_PRELOAD="$runtime $tmp/nvidia/cu13/lib/libcudart.so.13" \
	watched cupti cuda-program dlsym "$operations"
has 'beside libcudart' 'version 130001'

# None at all: the driver is not seen, and nothing else happens.
LD_LIBRARY_PATH=$tmp/driver watched cupti cuda-program dlsym "$operations"
same 'no CUPTI'
has 'no CUPTI' 'note driver not seen: .*CUPTI.*\|.*there is no libcupti'
has_not 'no CUPTI' '^view'

# Another tool has the place; 13 says which.
MOCK_CUPTI_HOLDER='CUPTI for Nsight' \
	watched cupti cuda-program dlsym "$operations"
same 'place taken'
has 'place taken' 'note driver not seen: CUPTI for Nsight has CUPTI'
has_not 'place taken' '^view'
MOCK_CUPTI_HOLDER=Nsight MOCK_CUDA_DRIVER=12080 \
	LD_LIBRARY_PATH=$O/mock:$O/mock/12 \
	watched cupti cuda-program dlsym "$operations"
has 'place taken in 12' 'note driver not seen: another tool has CUPTI'
for result in 15 40 999; do
	MOCK_CUPTI_RESULT=$result \
		watched cupti cuda-program dlsym "$operations"
	same "CUPTI says $result"
	has_not "CUPTI says $result" '^view'
done
has 'CUPTI says 999' 'note driver not seen: CUPTI says error 999'

# An id with another name is left alone.
MOCK_CUPTI_RENAMED=243 watched cupti cuda-program dlsym "$operations"
same 'other name'
has 'other name' 'note CUPTI has other names for 1 calls: not seen'
has_not 'other name' cuMemAlloc_v2
has 'other name' 'exit cuMemCreate 0 2097152'

# A profiler that is linked with CUPTI gets the place.  It sees both sides of
# one call.
operations='init;begin;alloc 1M;profile;alloc 2M;profiled;alloc 3M'
plain cuda-program dlsym "$operations"
grep -q '^profiled  : 2$' "$tmp/plain" || fail 'no profiler here'
LD_PRELOAD="$runtime $O/mock/libmock_profiler.so" \
	watched cupti cuda-program dlsym "$operations"
same 'a profiler'
has 'a profiler' 'exit cuMemAlloc_v2 0 1048576'
has 'a profiler' 'end driver: CUPTI was left to another subscriber'
has_not 'a profiler' 'cuMemAlloc_v2 0 2097152'
# One that is loaded later, but is there for a while before it subscribes.
watched cupti cuda-program dlsym \
	'init;begin;alloc 1M;profiler;sleep 100;profile;alloc 2M;profiled'
grep -q '^profiled  : 2$' "$tmp/watched" || fail 'a late profiler'
has 'a late profiler' 'end driver: CUPTI was left to another subscriber'
# It goes without where the probe keeps the place; but it ends CUPTI for all.
CUPTI_PROBE_EXCLUSIVE=1 LD_PRELOAD="$runtime $O/mock/libmock_profiler.so" \
	watched cupti cuda-program dlsym "$operations"
grep -q '^profile  : 39$' "$tmp/watched" || fail 'exclusive'
has exclusive 'exit cuMemAlloc_v2 0 2097152'
has exclusive 'end driver: CUPTI was ended by another library'
has_not exclusive 'exit cuMemAlloc_v2 0 3145728'
# The preloaded front end leaves CUPTI alone.
case $fronts in
*preload*)
	plain cuda-program dlsym "$operations"
	watched preload cuda-program dlsym "$operations"
	same 'a profiler beside preload'
	has 'a profiler beside preload' 'exit cuMemAlloc_v2 0 3145728' ;;
esac

# The library that the variable named before comes after us.
cat >"$tmp/next.c" <<'END'
#include <stdio.h>
int InitializeInjection(void);
int InitializeInjection(void) { return puts("next is loaded") > 0; }
END
${CC:-cc} -shared -fPIC -o "$tmp/next.so" "$tmp/next.c"
for front in $fronts; do
	CUPTI_PROBE_CHAIN=$tmp/next.so CUDA_INJECTION64_PATH=$library \
		watched "$front" cuda-program dlsym "$operations"
	equal "$front: next" "$(grep -c '^next is loaded' "$tmp/watched")" 1
done

# Closed more often than it was opened: it stays, and sees.
CUDA_INJECTION64_PATH='' plain cuda-program dlsym 'init;begin;alloc 1M'
watched cupti cuda-program dlsym 'init;twin;begin;alloc 1M'
sed -i '/^twin/d' "$tmp/watched"
same 'closed twice'
has 'closed twice' 'exit cuMemAlloc_v2 0 1048576'
