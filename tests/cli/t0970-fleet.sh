#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl fleet: what launchers print, held together.
. tests/support.sh
. tests/fleet.sh
command -v python3 >/dev/null || skip 'no python3'

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl fleet "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = "$want" ] || cat "$tmp/out" "$tmp/err" >&2
	equal "status of fleet $*" "$status" "$want"
}

# Reports of nodes, one file each: what doctor prints, with another host.
export SLURMD_NODENAME=here
export HOME="$tmp"
PYTORCH_CUDA_ALLOC_CONF=backend:native allocctl fleet --node >"$tmp/parts"
grep -q 'allocctl.fleet-part/1' "$tmp/parts" || fail 'no parts'
equal 'long lines' "$(awk 'length($0) > 999' "$tmp/parts")" ''
status=0
allocctl fleet --from "$tmp/parts" >/dev/null 2>"$tmp/err" || status=$?
[ $status -eq 0 ] ||
	! allocctl fleet --from "$tmp/parts" | tr -s '\n ' '  ' |
		grep -q 'made without jansson' ||
	skip 'no jansson'
run 0 --from "$tmp/parts"
has '1 node answered'
has 'setting 1 node PYTORCH_CUDA_ALLOC_CONF=backend:native'

cat >"$tmp/nodes.py" <<'EOF'
import json, sys
def node(name, setting="backend:native", line=3, driver="580.65.06",
         gpus=("NVIDIA H200",) * 8, torch="2.11.0+cu130", faults=()):
    return {
        "schema": "allocctl.doctor/1", "allocctl": "0.1.0", "host": name,
        "torch": {"found": True, "version": torch, "build": "cuda"},
        "driver": driver, "nvml_trouble": None,
        "gpus": [{"name": g, "total": 150 << 30, "used": len(name),
                  "mig": False} for g in gpus],
        "variables": [{"name": "PYTORCH_CUDA_ALLOC_CONF", "value": setting,
                       "role": "setting", "unread": None}],
        "origins": [{"variable": "PYTORCH_CUDA_ALLOC_CONF",
                     "value": setting, "matches": True, "source": True,
                     "reader": "PAM", "file": "/etc/environment",
                     "line": line}],
        "steps": [{"text": t, "fault": True} for t in faults],
    }
def show(prefix="", **facts):
    print(prefix + json.dumps(node(**facts)))
exec(sys.argv[1])
EOF
nodes() {	# nodes STATEMENTS: on standard output
	python3 "$tmp/nodes.py" "$1"
}

nodes 'for i in range(1, 13): show(name="n%d" % i)' >"$tmp/all"
run 0 --from "$tmp/all"
has '12 nodes answered, all the same'
has 'origin 12 nodes /etc/environment:3'
has 'gpus 12 nodes 8 x NVIDIA H200 150.00 GiB'
run 3 --nodes 'n[1-14],login' --from "$tmp/all"
has '; 3 missing'
has 'missing 3 nodes login,n[13-14]'
run 0 --nodes 'n[1-12]' --from - <"$tmp/all"

# Who differs, and why.
nodes 'for i in range(1, 13):
    show(name="n%d" % i, setting="backend:native" if i != 7 else "a:1",
         line=9 if i == 7 else 3, driver="550.1" if i in (3, 4, 9) else "580.1",
         gpus=["A"] * 4 + ["B"] * (i == 2), torch="2.%d" % (i % 2))' >"$tmp/some"
run 1 --from "$tmp/some"
has 'they differ in setting, origin, torch, driver, gpus'
has 'driver 9 nodes 580.1 n[1-2,5-8,10-12] 3 nodes 550.1 n[3-4,9]'
has '1 node PYTORCH_CUDA_ALLOC_CONF=a:1 n7'
has '1 node /etc/environment:9 n7'
has '1 node 4 x A 150.00 GiB, 1 x B 150.00 GiB n2'
run 1 --format json --from "$tmp/some"
is 'd["schema"] == "allocctl.fleet/1" and d["agree"] is False'
is 'd["answered"] == 12 and not d["missing"] and d["launcher"] is None'
is 'f["driver"]["values"][1] == {"value": "550.1", "nodes": ["n3", "n4", "n9"]}'
is 'f["allocctl"]["agree"] and not f["setting"]["agree"]'
is 'f["faults"]["values"][0]["value"] == "none"'

