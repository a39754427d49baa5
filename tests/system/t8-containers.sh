#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples for containers: the image is built, what runs in it is recorded
# and gets the setting, alone and as a pod.  By podman, where it is installed;
# docker and Kubernetes themselves are not run.
. tests/support.sh
command -v podman >/dev/null || skip 'no engine of containers: no podman'
command -v runc >/dev/null || skip 'podman without runc'
command -v cupti-probe >/dev/null || skip 'no cupti-probe'
. tests/system/support.sh

# Limits that root without CAP_SYS_RESOURCE may set, and the runtime that knows
# both kinds of control groups side by side.
cat >"$tmp/containers.conf" <<END
[containers]
default_ulimits = [$(awk '
	/^Max open files/ { printf "\"nofile=%s:%s\", ", $5, $5 }' /proc/self/limits)
	"nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
END
engine() {
	CONTAINERS_CONF=$tmp/containers.conf podman --root "$tmp/storage" \
		--runroot "$tmp/run" "$@"
}
clean() {
	trap - EXIT
	engine rm -a -f >/dev/null 2>&1 || :
	engine rmi -a -f >/dev/null 2>&1 || :
	rm -rf "$tmp"
}
trap clean EXIT

# What make install puts there, without building anew.
files=$tmp/context
${MAKE:-make} -s CC="${CC:-cc}" O="$O" SANITIZE="${SANITIZE-}" prefix=/usr \
	install-data install-systemd DESTDIR="$files/root"
mkdir -p "$files/root/usr/bin" "$files/root/usr/lib"
cp "$O/bin/allocctl" "$O/bin/cupti-probe" "$files/root/usr/bin"
cp "$O"/lib/*.so* "$files/root/usr/lib"

tar -C "$root" --one-file-system --exclude=./usr/share/doc \
	--exclude=./usr/share/locale -c . |
	engine import -q - localhost/base >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	skip 'podman cannot import an image here'
}
engine build -q --isolation chroot -f packaging/docker/Dockerfile \
	--build-arg BASE=localhost/base -t localhost/train "$files" >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	fail 'podman build'
}

run() {	# run OPTION... -- COMMAND...: in the image, as the examples say
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # a list
	engine run --rm --network none \
		-v "$test/records:/var/lib/cupti-probe" $options \
		localhost/train "$@" >"$tmp/out" 2>"$tmp/err" || {
		cat "$tmp/err"
		skip 'podman does not run containers here'
	}
}

said() {	# said TEXT: on standard output
	grep -q -F -e "$1" "$tmp/out" || fail "no '$1' in $(cat "$tmp/out")"
}

mkdir -m 1777 "$test/records"
run -- sh -c 'env; allocctl env'
said PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
said libcupti-probe.so
said CUPTI_PROBE_DIR=/var/lib/cupti-probe
run -e PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128 -- env
said PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128
run -- sh -c 'allocctl metrics >/var/lib/cupti-probe/prom'
grep -q ',state="valid",' "$test/records/prom" ||
	fail "$(cat "$test/records/prom")"

# The pod, without what only a cluster has.
sed -e "s|path: /var/lib|path: $test/pod/lib|" -e 's|image: train|image: localhost/train|' \
	-e "s|args: .*|args: [sh, -c, 'env >/var/lib/cupti-probe/seen']|" \
	-e '/resources:/,/nvidia/d' packaging/kubernetes/pod.yaml >"$tmp/pod.yaml"
mkdir -p "$test/pod/lib/cupti-probe"
if engine play kube --network none "$tmp/pod.yaml" >"$tmp/log" 2>&1; then
	engine wait train-train >/dev/null 2>&1 || :
	for wanted in PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True \
		CUPTI_PROBE_DIR=/var/lib/cupti-probe; do
		grep -q -x "$wanted" "$test/pod/lib/cupti-probe/seen" ||
			fail "the pod has no $wanted"
	done
else
	cat "$tmp/log"
	echo 'not run: the pod'
fi

# What allocctl reads in the files.
for file in packaging/docker/Dockerfile packaging/docker/compose.yaml \
	packaging/kubernetes/pod.yaml; do
	allocctl env --torch 2.11 "$file" >"$tmp/out" || :
	said "$file:$(sed -n '/^[^#].*PYTORCH_CUDA_ALLOC_CONF/=' "$file" |
		head -n 1): PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"
done
