#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl fleet on four nodes that the prolog makes differ.
. tests/slurm/support.sh
. tests/nvml.sh
. tests/fleet.sh
command -v python3 >/dev/null || skip 'no python3'

run() {	# run WANTED-STATUS COMMAND...: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = "$want" ] || cat "$tmp/out" "$tmp/err" >&2
	equal "status of $*" "$status" "$want"
}

export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True HOME="$tmp"
run 0 allocctl fleet -- srun -N4
has '4 nodes answered, all the same'
has 'setting 4 nodes PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True'
run 0 allocctl fleet --nodes 'n[1-4]' -- srun -N4 -n4 -l
run 3 allocctl fleet --nodes 'n[1-4]' -- srun -N3
has '3 nodes answered, all the same; 1 missing'

# Another setting, torch, driver and version on some.
venv=$tmp/venv
mkdir -p "$venv/bin" "$venv/lib/python3.11/site-packages/torch"
: >"$venv/bin/python3"
chmod +x "$venv/bin/python3"
printf "__version__ = '2.11.0+cu130'\ncuda = '13.0'\n" \
	>"$venv/lib/python3.11/site-packages/torch/version.py"
nvml_source >"$tmp/nvml.c"
cc -shared -fPIC -o "$tmp/libnvidia-ml.so.1" "$tmp/nvml.c"
cat >/etc/slurm/taskprolog <<END
#!/bin/sh
echo print prolog of \$SLURMD_NODENAME
case \$SLURMD_NODENAME in
n1) echo export LD_LIBRARY_PATH=$tmp ;;
n2) echo export VIRTUAL_ENV=$venv ;;
n3) echo export PYTORCH_CUDA_ALLOC_CONF=backend:native ;;
n4) echo unset PYTORCH_CUDA_ALLOC_CONF ;;
esac
END
run 1 allocctl fleet -- srun -N4
has '4 nodes answered; they differ in setting, origin, torch, driver, gpus, faults'
has 'setting 2 nodes PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True n[1-2]'
has '1 node PYTORCH_CUDA_ALLOC_CONF=backend:native n3'
has '1 node none n4'
has '1 node 2.11.0+cu130, cuda build n2'
has '1 node 580.65.06 n1'
has '1 node 1 x NVIDIA H200 3.00 GiB, 1 x NVIDIA H100 3.00 GiB divided by MIG n1'
has '4 other lines, the first: prolog of n'
run 1 allocctl fleet --format json -- srun -N4 -K1 --label
is 'd["agree"] is False and d["answered"] == 4 and d["launcher"] == "srun"'
is 'f["torch"]["values"][1] == {"value": "2.11.0+cu130, cuda build",
	"nodes": ["n2"]}'
is 'f["allocctl"]["agree"] and not d["errors"] and not d["missing"]'

# A node that fails, one that hangs, none at all.
printf '#!/bin/sh\n' >/etc/slurm/taskprolog
cat >"$tmp/broken" <<'END'
#!/bin/sh
case $SLURMD_NODENAME in
n2) exit 9 ;;
n3) exec sleep 100 ;;
esac
exec "$@"
END
chmod 755 "$tmp/broken"
run 3 allocctl fleet --nodes 'n[1-4]' -- srun -N4 -W2 "$tmp/broken"
has '2 nodes answered, all the same; 2 with an error'
has 'error 1 node Exited with exit code 9 n2 1 node Killed n3'
grep -q 'srun: error: n2: task 1' "$tmp/err" || fail 'srun is not heard'
run 3 allocctl fleet -- srun --partition=none
run 3 allocctl fleet --nodes 'n[1-2]' -- srun -N2 /none
has 'error 2 nodes Exited with exit code 2 n[1-2]'

# In a job; and what its nodes have written, read afterwards.
run 0 sbatch -W -N4 -o "$tmp/job" packaging/slurm/fleet.sbatch
grep -q '^4 nodes answered, all the same$' "$tmp/job" || fail "$(cat "$tmp/job")"
run 0 sbatch -W --array=1-4 -o "$tmp/node.%a" --wrap 'allocctl fleet --node'
run 0 allocctl fleet --from "$tmp"/node.*
has 'all the same'
run 0 srun -N4 -o "$tmp/each.%t" allocctl fleet --node
run 0 allocctl fleet --nodes 'n[1-4]' --from "$tmp"/each.*
run 0 srun -N4 -o "$tmp/each.%t" sh -c 'allocctl doctor --format json || :'
run 0 allocctl fleet --nodes 'n[1-4]' --from "$tmp"/each.*
has 'origin 4 nodes not known'
