#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The SPANK plug-in: --alloc-conf of srun, sbatch and salloc.
. tests/slurm/support.sh
[ -e /usr/include/slurm/spank.h ] || skip 'no slurm/spank.h (libslurm-dev)'

V=PYTORCH_CUDA_ALLOC_CONF
cp -r packaging/slurm "$tmp/slurm"
make -s -C "$tmp/slurm" CFLAGS='-O2 -Wall -Wextra -Werror' \
	headers="$PWD/liballoc/include" DESTDIR="$tmp/root" prefix=/usr \
	install >/dev/null || fail 'make install'
plugin=$tmp/root/usr/lib/slurm/spank-liballoc.so
library=$O/lib/liballoc.so.0

plugstack() {
	echo "$1" >/etc/slurm/plugstack.conf
}

run() {	# run WANTED-STATUS COMMAND...: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ $((status != 0)) = "$want" ] || cat "$tmp/out" "$tmp/err" >&2
	equal "failure of $*" $((status != 0)) "$want"
}

cat >"$tmp/show" <<'END'
#!/bin/sh
echo "${PYTORCH_CUDA_ALLOC_CONF-unset} ${PYTORCH_ALLOC_CONF-unset}"
END
chmod 755 "$tmp/show"
sruns() {	# sruns WANTED-OUTPUT OPTIONS...: status 0
	output=$1
	shift
	run 0 srun "$@" "$tmp/show"
	equal "srun $*" "$(cat "$tmp/out")" "$output"
}

plugstack "optional $plugin library=$library"
srun --help | grep -q -e '--alloc-conf=SETTING' || fail 'no option'
sruns 'unset unset'
sruns 'a:1 unset' --export=ALL,$V=a:1
two=garbage_collection_threshold:0.8,max_split_size_mb:100
sruns "$two unset" --alloc-conf=$two
sruns "$two unset" --export=ALL,$V=a:1 --alloc-conf=$two
sruns "$two unset" --export=NONE --alloc-conf=$two
PYTORCH_ALLOC_CONF=b:2 sruns "$two $two" --alloc-conf=$two
run 0 srun -N4 -n4 --alloc-conf=$two "$tmp/show"
equal 'four tasks' "$(grep -c "^$two unset$" "$tmp/out")" 4
run 0 salloc -Q -N1 --alloc-conf=$two srun "$tmp/show"
equal salloc "$(cat "$tmp/out")" "$two unset"
cat >"$tmp/batch" <<END
#!/bin/sh
#SBATCH --alloc-conf=$two
"$tmp/show"
srun "$tmp/show"
srun --alloc-conf=max_split_size_mb:64 "$tmp/show"
END
run 0 sbatch -W -o "$tmp/batch.out" "$tmp/batch"
equal sbatch "$(cat "$tmp/batch.out")" "$two unset
$two unset
max_split_size_mb:64 unset"

# What no torch takes is refused where it is typed, and what the policy does
# not want; what some release takes is not.
refuses() {	# refuses REASON COMMAND...
	reason=$1
	shift
	run 1 "$@"
	grep -q -F -e "$reason" "$tmp/err" || fail "$*: $(cat "$tmp/err")"
	equal 'was run' "$(cat "$tmp/out")" ''
}
refuses 'torch refuses it: ' srun --alloc-conf=x:y "$tmp/show"
refuses 'torch refuses it: ' sbatch -W --alloc-conf=x:y --wrap "$tmp/show"
refuses 'torch refuses it: ' salloc -Q --alloc-conf=x:y "$tmp/show"
refuses 'at most 4095 bytes' srun --alloc-conf="$(printf '%05000d' 0)" "$tmp/show"
new=max_split_size_mb:100,roundup_bypass_threshold_mb:100
allocctl check --torch 2.11 $new >/dev/null && fail "2.11 takes $new"
sruns "$new unset" --alloc-conf=$new
cat >/etc/liballoc/policy.yaml <<'END'
policy: 1
options: { backend: forbidden }
END
refuses "the site's policy: backend is forbidden" \
	srun --alloc-conf=backend:native "$tmp/show"
sruns "$two unset" --alloc-conf=$two
echo '}' >>/etc/liballoc/policy.yaml
sruns "backend:native unset" --alloc-conf=backend:native
grep -q 'policy /etc/liballoc/policy.yaml cannot be read' "$tmp/err" ||
	fail 'nothing is said of the policy'
rm /etc/liballoc/policy.yaml

# Without liballoc nothing is checked, and without the plug-in jobs run.
plugstack "optional $plugin library=/none"
sruns 'x:y unset' --alloc-conf=x:y
grep -q 'not checked: liballoc is not here' "$tmp/err" || fail "$(cat "$tmp/err")"
sruns 'unset unset'
equal 'standard error' "$(cat "$tmp/err")" ''
plugstack "optional $tmp/none.so"
sruns 'unset unset'
echo 'no library' >"$tmp/broken.so"
plugstack "optional $tmp/broken.so"
sruns 'unset unset'
plugstack "optional $plugin nonsense"
sruns "$two unset" --alloc-conf=$two

# The module file, where it was installed.
version=$(allocctl --version | sed 's/.* //')
modules=$tmp/root/usr/share/modulefiles
[ -e "$modules/liballoc/$version" ] || fail 'no module file'
! grep -q '@' "$modules/liballoc/$version" || fail 'not filled in'
[ -r /usr/share/lmod/lmod/init/sh ] || skip 'all but the module file: no Lmod'
mkdir -p "$tmp/home/bin"
sed "s|^set prefix .*|set prefix $tmp/home|" "$modules/liballoc/$version" \
	>"$tmp/module"
cp "$tmp/module" "$modules/liballoc/$version"
printf '#!/bin/sh\necho from the module\n' >"$tmp/home/bin/allocctl"
chmod 755 "$tmp/home/bin/allocctl"
cat >"$tmp/use" <<END
. /usr/share/lmod/lmod/init/bash
module use "$modules"
module load liballoc
allocctl
echo "\$LD_LIBRARY_PATH"
module unload liballoc
command -v allocctl
END
equal module "$(bash "$tmp/use" 2>&1)" "from the module
$tmp/home/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
$(command -v allocctl)"
