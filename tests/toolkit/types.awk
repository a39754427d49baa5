# SPDX-License-Identifier: Apache-2.0
# Statements of C that print what types.txt lists, with our names or, with
# -v theirs=1, with theirs; without what a toolkit lacks: -v lacks="NAME ...",
# types, members and numbers.
BEGIN {
	n = split(lacks, list, " ")
	for (i = 1; i <= n; i++)
		absent[list[i]]
}
/^#/ || $1 in absent || ($1 == "=" && $2 in absent) { next }
$1 == "=" {
	printf "printf(\"%s %%d\\n\", (int)%s);\n", $2, $2
	next
}
{
	printf "printf(\"%s", $1
	text = ""
	for (i = 2; i <= NF; i++) {
		split($i, name, "=")
		if (!(2 in name))
			name[2] = name[1]
		if (name[2] in absent)
			continue
		printf " %s", name[1]
		member = theirs ? name[2] : name[1]
		text = text sprintf("printf(\" %%zu:%%zu\", offsetof(%s, %s)" \
			", sizeof(((%s *)0)->%s));\n", $1, member, $1, member)
		delete name
	}
	# Of what only passes through us the size need not be known: later
	# ones may add to the end of what is passed by address.
	printf "\");\n%s", text
	if ($1 != "CUpti_SubscriberParams" && $1 != "CUpti_CallbackData")
		printf "printf(\" %%zu\", sizeof(%s));\n", $1
	print "puts(\"\");"
}
