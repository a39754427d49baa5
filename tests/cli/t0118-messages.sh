#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Messages that no other test asks for: one line on standard error that names
# the program and what is wrong, nothing on standard output, and the status.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'
data=tests/data
file=$data/two.pickle.xz

says() {	# says STATUS TEXT COMMAND...
	wanted=$1 text=$2
	shift 2
	status=0
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	equal "status of $*" $status "$wanted"
	equal "lines of $*" "$(cat "$tmp/err" "$tmp/out" | wc -l)" 1
	case $(cat "$tmp/err") in
	"allocctl: "*"$text"* | "cupti-probe: "*"$text"*) ;;
	*) fail "$*: no '$text' in: $(cat "$tmp/err")" ;;
	esac
}

tells() {	# tells STATUS MESSAGE COMMAND...: says() with the whole line
	wanted=$1 text=$2
	shift 2
	says "$wanted" "$text" "$@"
	equal "$*" "$(cat "$tmp/err")" "allocctl: $text"
}

says 2 'prints settings alone' allocctl check --repair --format json a:1
says 2 'output is not compressed' allocctl convert $file "$tmp/a.csv.gz"
says 2 'tells no format' allocctl convert $file "$tmp/a"
says 2 'takes no arguments' allocctl doctor x
says 2 "no option, code or 'presets': '\\x1b'" \
	allocctl explain "$(printf '\033')"
says 2 "no GPU 'X9' is known; say --memory" allocctl explain presets --gpu X9
says 2 'go with presets' allocctl explain --gpu A100 backend
says 2 'goes with no name' allocctl explain --all backend
says 2 'goes with --all' allocctl explain --format man backend
says 2 '--node stands alone' allocctl fleet --node --from x
says 2 'a LAUNCHER, or --from FILE' allocctl fleet
says 2 'takes no arguments' allocctl metrics x
says 2 'a whole number or all' allocctl replay $file --device x
says 2 'EVENT:SETTING' allocctl replay $file --set-at 5
says 2 "no 'ksh9'; there are bash" allocctl set --shell ksh9 backend:native
says 2 '--undo takes no setting' allocctl set --undo backend:native
says 2 'is less than the 310.00 MiB that PyTorch held' \
	allocctl triage $data/streams.cap.pickle.xz --card 1MiB
says 3 'no picture of settings: no settings were searched' \
	allocctl report --no-tune --format svg --plot settings $file -o -
says 2 'a whole number, not' allocctl tune --jobs x $file
case $(uname) in
Linux)
	says 2 'wants a COMMAND' allocctl run
	says 2 'a comma separates' allocctl run --record a,b true
	says 3 'cannot read standard input' sh -c 'allocctl check - <.'
	says 3 'cannot write output' sh -c 'allocctl explain >/dev/full' ;;
esac

# What the system refuses: files, one more each time until all are there.
few() {	# few NUMBER COMMAND...
	sh -c 'ulimit -n "$1"; shift; exec "$@"' sh "$@"
}
refuses_files() {	# refuses_files MESSAGE COMMAND...
	why=$1 n=2 seen=0
	shift
	while [ $n -lt 16 ]; do
		n=$((n + 1))
		few $n allocctl --version >/dev/null 2>&1 || continue
		few $n "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || :
		grep -q "^allocctl: $why" "$tmp/err" || break
		tells 3 "$why: Too many open files" few $n "$@"
		seen=$n
	done
	[ $seen -gt 0 ] || fail "$*: $(cat "$tmp/err")"
	grep -q "$end" "$tmp/out" "$tmp/err" || fail "$n files: an end unseen"
}
# Only root's processes are not counted.
no_more() {
	[ "$(id -u)" != 0 ] || set -- setpriv --reuid=65534 --clear-groups \
		prlimit --nproc=0 "$@"
	[ "$(id -u)" = 0 ] || set -- prlimit --nproc=0 "$@"
	"$@"
}
if [ "$(uname)" = Linux ]; then
	if [ -z "${SANITIZE:-}" ]; then	# which want files themselves
		end='^0 nodes answered'
		refuses_files "cannot spool what 'true' prints" \
			allocctl fleet -- true
		end='no process used a GPU'
		refuses_files 'cannot make a pipe' allocctl run true
	fi
	again='Resource temporarily unavailable'
	if no_more allocctl --version >/dev/null 2>&1; then
		tells 3 "cannot fork: $again" no_more allocctl run true
		tells 3 "cannot spool what 'true' prints: $again" \
			no_more allocctl fleet -- true
	fi
	mkdir "$tmp/a,b"
	for folder in "$tmp/none:No such file or directory" \
		"$tmp/a,b:its name has a comma"; do
		tells 3 "cannot make a folder in '${folder%:*}': ${folder##*:};\
 set TMPDIR to another" env TMPDIR="${folder%:*}" allocctl run true
	done
	truncate -s 16777217 "$tmp/long.sh"
	tells 3 "cannot read '$tmp/long.sh': longer than 16 MiB" \
		allocctl verify --script "$tmp/long.sh"
	rm "$tmp/long.sh"
fi

# A program that was copied without what it needs, which may be installed.
bin=$tmp/moved/bin
mkdir -p "$bin" "$tmp/moved/lib"
cp "$(command -v allocctl)" "$bin"
status=0
"$bin/allocctl" run true 2>"$tmp/err" || status=$?
if [ $status -ne 0 ]; then
	tells 3 'cannot find liballoc-torch.so' "$bin/allocctl" run true
	cp "$O/lib/liballoc-torch.so" "$tmp/moved/lib"
	tells 3 'cannot find sitecustomize.py of liballoc' \
		"$bin/allocctl" run true
fi
rm -r "$tmp/moved"

# What is wrong in a file of costs, and where.
costs() {	# costs TEXT LINE...: the sizes
	text=$1
	shift
	printf 'context: 518\nwait: 1\norder: 1\nsizes:\n' >"$tmp/costs.yaml"
	[ $# -eq 0 ] || printf '  - %s\n' "$@" >>"$tmp/costs.yaml"
	says 3 "$text" allocctl tune $data/streams.cap.pickle.xz \
		--costs "$tmp/costs.yaml"
}
echo >"$tmp/costs.yaml"
allocctl tune $file --costs "$tmp/costs.yaml" 2>"$tmp/err" && fail 'no costs'
if ! grep -q 'no YAML reader' "$tmp/err"; then
	costs 'line 4, column 7: no list'
	costs 'line 5, column 5: no mapping' 5
	costs 'line 6, column 5: sizes have to ascend' 'size: 2' 'size: 2'
	costs 'line 5, column 5: unknown key' 'seize: 2'
	i=0
	set --
	while [ $i -lt 33 ]; do
		i=$((i + 1))
		set -- "$@" "size: $i"
	done
	costs 'line 37, column 5: too many sizes' "$@"
fi

command -v cupti-probe >/dev/null || exit 0
for command in list metrics prune; do
	says 2 'wants one DIR' cupti-probe $command a b
done
says 2 'wants one FILE' cupti-probe info a b
says 2 'wants a PID or a FILE' cupti-probe stat a b
says 3 'neither CUPTI_PROBE_DIR nor HOME' \
	env -u HOME -u CUPTI_PROBE_DIR cupti-probe list
