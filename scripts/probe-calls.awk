# SPDX-License-Identifier: Apache-2.0
# cupti-probe/inject/abi/calls.txt to abi/calls.h: the enumeration of entry
# points, the structure of each one's parameters, and lists for macros:
#
#   PROBE_CALLS(X)        X(NAME, ID, SINCE)
#   PROBE_WRAPPERS(X)     X(NAME, (parameters), (their names))
/^#/ || !NF { next }
NF < 4 || $1 !~ /^cu[A-Za-z0-9_]+$/ || $2 $3 !~ /^[0-9]+$/ || $1 in seen {
	print FILENAME ":" FNR ": bad entry point" >"/dev/stderr"
	bad = 1
	exit 1
}
{
	name[++n] = $1
	seen[$1]
	id[n] = $2
	since[n] = $3
	sub(/^[^ ]+ [^ ]+ [^ ]+ /, "")
	declare[n] = $0
	members = split($0, member, /, /)
	values[n] = ""
	text[n] = "struct " name[n] "_params {\n"
	for (i = 1; i <= members; i++) {
		text[n] = text[n] "\t" member[i] ";\n"
		value = member[i]
		sub(/.*[ *]/, "", value)
		values[n] = values[n] (i > 1 ? ", " : "") value
	}
	text[n] = text[n] "};\n"
}
END {
	if (bad)
		exit 1
	print "/* Made of calls.txt. */"
	print "#ifndef PROBE_ABI_CALLS_H"
	print "#define PROBE_ABI_CALLS_H\n"
	print "#include \"abi/cuda.h\"\n"
	print "enum probe_entry {"
	for (i = 1; i <= n; i++)
		print "\tPROBE_" name[i] ","
	print "\tPROBE_ENTRY_COUNT\n};\n"
	for (i = 1; i <= n; i++)
		print text[i]
	for (i = 1; i <= n; i++)
		define = define " \\\n\tX(" name[i] ", " id[i] ", " \
			since[i] ")"
	print "#define PROBE_CALLS(X)" define "\n"
	print "#define PROBE_WRAPPERS(X)" wrappers()
	print "\n#endif"
}
function wrappers(	list) {
	for (i = 1; i <= n; i++)
		list = list " \\\n\tX(" name[i] ", (" declare[i] "), (" \
			values[i] "))"
	return list
}
