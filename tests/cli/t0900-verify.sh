#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl verify: answers, statuses and forms that no single reader decides.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'

run() {	# run WANTED-STATUS TEXT ARGUMENTS: $tmp/out, $tmp/err
	want=$1 text=$2
	shift 2
	status=0
	printf '%s' "$text" | allocctl verify --script - "$@" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status of verify $*" "$status" "$want"
}

wrong() {	# wrong MESSAGE ARGUMENTS: wrong usage
	message=$1
	shift
	status=0
	allocctl verify "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	equal "status of verify $*" "$status" 2
	equal "message of verify $*" "$(cat "$tmp/err")" "allocctl: $message"
}

# A value as such; the marks stand under the bytes that are meant.
run 0 'expandable_segments:True' --kind dotenv
has '-:1:1: arrives: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True'
run 1 'max_split_size_mb:128,expandable_segments:true' --kind dotenv
has "warning: write 'True' [LA205]"
has '    max_split_size_mb:128,expandable_segments:true'
has '                                              ^~~~'
run 0 'V: [a]
PYTORCH_CUDA_ALLOC_CONF=backend:native
' --kind dotenv
has '-:2:1: arrives: PYTORCH_CUDA_ALLOC_CONF=backend:native'
run 0 'PYTORCH_CUDA_ALLOC_CONF=backend:native' --kind dotenv backend:native
run 1 'PYTORCH_CUDA_ALLOC_CONF=backend:native' --kind dotenv a:1
has "programs started at the end see another value than 'a:1'"
run 1 'A=1' --kind dotenv
has 'nothing here sets what torch reads'
run 1 'A=1' --kind dotenv --variable V
has 'nothing here sets V'
run 0 'V=x' --kind dotenv --variable V
has '-:1:1: arrives: V=x'

# The words of torch's error: the value is not told.
run 3 'RuntimeError: Unrecognized CachingAllocator option: cudart ' --kind dotenv
has '-:1:53: unknown: PYTORCH_CUDA_ALLOC_CONF: only running it could tell'
run 3 "Unrecognized key 'expandable_segments' in CUDA allocator config."

# One object, with each member that is documented.
run 1 'PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb=128' --kind dotenv \
	--format json
equal 'JSON' "$(cat "$tmp/out")" '{"schema":"allocctl.verify/1",'\
'"assignments":[{"variable":"PYTORCH_CUDA_ALLOC_CONF",'\
'"value":"max_split_size_mb=128","fate":"arrives","line":1,"column":1,'\
'"diagnostics":[{"code":"LA204","kind":"equals_in_place_of_colon",'\
'"message":"write '"'max_split_size_mb:', not 'max_split_size_mb='"'",'\
'"line":1,"column":25}],"instead":'\
'"PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128"}],"diagnostics":[],'\
'"shells":[]}'

# A new name, for each release and for one.
new=PYTORCH_ALLOC_CONF=backend:native
run 0 $new --kind dotenv --format json
grep -q '"kind":"new_name_ignored_before_2.10","message":"up to torch 2.9:' \
	"$tmp/out" || fail 'no word on older releases'
run 0 $new --kind dotenv --format json --torch 2.11
grep -q new_name "$tmp/out" && fail 'a word on other releases'
run 0 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True' --kind dotenv \
	--os windows
grep -q LA125 "$tmp/out" || fail 'Windows: no word on expandable segments'
run 1 'PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:<size>' --kind dotenv
grep -q LA286 "$tmp/out" || fail 'no word on the placeholder'

# It arrives, but torch does not look again: bench/gpu/arrival.py asked it.
run 1 'import torch, os
torch.cuda.init()
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:native"' --kind python
grep -q ': too late: PYTORCH_CUDA_ALLOC_CONF=backend:native$' "$tmp/out" ||
	fail "too late: $(cat "$tmp/out")"

# A notebook's cells are one program; places are lines of the file.
cat >"$tmp/cells.ipynb" <<'END'
{"cells": [
 {"cell_type": "code", "source": [
   "import torch\n",
   "torch.cuda.init()"]},
 {"cell_type": "markdown", "source": ["\"source\": text\n"]},
 {"cell_type": "code", "source": "%%time\nimport os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:native'"},
 {"cell_type": "code", "source": [
   "%%bash\n",
   "export PYTORCH_CUDA_ALLOC_CONF=backend:native"]}
]}
END
allocctl verify --script "$tmp/cells.ipynb" >"$tmp/out" 2>&1 || :
grep -q '^.*cells.ipynb:6:54: too late: ' "$tmp/out" &&
	grep -q 'initialised (line 4)' "$tmp/out" &&
	grep -q '^.*cells.ipynb:8:5: lost: ' "$tmp/out" ||
	fail "lines of a notebook: $(cat "$tmp/out")"

# What it is, by the name, the text or --kind.
printf 'PYTORCH_CUDA_ALLOC_CONF=backend:native\n' >"$tmp/.env"
allocctl verify --script "$tmp/.env" >"$tmp/out" || fail 'by name'
wrong "cannot tell what '$tmp/none' is: use --kind" \
	--script "$(echo x >"$tmp/none"; echo "$tmp/none")"
wrong "--kind: no such kind 'cobol'" --script "$tmp/none" --kind cobol
wrong 'verify wants --script FILE or --shell NAME' a:1
wrong 'verify wants one setting, got 2' a b
wrong '--login, --interactive and --script exclude each other' \
	--shell bash --login --interactive
status=0
allocctl verify --script "$tmp/nowhere" 2>"$tmp/err" || status=$?
equal 'status of a file that is not there' "$status" 3
grep -q "^allocctl: cannot read '$tmp/nowhere': No such file" "$tmp/err" ||
	fail "message: $(cat "$tmp/err")"

# What to write instead: all of a list whose end a shell took for a file.
V=PYTORCH_CUDA_ALLOC_CONF
list='roundup_power2_divisions:[256:1,512:2,>:8]'
run 1 "export $V=$list
" --kind bash
has "    export $V='$list'"
run 1 "set $V=$list
" --kind cmd
has "    set \"$V=$list\""
run 1 "export $V=max_split_size_mb:5>x
" --kind bash
grep -F '5>x' "$tmp/out" | grep -q "'" && fail 'a file is taken for the value'

# For a launcher its own line, or none: what is there is an export already.
run 1 "export $V=backend:native
sudo python train.py
ssh far python train.py
docker run image
" --kind bash
equal 'lines to write' "$(sed -n "s/^    \(.*backend:native.*\)/\1/p" \
	"$tmp/out")" "sudo $V='backend:native' python train.py
docker run -e $V='backend:native' IMAGE"
