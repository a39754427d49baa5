#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Both front ends see the same calls of the driver, however a program reaches
# it, and the program sees no difference.
. tests/support.sh
. tests/probe.sh

operations='init;begin;alloc 2M;alloc 4M;free 0;release 77;oom;pitch 1M;async 3M
	asyncfree 3;reserve 4M;create 4M;map 4 5;info;release 5;info;unmap 4
	unreserve 4;info;module;pool;capture;graph;host 4K;hostfree 7
	managed 1M;fork;alloc 1M;exit 3'
operations=$(echo "$operations" | tr '\n' ';')

# What must be seen: entry points in the order of the operations.  Of what
# the child does nothing is seen.
cat >"$tmp/wanted" <<'END'
cuDevicePrimaryCtxRetain 0 0
cuMemAlloc_v2 0 2097152
cuMemAlloc_v2 0 4194304
cuMemFree_v2 0 ADDRESS
cuMemRelease 1 0
cuMemGetInfo_v2 0 0
cuMemAlloc_v2 2 17179869185
cuMemAllocPitch_v2 0 0
cuMemAllocAsync 0 0
cuMemFreeAsync 0 0
cuMemAddressReserve 0 0
cuMemCreate 0 4194304
cuMemMap 0 4194304
cuMemGetInfo_v2 0 0
cuMemRelease 0 0
cuMemGetInfo_v2 0 0
cuMemUnmap 0 0
cuMemAddressFree 0 0
cuMemGetInfo_v2 0 0
cuModuleLoadData 0 0
cuMemPoolCreate 0 0
cuMemPoolDestroy 0 0
cuStreamBeginCapture_v2 0 0
cuStreamEndCapture 0 0
cuGraphInstantiateWithFlags 0 0
cuGraphExecDestroy 0 0
cuMemHostAlloc 0 0
cuMemFreeHost 0 0
cuMemAllocManaged 0 0
END

# Every exit follows its own enter, and nothing else comes between.
seen() {
	awk '$1 == "enter" { inside = $2 }
	$1 == "exit" {
		if (inside != $2)
			print "exit of " $2 " within " inside
		sub(/^exit /, "")
		print
	}' "$tmp/log" | sed 's/\(cuMemFree_v2 0\) .*/\1 ADDRESS/'
}

for way in linked dlsym proc proc2 next default dlvsym; do
	plain cuda-program $way "$operations"
	for front in $fronts; do
		watched "$front" cuda-program $way "$operations"
		same "$front, $way"
		seen >"$tmp/seen"
		diff "$tmp/wanted" "$tmp/seen" >"$tmp/diff" ||
			fail "$front, $way: $(cat "$tmp/diff")"
		equal "$front, $way: start" "$(head -n 1 "$tmp/log")" \
			"start $front"
	done
done

# With both the preloaded one sees.
both() {
	CUDA_INJECTION64_PATH=$library watched preload "$@"
}
case $fronts in
*preload*)
	both cuda-program dlsym "$operations"
	equal 'front ends that began' "$(grep ^start "$tmp/log")" \
		'start preload'
	seen | diff "$tmp/wanted" - || fail 'both front ends' ;;
esac

# Switched off neither sees nor disturbs.
plain cuda-program dlsym "$operations"
for front in $fronts; do
	CUPTI_PROBE=off watched "$front" cuda-program dlsym "$operations"
	same "$front, off"
	[ ! -s "$tmp/log" ] || fail "$front, off: $(cat "$tmp/log")"
done

# As many as there are threads, each in its own order.
for front in $fronts; do
	plain cuda-program dlsym 'init;begin;threads 64 500'
	MOCK_CORE_QUIET=1 watched "$front" cuda-program dlsym \
		'init;begin;threads 64 500'
	same "$front, threads"
	equal "$front: calls of 64 threads" "$(tail -n 1 "$tmp/log")" \
		'entered 64001 exited 64001 blocks 0'
done

# A driver that is closed and found elsewhere when it is opened again.
cat >"$tmp/again.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
int main(void)
{
	int i, (*release)(unsigned long long);
	uintptr_t page;
	void *library, *init;

	for (i = 0; i < 3; i++) {
		library = dlopen("libcuda.so.1", RTLD_NOW);
		*(void **)&release = dlsym(library, "cuMemFree_v2");
		init = dlsym(library, "cuInit");
		printf("%d\n", release(1));
		dlclose(library);
		page = (uintptr_t)init & ~4095ul;
		mmap((void *)page, 4096, PROT_NONE, MAP_PRIVATE |
		     MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	}
	return 0;
}
END
if [ -z "$runtime" ]; then
	${CC:-cc} -o "$tmp/again" "$tmp/again.c" -ldl
	plain "$tmp/again"
	watched preload "$tmp/again"
	same 'opened again'
	equal 'opened again' "$(grep -c '^exit cuMemFree_v2 3' "$tmp/log")" 3
fi
