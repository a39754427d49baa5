#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl set --apply and --undo: files of all sorts, byte by byte.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'
HOME=$tmp/home
export HOME
unset ENV BASH_ENV ZDOTDIR XDG_CONFIG_HOME PYTORCH_CUDA_ALLOC_CONF
mkdir "$HOME"
s=max_split_size_mb:128

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl set "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	[ "$status" = "$want" ] || cat "$tmp/err" >&2
	equal "status of set $*" "$status" "$want"
}

same() {	# same WHAT A B
	cmp -s "$2" "$3" || fail "$1: $(diff "$2" "$3" | head -n 5)"
}

round() {	# round WHAT FILE SHELL: applied twice, changed, undone
	cp -p "$2" "$tmp/before"
	run 0 $s --shell "$3" --file "$2" --apply
	grep -q "$s" "$2" || fail "$1: it is not there"
	same "$1: copy" "$2.allocctl-backup" "$tmp/before"
	cp "$2" "$tmp/once"
	run 0 $s --shell "$3" --file "$2" --apply
	same "$1: applied twice" "$2" "$tmp/once"
	run 0 backend:native --shell "$3" --file "$2" --apply
	grep -q $s "$2" && fail "$1: the old value is there"
	run 0 --undo --shell "$3" --file "$2"
	same "$1: undone" "$2" "$tmp/before"
	equal "$1: mode" "$(stat -c '%a %u %g' "$2")" \
		"$(stat -c '%a %u %g' "$tmp/before")"
	[ ! -e "$2.allocctl-backup" ] || fail "$1: the copy stays"
	[ ! -e "$2.allocctl-new" ] || fail "$1: a part stays"
}

f=$tmp/rc
printf 'a=1\nb=2\n' >"$f"
round 'plain' "$f" bash
printf 'a=1\nb=2' >"$f"
round 'no final newline' "$f" bash
: >"$f"
round 'empty' "$f" bash
printf 'A=1\r\nB=2\r\n' >"$f"
round 'CRLF' "$f" dotenv
printf 'A=1\r\nB=2' >"$f"
round 'CRLF, no final newline' "$f" dotenv
printf '\377\376 not UTF-8 \200\n' >"$f"
chmod 640 "$f"
round 'bytes' "$f" bash
printf '#!/bin/bash\n#SBATCH -n 1\n\nsrun x\n' >"$f"
round 'a batch script' "$f" slurm

# CRLF is kept where the reader takes it.
printf 'A=1\r\n' >"$f"
run 0 $s --shell dotenv --file "$f" --apply
[ "$(grep -c "$(printf '\r')" "$f")" = "$(wc -l <"$f")" ] ||
	fail 'lines end differently'

# Edited meanwhile: what is not ours stays.
printf 'a=1' >"$f"
run 0 $s --shell bash --file "$f" --apply
printf '\nc=3\n' >>"$f"
run 0 --undo --shell bash --file "$f"
equal 'edited meanwhile' "$(cat "$f")" 'a=1
c=3'

# Before what returns early, and behind the head of a script.
cat >"$f" <<'END'
# about

# not interactive: nothing
case $- in
    *i*) ;;
      *) return;;
esac
b=2
END
run 0 $s --shell bash --file "$f" --apply
equal 'place' "$(sed -n 3p "$f")" \
	'# >>> allocctl set PYTORCH_CUDA_ALLOC_CONF >>>'
printf '#!/bin/bash\n#SBATCH -n 1\nsrun x\n' >"$f"
run 0 $s --shell slurm --file "$f" --apply
equal 'place in a batch script' "$(sed -n 4p "$f")" \
	"export PYTORCH_CUDA_ALLOC_CONF='$s'"

# A link is followed; a file that was made goes again.
printf 'a=1\n' >"$tmp/real"
ln -s real "$tmp/link"
run 0 $s --shell bash --file "$tmp/link" --apply
[ -L "$tmp/link" ] || fail 'the link is gone'
grep -q $s "$tmp/real" || fail 'not written behind the link'
run 0 $s --shell fish --apply
run 0 --undo --shell fish
[ ! -e "$HOME/.config/fish/conf.d/allocctl.fish" ] || fail 'the file stays'
echo x >"$HOME/.cshrc"
run 0 $s --shell tcsh --apply
[ ! -e "$HOME/.tcshrc" ] || fail '.tcshrc would hide .cshrc'

refused() {	# refused WHAT FILE REASON
	cp -p "$2" "$tmp/before" 2>/dev/null || :
	run 3 $s --shell bash --file "$2" --apply
	grep -q -F -e "$3" "$tmp/err" || fail "$1: $(cat "$tmp/err")"
	[ ! -f "$2" ] || same "$1" "$2" "$tmp/before"
}
printf 'a\000b' >"$f"
refused 'binary' "$f" 'it is not text'
printf '# >>> allocctl set PYTORCH_CUDA_ALLOC_CONF >>>\n' >"$f"
refused 'half a block' "$f" 'do not match'
printf '# <<< allocctl set PYTORCH_CUDA_ALLOC_CONF <<<\n' >"$f"
refused 'the other half' "$f" 'do not match'
printf 'a=1\n' >"$f"
chmod 444 "$f"
refused 'read-only' "$f" 'it is read-only'
run 0 $s --shell bash --file "$f" --apply --force
equal 'mode' "$(stat -c %a "$f")" 444
chmod 644 "$f"
ln "$f" "$tmp/other"
refused 'hard links' "$f" 'it has other names'
refused 'a folder' "$tmp" 'it is not a file'
ln -s nowhere/at/all "$tmp/dangling"
refused 'a dangling link' "$tmp/dangling" 'the link leads nowhere'
truncate -s 17M "$tmp/huge"
refused 'huge' "$tmp/huge" 'it is larger than 16 MiB'

# Many at once: none is lost.
printf 'a=1\n' >"$tmp/many"
for i in 1 2 3 4 5 6 7 8; do
	allocctl set x --variable "V$i" --shell bash --file "$tmp/many" \
		--apply >/dev/null &
done
wait
equal 'many at once' "$(grep -c '^export V' "$tmp/many")" 8
for i in 1 2 3 4 5 6 7 8; do
	run 0 --undo --variable "V$i" --shell bash --file "$tmp/many"
done
equal 'all undone' "$(cat "$tmp/many")" 'a=1'

# Access lists, where there are any.
if command -v setfacl >/dev/null && command -v getfacl >/dev/null; then
	printf 'a=1\n' >"$tmp/acl"
	if setfacl -m u:1:r "$tmp/acl" 2>/dev/null; then
		getfacl -c "$tmp/acl" >"$tmp/acl.before" 2>/dev/null
		run 0 $s --shell bash --file "$tmp/acl" --apply
		getfacl -c "$tmp/acl" >"$tmp/acl.after" 2>/dev/null
		same 'access list' "$tmp/acl.after" "$tmp/acl.before"
	fi
fi