# Prefixes of launchers; and what nodes say that have no report.
nodes 'show("n1: ", name="x"); show("n2: ", name="x.example")
print("n3: bash: allocctl: command not found")
print("n2: a banner")
print("clush: n[3-4]: exited with exit code 127")' >"$tmp/clush"
run 3 --from "$tmp/clush"
has '2 nodes answered, all the same; 2 with an error'
has 'error 1 node bash: allocctl: command not found n3'
has '1 node exited with exit code 127 n4'
nodes 'show("[pod/train-0/main] ", name="y"); show("3: ", name="z")
print("[pod/train-1/main] Traceback"); print("7: noise")' >"$tmp/pods"
run 3 --format json --from "$tmp/pods"
is 'f["torch"]["values"][0]["nodes"] == ["train-0", "z"]'
is '[e["nodes"] for e in d["errors"]] == [["train-1"], ["7"]]'
{
	cat "$tmp/all"
	echo 'srun: error: n[20-21]: tasks 3-4: Exited with exit code 1'
	echo 'srun: error: spank: a plug-in'
	echo 'Welcome: to the cluster'
} >"$tmp/srun"
run 3 --from "$tmp/srun"
has 'error 2 nodes Exited with exit code 1 n[20-21]'
has '2 other lines, the first: srun: error: spank: a plug-in'
head -n 12 "$tmp/srun" | sed '1s/^/Welcome: to the cluster\n/' >"$tmp/welcome"
run 0 --from "$tmp/welcome"

# A node twice: alike, and not.
run 0 --from "$tmp/all" "$tmp/all"
has '12 nodes answered'
nodes 'show(name="n1"); show(name="n1", driver="1"); show(name="n2")' >"$tmp/two"
run 1 --from "$tmp/two"
has '2 nodes answered; they differ in driver'
has 'two ways 1 node n1'

# Damaged input: cut at every length; control characters; other things.
head -n 1 "$tmp/all" >"$tmp/one"
size=$(($(wc -c <"$tmp/one") - 1))
for cut in 1 2 20 $((size / 2)) $((size - 1)); do
	{
		head -c "$cut" "$tmp/one"
		echo
		nodes 'show(name="n2")'
	} >"$tmp/cut"
	run 3 --from "$tmp/cut"
	has "error 1 node its report is damaged or cut off $tmp/cut:1"
done
nodes 'show(name="n\x1b[31m", setting="\x1b]0;x\x07\u202e"); print("\x1b[2J")' \
	>"$tmp/odd"
run 0 --from "$tmp/odd"
! LC_ALL=C grep -q '[[:cntrl:]]' "$tmp/out" || fail 'control characters'
printf '{"schema":"allocctl.doctor/1","host":"a","host":"b"}\n{}\n[]\nnull\n{"schema":"allocctl.doctor/1"}\n\000\000{\n' >"$tmp/odd"
run 3 --format json --from "$tmp/odd"
is 'len(d["errors"]) == 3 and d["agree"] is None'
printf '{"schema":"allocctl.doctor/1","host":"a","torch":[],"gpus":{},"variables":[3,null,{}],"origins":7,"steps":[[]]}\n' >"$tmp/odd"
run 0 --from "$tmp/odd"
head -c 3000000 /dev/zero | tr '\0' '{' >"$tmp/odd"
run 3 --from "$tmp/odd"
has "its report is too long $tmp/odd:1"

