#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl env --pid: what a program has at its start and now, as programs of
# all kinds keep it.
. tests/support.sh
. tests/env.sh

name=PYTORCH_CUDA_ALLOC_CONF
value=max_split_size_mb:77

look() {	# look WHAT WANTED-STATUS INITIAL CURRENT
	run "$2" env --pid "$pid" --torch 2.11 --build cuda --format json
	equal "initial value of $1" "$(show '(lambda p: "unknown"
		if p["initial_unknown"] else ([v.get("initial")
		for v in d["variables"]] + [None])[0])(d["process"])')" "$3"
	equal "value of $1" "$(show '"unknown" if d["process"][
		"current_unknown"] else ([v["value"] for v in d["variables"]]
		+ [None])[0]')" "$4"
}

hold=$(command -v hold-environment)
start "$hold" keep
look 'a program' 0 backend:native backend:native
start "$hold" set $name $value
look 'a program that sets it' 1 backend:native $value
equal 'the finding' "$(show '[f["code"] for f in d["findings"]]')" "['LA295']"
start "$hold" clear
look 'a program that clears it' 0 backend:native unknown
start "$hold" zero
look 'a program with zeros' 0 unknown None
start env -i PATH="$PATH" "$hold" keep
look 'a program without it' 0 None None
start "$hold" twice $name $value
look 'a program that has it twice' 1 $value $value
equal 'the last one' "$(show 'd["variables"][0]["last"]')" first
equal 'the finding' "$(show '[f["code"] for f in d["findings"]]')" "['LA291']"

start "$hold" many $name $value
look 'a program with many variables' 1 backend:native $value

# Neither a thread of the kernel nor a process that has ended has one.
if [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ]; then
	pid=2
	look 'a thread of the kernel' 3 unknown unknown
	has 'it is a thread of the kernel'
fi
start sh -c 'sleep 1 & echo $!; exec sleep 100'
pid=$(cat "$tmp/ready")
tries=0
until grep -q '^State:.*Z' "/proc/$pid/status"; do
	tries=$((tries + 1))
	[ $tries -lt 50 ] || fail 'no process has ended'
	sleep 0.1
done
look 'a process that has ended' 3 unknown unknown
has 'the process has ended'

# While it changes: one of its values or none, never another one, nor unset.
start "$hold" race $name $value
for i in 1 2 3 4 5 6 7 8 9 10; do
	status=0
	allocctl env --pid "$pid" --torch 2.11 --format json >"$tmp/out" ||
		status=$?
	case $(show '"unknown" if d["process"]["current_unknown"] else
		[v["value"] for v in d["variables"]]') in
	unknown|"['$value']"|"['first']") ;;
	*) cat "$tmp/out" >&2; fail "a race gave another value ($i)" ;;
	esac
done

# Programs linked in other ways.
compile() {	# compile NAME FLAGS...
	out=$1
	shift
	${CC:-cc} -w -D_GNU_SOURCE -o "$tmp/$out" "$@" \
		tests/tools/hold-environment.c 2>"$tmp/cc"
}
if compile fixed -no-pie -fno-pie; then
	start "$tmp/fixed" set $name $value
	look 'a program at fixed addresses' 1 backend:native $value
fi
if compile static -static; then
	start "$tmp/static" set $name $value
	look 'a static program' 1 backend:native $value
	strip -o "$tmp/stripped" "$tmp/static"
	start "$tmp/stripped" set $name $value
	look 'a stripped static program' 0 backend:native unknown
	has 'no symbol tells where'
	start env -u $name "$tmp/stripped" keep
	look 'such a program without it' 3 None unknown
fi
if compile pie-static -static-pie; then
	start "$tmp/pie-static" set $name $value
	look 'a static program at any address' 1 backend:native $value
fi
# Without a C library, which compilers for 64 bits rarely have for 32.
cat >"$tmp/narrow.c" <<'EOF'
char **environ;
static char set[] = "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:77";
static char *entries[] = { set, 0 };

static void call(int number, int a, const void *b, int c)
{
	int ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(number), "b"(a), "c"(b), "d"(c)
			 : "memory");
}

