#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What modulefiles give a child, loaded by environment-modules and by lmod.
. tests/support.sh
. tests/system/support.sh

mkdir "$test/in/tcl" "$test/in/lua"
cat >"$test/in/tcl/plain" <<END
#%Module1.0
setenv $V expandable_segments:True
END
cat >"$test/in/tcl/braces" <<END
#%Module1.0
setenv $V {roundup_power2_divisions:[256:1,>:8]}
END
cat >"$test/in/tcl/quoted" <<END
#%Module1.0
set size 128
setenv $V "max_split_size_mb:\$size,expandable_segments:True"
END
cat >"$test/in/tcl/twice" <<END
#%Module1.0
setenv $V first:1
setenv $V second:1
END
cat >"$test/in/tcl/appended" <<END
#%Module1.0
append-path --delim , $V a:1
append-path --delim , $V b:2
END
cat >"$test/in/tcl/removed" <<END
#%Module1.0
setenv $V first:1
unsetenv $V
END
cat >"$test/in/lua/plain.lua" <<END
setenv("$V", "expandable_segments:True")
END
cat >"$test/in/lua/joined.lua" <<END
local size = 128
setenv("$V", "max_split_size_mb:" .. size)
END
cat >"$test/in/lua/single.lua" <<END
setenv('$V', 'roundup_power2_divisions:[256:1,>:8]')
END
cat >"$test/in/lua/pushed.lua" <<END
pushenv("$V", "a:1,b:2")
END

# One command of a modulefile each, for both programs.
while IFS='	' read -r name text; do
	printf '#%%Module1.0\n%b\n' "$text" | sed "s/@/$V/g" \
		>"$test/in/tcl/$name"
done <<'END'
blanks	setenv @ "a:1 b:2"
brackets	setenv @ roundup_power2_divisions:[256:1,>:8]
single	setenv @ 'a:1'
variable	set x a:1\nsetenv @ $x,b:2
braced	set x a:1\nsetenv @ ${x},b:2
command	setenv @ [string tolower A:1]
environ	setenv @ $env(HOME)/x
push	pushenv @ a:1
prepend	prepend-path @ a:1
condition	if {1} {\nsetenv @ a:1\n} else {\nsetenv @ b:2\n}
equals	setenv @=a:1
missing	setenv @
shell	export @=a:1
comment	# setenv @ a:1
trailing	setenv @ a:1 ;# x
semicolon	setenv @ a:1; setenv OTHER x
continued	setenv @ "a:1,\\\n  b:2"
more	setenv @ a:1,\\\nb:2
set	set @ a:1
open	setenv @ "a:1
END
while IFS='	' read -r name text; do
	printf '%b\n' "$text" | sed "s/@/$V/g" >"$test/in/lua/$name.lua"
done <<'END'
variable	local x = "a:1"\nsetenv("@", x .. ",b:2")
long	setenv("@", [[a:1,b:2]])
cut	setenv("@", [[roundup_power2_divisions:[256:1,>:8]]])
path	prepend_path("@", "a:1")
unset	setenv("@", "a:1")\nunsetenv("@")
os	setenv("@", os.getenv("HOME") .. "/x")
number	setenv("@", 5)
if	if (mode() == "load") then\nsetenv("@", "a:1")\nend
comment	-- setenv("@", "a:1")
block	--[[\nsetenv("@", "a:1")\n]]\nsetenv("@", "b:2")
escape	setenv("@", "a\\tb")
table	setenv{"@", "a:1"}
bare	setenv "@"
global	x = "a:1"\nsetenv("@", x)
END

{
	echo "export V=$V"
	cat <<'END'
modulecmd=/opt/modules/usr/lib/x86_64-linux-gnu/modulecmd.tcl
export HOME=/root MODULEPATH=/test/in/tcl
for file in /test/in/tcl/*; do
	name=${file##*/}
	(eval "$(tclsh $modulecmd sh load $name)"; exec /test/see "modules-$name")
done
lmod=$(ls /usr/share/lmod/*/libexec/lmod /usr/share/lmod/lmod/libexec/lmod \
	2>/dev/null | head -n 1)
for folder in tcl lua; do
	export MODULEPATH=/test/in/$folder
	for file in /test/in/$folder/*; do
		name=${file##*/}
		(eval "$($lmod bash load ${name%.lua})"
			exec /test/see "lmod-$folder-${name%.lua}")
	done
done
END
} >"$tmp/commands"
boot <"$tmp/commands"

check() {	# check NAME [VALUE]: both programs agree on a Tcl modulefile
	name=$1
	shift
	for program in modules lmod-tcl; do
		sees "$program-$name" "$@"
		reads "$program-$name" modulefile <"$test/in/tcl/$name"
	done
}

check plain expandable_segments:True
check braces 'roundup_power2_divisions:[256:1,>:8]'
check quoted max_split_size_mb:128,expandable_segments:True
check twice second:1
check appended a:1,b:2
check removed

checklua() {	# checklua NAME VALUE
	sees "lmod-lua-$1" "$2"
	reads "lmod-lua-$1" modulefile-lua <"$test/in/lua/$1.lua"
}

checklua plain expandable_segments:True
checklua joined max_split_size_mb:128
checklua single 'roundup_power2_divisions:[256:1,>:8]'
checklua pushed a:1,b:2

for file in "$test"/in/tcl/*; do
	for program in modules lmod-tcl; do
		reads "$program-${file##*/}" modulefile <"$file"
	done
done
for file in "$test"/in/lua/*; do
	name=${file##*/}
	reads "lmod-lua-${name%.lua}" modulefile-lua <"$file"
done
finish