# A part that is missing, one that came twice, and parts of two in turn.
export SLURMD_NODENAME=n2
allocctl fleet --node >"$tmp/more"
paste -d '\n' "$tmp/parts" "$tmp/more" | grep . >"$tmp/mixed"
run 1 --from "$tmp/mixed"
has '2 nodes answered; they differ in setting'
run 0 --from "$tmp/more" "$tmp/more"
sed 2d "$tmp/more" >"$tmp/lost"
run 3 --from "$tmp/lost"
has "part 2 of $(wc -l <"$tmp/more") of its report is missing n2"

# Many.
nodes 'for i in range(10000):
    show(name="n%05d" % i, driver=str(i), torch=str(i % 2))' >"$tmp/many"
run 3 --nodes 'n[00000-10001]' --from "$tmp/many"
has '10000 nodes answered; they differ in torch, driver; 2 missing'
has 'setting 10000 nodes PYTORCH_CUDA_ALLOC_CONF=backend:native'
has 'and 9990 more'
has 'missing 2 nodes n[10000-10001]'
[ "$(wc -l <"$tmp/out")" -lt 60 ] || fail 'a long table'

# More answers than are held end the reading.
yes 'clush: n[1-200000]: x' | head -n 2000 >"$tmp/lists"
status=0
timeout 30 allocctl fleet --from "$tmp/lists" >"$tmp/out" 2>"$tmp/err" ||
	status=$?
equal 'status of many lists' "$status" 3
equal 'many lists' "$(cat "$tmp/err")" 'allocctl: more than 200000 answers'

# A name that is too long is not made many times.
echo "clush: $(head -c 300 /dev/zero | tr '\0' a)[1-9]: x" >"$tmp/long"
run 3 --from "$tmp/long"
has ' 1 with an error'

# Lists.
for list in '' ',' 'n[' 'n[]' 'n[1' 'n[2-1]' 'n[1-]' 'n[a]' 'n[1]x[,]' \
	'n[0-999999]' '[0-9][0-9][0-9][0-9][0-9][0-9][0-9]' 'n[1],,m' \
	'n[99999999999999999999]'; do
	run 2 --nodes "$list" --from "$tmp/all"
	grep -q -F -e "allocctl: --nodes '$list': " "$tmp/err" || fail "$list"
done
run 3 --format json --nodes 'r[1-2]n[08-10],m,n1,n[1-2]x' --from "$tmp/all"
is 'd["missing"] == ["m", "n1x", "n2x"] + ["r%dn%s" % (r, n) for r in (1, 2)
	for n in ("08", "09", "10")]'
run 3 --nodes 'r[1-2]n[08-10],m,n[9-10,07]' --from "$tmp/all"
has 'missing 8 nodes m,n07,r1n[08-10],r2n[08-10]'

# A launcher of our own, which runs the words as they are.
cat >"$tmp/launch" <<'EOF'
#!/bin/sh
echo waiting >&2
[ "$(find /proc/self/fd -type l | wc -l)" -le "$OPEN" ] ||
	echo 'more is open' >&2
for SLURMD_NODENAME in n1 n2 n3; do
	export SLURMD_NODENAME
	[ $SLURMD_NODENAME != "$BROKEN" ] || {
		echo "srun: error: $BROKEN: task 1: Exited with exit code 9" >&2
		continue
	}
	"$@"
done
exit $STATUS
EOF
chmod +x "$tmp/launch"
OPEN=$(find /proc/self/fd -type l | wc -l)
export OPEN
STATUS=0 BROKEN='' run 0 -- "$tmp/launch"
has '3 nodes answered, all the same'
equal 'standard error' "$(cat "$tmp/err")" waiting
STATUS=9 BROKEN=n2 run 3 --nodes 'n[1-3]' -- "$tmp/launch"
has 'error 1 node Exited with exit code 9 n2'
has "$tmp/launch ended with status 9"
STATUS=0 BROKEN='' run 3 -- "$tmp/launch" echo '$(touch x); touch x'
has '4 other lines, the first: $(touch x); touch x '
[ ! -e x ] || fail 'a shell has run it'
run 127 -- "$tmp/none"
run 126 -- "$tmp"
run 3 -- true
run 2
run 2 --from
run 2 --node x
run 3 --from "$tmp/none"
