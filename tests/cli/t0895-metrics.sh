#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl metrics: what torch makes of the settings of processes, in labels of
# which there are few, and a file that is whole at any time.
. tests/support.sh
. tests/env.sh

unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH CUDA_VISIBLE_DEVICES
unset PYTORCH_CUDA_ALLOC_CONF
export HOME="$tmp/home"
[ ! -e /etc/liballoc/policy.yaml ] || skip 'the site has a policy'
case ${SANITIZE-} in *address*) skip 'another library under the sanitizer' ;; esac

hash() {	# hash VALUE: FNV-1a, by an implementation of its own
	python3 -c 'import sys
h = 0xcbf29ce484222325
for byte in sys.argv[1].encode():
    h = (h ^ byte) * 0x100000001b3 % 2**64
print("%016x" % h)' "$1"
}

row() {	# row NAME LABELS NUMBER
	grep -q -x -F "allocctl_$1{$2} $3" "$tmp/out" ||
		fail "no allocctl_$1{$2} $3 in $(cat "$tmp/out")"
}

# A library that torch would have loaded, of a release.
torch() {	# torch FOLDER VERSION
	mkdir -p "$1/torch/lib"
	printf "__version__ = '%s'\ncuda = '13.0'\nhip = None\n" "$2" \
		>"$1/torch/version.py"
	echo 'int c10_stand_in;' >"$tmp/lib.c"
	${CC:-cc} -shared -fPIC -o "$1/torch/lib/libc10_cuda.so" "$tmp/lib.c"
}

with_torch() {	# with_torch FOLDER [VARIABLE=VALUE]...
	folder=$1
	shift
	start env "$@" LD_PRELOAD="$folder/torch/lib/libc10_cuda.so" sh -c \
		'echo ready; exec sleep 100'
}