void _start(void)
{
	environ = entries;
	call(4, 1, "ready\n", 6); /* write */
	for (;;)
		call(29, 0, 0, 0); /* pause */
}
EOF
if ${CC:-cc} -m32 -nostdlib -static -ffreestanding -fno-pic -no-pie \
	-fno-stack-protector -o "$tmp/narrow" "$tmp/narrow.c" 2>"$tmp/cc"; then
	start "$tmp/narrow"
	look 'a program of 32 bits' 1 backend:native $value
fi
# Its file is gone, then another one has its name.
cp "$hold" "$tmp/gone"
start "$tmp/gone" set $name $value
rm "$tmp/gone"
look 'a program whose file is gone' 1 backend:native $value
cp /bin/true "$tmp/gone"
look 'a program whose file was replaced' 1 backend:native $value

# Interpreters and shells.
script() {	# script PROGRAM ARGUMENTS: of one that sets it
	command -v "$1" >/dev/null || return 0
	start "$@"
	look "$1" 1 backend:native $value
}
script python3 -c "import os, time
os.environ['$name'] = '$value'
print('ready', flush=True); time.sleep(100)"
script node -e "process.env.$name = '$value'; console.log('ready');
setTimeout(() => {}, 100000)"
script bash -c "export $name=$value; /bin/true; echo ready; sleep 100; :"
script zsh -fc "export $name=$value; echo ready; sleep 100; :"
script tcsh -fc "setenv $name $value; echo ready; sleep 100; :"
# Perl writes its title over the block.
if command -v perl >/dev/null; then
	for title in x 'a b=c' xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; do
		start perl -e "\$ENV{$name} = '$value'; \$0 = '$title';
			\$| = 1; print 'ready'; sleep 100"
		look "perl called $title" 0 unknown $value
	done
fi

# Processes that cannot be seen.
run 3 env --pid 2147483646
equal 'message' "$(cat "$tmp/err")" 'allocctl: no process 2147483646'
run 2 env --pid 2147483648
run 2 env --pid 1 --core x
if [ "$(id -u)" = 0 ] && su nobody -s /bin/sh -c true 2>/dev/null; then
	start "$hold" keep
	cp "$(command -v allocctl)" "$tmp/allocctl"
	chmod 755 "$tmp" "$tmp/allocctl"
	status=0
	su nobody -s /bin/sh -c "'$tmp/allocctl' env --pid $pid --torch 2.11" \
		>"$tmp/out" || status=$?
	equal "status for another user" "$status" 3
	has 'no permission to read its environment block: it belongs to user 0'
fi

# One in another root, with another program of the same name outside.
if [ "$(id -u)" = 0 ] && [ -e "$tmp/static" ]; then
	mkdir -p "$tmp/root/bin" "$tmp/root/etc"
	cp "$tmp/static" "$tmp/root/bin/hold"
	echo "PYTORCH_CUDA_ALLOC_CONF=$value" >"$tmp/root/etc/environment"
	ln -s /etc/environment "$tmp/root/etc/link"
	start chroot "$tmp/root" /bin/hold set $name $value
	look 'a program in another root' 1 backend:native $value
	run 1 env --pid "$pid" --torch 2.11 --show-origin --format json
	equal 'where it is set' "$(show '[(o["file"], o["line"])
		for o in d["origins"] if o["scope"] == "system"]')" \
		"[('/etc/environment', 1)]"

	# What stands in the way in folders is no hindrance.
	mkdir "$tmp/root/etc/profile.d"
	mkfifo "$tmp/root/etc/profile.d/a.sh" "$tmp/root/etc/profile"
	ln -s b.sh "$tmp/root/etc/profile.d/b.sh"
	ln -s d.sh "$tmp/root/etc/profile.d/c.sh"
	ln -s c.sh "$tmp/root/etc/profile.d/d.sh"
	truncate -s 1T "$tmp/root/etc/profile.d/e.sh" || :
	echo "export $name=$value" >"$tmp/root/etc/profile.d/f.sh"
	run 1 env --pid "$pid" --torch 2.11 --show-origin --format json
	equal 'what is read' "$(show '[o["file"] for o in d["origins"]
		if o["scope"] == "system"]')" \
		"['/etc/environment', '/etc/profile.d/f.sh']"
	equal 'what is not' "$(show '[(u["file"], u["reason"])
		for u in d["unread"] if u["file"].endswith(("e", "a.sh"))]')" \
		"[('/etc/profile', 'it is not a file'), \
('/etc/profile.d/a.sh', 'it is not a file')]"
fi
