#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The task prolog: checks by the site's policy, repairs where that asks for it.
. tests/slurm/support.sh

V=PYTORCH_CUDA_ALLOC_CONF
cp packaging/slurm/liballoc-taskprolog /etc/slurm/taskprolog
cat >"$tmp/task" <<'END'
#!/bin/sh
echo "task: ${PYTORCH_CUDA_ALLOC_CONF-unset} ${PYTORCH_ALLOC_CONF-unset}"
END
chmod 755 "$tmp/task"

task() {	# task [NAME=VALUE...]: $tmp/out of a task that is given them
	env "$@" srun -N1 "$tmp/task" >"$tmp/out" 2>"$tmp/err" ||
		fail "srun with $*: $(cat "$tmp/out" "$tmp/err")"
	equal 'standard error' "$(cat "$tmp/err")" ''
}

gets() {	# gets WANTED [LINE]: of the task, and what is said before
	equal task "$(sed -n 's/^task: //p' "$tmp/out")" "$1"
	equal said "$(grep -v '^task: ' "$tmp/out")" "${2-}"
}

# Without a policy nothing happens, nor without allocctl.
task $V=x:y
gets 'x:y unset'
cat >/etc/liballoc/policy.yaml <<'END'
policy: 1
options:
  max_split_size_mb: { min: 64 }
  backend: forbidden
exempt:
  - path: /exempt/*
END
PATH=/bin:/usr/sbin task $V=backend:native
! [ -e /usr/bin/allocctl ] && gets 'backend:native unset'

# It reports, and repairs only where the policy asks for that.
task $V=backend:native
gets 'backend:native unset' \
	"liballoc: $V: 'backend:native' stays: backend is forbidden"
task $V=max_split_size_mb:64
gets 'max_split_size_mb:64 unset'
echo 'repair: expandable_segments:True' >>/etc/liballoc/policy.yaml
task $V=backend:native
gets 'expandable_segments:True unset' \
	"liballoc: $V: 'backend:native' becomes 'expandable_segments:True': backend is forbidden"
task $V='"max_split_size_mb:128"'
gets 'max_split_size_mb:128 unset' \
	"liballoc: $V: '\"max_split_size_mb:128\"' becomes 'max_split_size_mb:128': torch 2.11 refuses the setting"
task $V=max_split_size_mb=32
gets 'expandable_segments:True unset' \
	"liballoc: $V: 'max_split_size_mb=32' becomes 'expandable_segments:True': torch 2.11 refuses the setting"
task PYTORCH_ALLOC_CONF=backend:native $V=max_split_size_mb:64
gets 'max_split_size_mb:64 expandable_segments:True' \
	"liballoc: PYTORCH_ALLOC_CONF: 'backend:native' becomes 'expandable_segments:True': backend is forbidden"
for value in "\$(touch $tmp/ran)" "\`touch $tmp/ran\`;touch $tmp/ran" "'\"" \
	"$(printf 'a\nexport X=1\033')"; do
	task $V="$value"
	gets 'expandable_segments:True unset' \
		"$(grep "^liballoc: $V: .* becomes 'expandable_segments:True': torch 2.11 refuses the setting$" "$tmp/out")"
	! LC_ALL=C grep -q "$(printf '\033')" "$tmp/out" || fail 'an escape'
done
[ ! -e "$tmp/ran" ] || fail 'a value was run'

# What has to be set is set where nothing is.
task
gets 'unset unset'
sed -i 's/backend: forbidden/expandable_segments: required/' \
	/etc/liballoc/policy.yaml
task
gets 'expandable_segments:True unset' \
	"liballoc: $V: '' becomes 'expandable_segments:True': expandable_segments has to be set"

# A repair that is no setting: the variable goes.
sed -i '/required/d; s/repair:.*/repair: ""/' /etc/liballoc/policy.yaml
task $V=x:y
gets 'unset unset' "liballoc: $V: 'x:y' becomes '': torch 2.11 refuses the setting"

# The torch that the task would import decides: 2.4 has another parser.
mkdir -p "$tmp/venv/bin" "$tmp/venv/lib/python3.11/site-packages/torch"
: >"$tmp/venv/bin/python3"
chmod +x "$tmp/venv/bin/python3"
printf "__version__ = '2.4.0+cu121'\ncuda = '12.1'\n" \
	>"$tmp/venv/lib/python3.11/site-packages/torch/version.py"
chmod 755 "$tmp" "$tmp/venv"
task VIRTUAL_ENV="$tmp/venv" $V=x:y
gets 'unset unset' "liballoc: $V: 'x:y' becomes '': torch 2.4 refuses the setting"

# A broken policy stops nobody, nor does what is too long to be passed on; that
# nobody judged it is said.
unjudged() {	# unjudged VALUE WORDS
	task $V="$1"
	equal task "$(sed -n 's/^task: //p' "$tmp/out")" "$1 unset"
	grep -q "^liballoc: $V: not judged: .*$2" "$tmp/out" ||
		fail "'$2' is not in $(cut -c 1-200 "$tmp/out")"
}
unjudged "$(head -c 131046 /dev/zero | tr '\0' x)" 'Argument list too long$'
echo '}' >>/etc/liballoc/policy.yaml
unjudged x:y 'cannot read'

# Each of several tasks is repaired; one of a node speaks.
cat >/etc/liballoc/policy.yaml <<'END'
policy: 1
options: { backend: forbidden }
repair: expandable_segments:True
END
env $V=backend:native srun -N4 -n4 "$tmp/task" >"$tmp/out"
equal 'repaired' "$(grep -c '^task: expandable_segments:True' "$tmp/out")" 4
equal 'said' "$(grep -c '^liballoc: ' "$tmp/out")" 4