# The command's own environment, under a torch that is named.
packages=$tmp/venv/lib/python3.11/site-packages
mkdir -p "$tmp/venv/bin" "$packages"
: >"$tmp/venv/bin/python3"
chmod +x "$tmp/venv/bin/python3"
torch "$packages" 2.11.0+cu130
own() {	# own STATE VALUE
	PYTORCH_CUDA_ALLOC_CONF=$2 run 0 metrics --python "$tmp/venv"
	sed -n 's/^allocctl_setting{//p' "$tmp/out" >"$tmp/rows"
	equal "rows of '$2'" "$(wc -l <"$tmp/rows")" 1
	grep -q "^torch=\"2.11\",.*,state=\"$1\",setting=\"$(hash "$2")\"} 1$" \
		"$tmp/rows" || fail "'$2' is not $1: $(cat "$tmp/rows")"
}
run 0 metrics --python "$tmp/venv"
row setting 'torch="2.11",scope="none",state="unset",setting=""' 1
grep -q -x 'allocctl_torch_found 1' "$tmp/out" || fail 'the torch is not found'
own valid expandable_segments:True
own refused max_split_size_mb:x
own warned expandable_segments:True,expandable_segments:False
hostile='a"} 1
evil_metric{x="\'
own refused "$hostile"
! grep -q evil "$tmp/out" || fail 'a value is in the text'

# Processes, each under its own release.
with_torch "$packages" PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:70
with_torch "$packages" PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:70
with_torch "$packages" PYTORCH_CUDA_ALLOC_CONF="$hostile"
with_torch "$packages"
torch "$tmp/old" 1.13.1
with_torch "$tmp/old" PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
torch "$tmp/odd\"}" '2.11"} 1'
with_torch "$tmp/odd\"}" PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:71
run 0 metrics
scopes() {	# scopes STATE VALUE TORCH: how many there are, over all scopes
	awk -v wanted="state=\"$1\",setting=\"$2\"}" -v torch="{torch=\"$3\"," '
	/^allocctl_processes/ && index($0, wanted) && index($0, torch) {
		sum += $NF
	}
	END { print sum + 0 }' "$tmp/out"
}
mine=$(hash max_split_size_mb:70)
equal 'processes of a value' "$(scopes valid "$mine" 2.11)" 2
equal 'refused' "$(scopes refused "$(hash "$hostile")" 2.11)" 1
equal 'of an old release' \
	"$(scopes refused "$(hash expandable_segments:True)" 1.13)" 1
equal 'of a release with an odd name' \
	"$(scopes valid "$(hash max_split_size_mb:71)" 2.11)" 1
[ "$(scopes unset '' 2.11)" -ge 1 ] || fail 'none is unset'

# The form, as parsers want it; every name is in the man page.
awk '
/^# HELP / { helped[$3] = 1; next }
/^# TYPE / {
	if (!helped[$3] || typed[$3]++ || $4 != "gauge")
		exit 1
	next
}
/^[a-z_]+({[a-z]+="[A-Za-z0-9._]*"(,[a-z]+="[A-Za-z0-9._]*")*})? [0-9]+$/ {
	name = $1
	sub(/{.*/, "", name)
	if (!typed[name] || seen[$0]++)
		exit 1
	next
}
{ exit 1 }' "$tmp/out" || fail "no text of Prometheus: $(cat "$tmp/out")"
equal 'names in the man page' \
	"$(sed -n 's/^\.It Li \(allocctl_[a-z_]*\).*/\1/p' \
		docs/man/allocctl-metrics.1 | sort)" \
	"$(sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' "$tmp/out" | sort)"

# A site's policy, and whom it exempts.
cat >"$tmp/site" <<'END'
cp -a /etc "$1/etc" && mkdir -p "$1/etc/liballoc" &&
	cp "$1/policy" "$1/etc/liballoc/policy.yaml" &&
	mount --bind "$1/etc" /etc || exit 77
allocctl metrics --python "$1/venv"
END
site() {	# site POLICY: with it as the site's
	echo "$1" >"$tmp/policy"
	rm -rf "${tmp:?}/etc"
	unshare -m sh "$tmp/site" "$tmp" >"$tmp/out"
}
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null &&
	setpriv --reuid=nobody true 2>/dev/null; then
	chmod 755 "$tmp"
	forbidden=max_split_size_mb:77
	with_torch "$packages" PYTORCH_CUDA_ALLOC_CONF=$forbidden
	LD_PRELOAD=$packages/torch/lib/libc10_cuda.so \
		PYTORCH_CUDA_ALLOC_CONF=$forbidden \
		setpriv --reuid=nobody sleep 100 &
	started="$started $!"
	sleep 0.3
	PYTORCH_CUDA_ALLOC_CONF=$forbidden site 'policy: 1
options: { max_split_size_mb: forbidden }
exempt: [{ user: nobody }]'
	equal 'forbidden' "$(scopes forbidden "$(hash $forbidden)" 2.11)" 1
	equal 'exempt' "$(scopes valid "$(hash $forbidden)" 2.11)" 1
	grep -q '^allocctl_setting{.*,state="forbidden"' "$tmp/out" ||
		fail "the command's own is not forbidden: $(cat "$tmp/out")"
	site 'policy: none'
	grep -q -x 'allocctl_policy_broken 1' "$tmp/out" ||
		fail 'a policy that cannot be read'
fi

# A file.
echo old >"$tmp/f.prom"
(umask 022 && run 0 metrics --output "$tmp/f.prom")
equal 'mode' "$(stat -c %a "$tmp/f.prom")" 644
tail -n 1 "$tmp/f.prom" | grep -q -x 'allocctl_policy_broken 0' ||
	fail 'the file is not whole'
equal 'nothing lies about' "$(echo "$tmp"/f.prom*)" "$tmp/f.prom"
run 3 metrics --output "$tmp/none/f.prom"
equal 'lines' "$(wc -l <"$tmp/err")" 1
run 2 metrics a

# Many values take no more rows than there are.
n=0
while [ $n -lt 70 ]; do
	LD_PRELOAD=$packages/torch/lib/libc10_cuda.so \
		PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:$((100 + n)) \
		sleep 100 &
	started="$started $!"
	n=$((n + 1))
done
counted() {	# it takes a while until all of them have loaded it
	run 0 metrics
	awk -v all="$(echo "$started" | wc -w)" '
	/^allocctl_processes{/ { sum += $NF }
	END { exit sum < all }' "$tmp/out"
}
tries=0
until counted; do
	tries=$((tries + 1))
	[ $tries -le 50 ] || fail 'a process is not counted'
	sleep 0.2
done
rows=$(grep -c '^allocctl_processes{' "$tmp/out")
[ "$rows" -gt 64 ] && [ "$rows" -le 68 ] || fail "$rows rows of processes"
others=$(sed -n 's/^allocctl_processes{torch="other",.*} //p' "$tmp/out")
[ "${others:-0}" -ge 10 ] || fail "others: $others"
