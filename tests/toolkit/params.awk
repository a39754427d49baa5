# SPDX-License-Identifier: Apache-2.0
# Statements of C that print size and members of NAME_params of each entry
# point in calls.txt that a header has:
#
#   awk -f params.awk [-v suffix=_st] calls.txt HEADER
FNR == 1 { files++ }
files == 1 && /^cu/ { wanted["struct " $1 "_params" suffix] = $1 }
files == 1 { next }
/struct cu[A-Za-z0-9_]+_params(_st)? \{/ {
	match($0, /struct [A-Za-z0-9_]+/)
	type = substr($0, RSTART, RLENGTH)
	inside = type in wanted
	if (inside)
		printf "printf(\"%s %%zu\", sizeof(%s));\n", wanted[type], type
	next
}
inside && /^}/ {
	print "puts(\"\");"
	inside = 0
}
inside && /;/ {
	sub(/;.*/, "")
	sub(/\[.*/, "")
	sub(/.*[ *\t]/, "")
	printf "printf(\" %%zu:%%zu\", offsetof(%s, %s), " \
		"sizeof(((%s *)0)->%s));\n", type, $0, type, $0
}
