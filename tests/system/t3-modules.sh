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

{
	echo "export V=$V"
	cat <<'END'
modulecmd=/opt/modules/usr/lib/x86_64-linux-gnu/modulecmd.tcl
export MODULEPATH=/test/in/tcl
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
} | boot

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
