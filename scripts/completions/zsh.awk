# SPDX-License-Identifier: Apache-2.0
function fill(name,	c, i) {
	if (name == "commands") {
		for (c = 1; c <= commands; c++)
			print "\t\t\t" quoted(command[c] ":" \
				escaped(summary[command[c]]), "'\\''")
	} else if (name == "arguments") {
		for (c = 1; c <= commands; c++)
			fill_arguments(command[c])
	} else if (name == "settings") {
		for (i = 1; i <= settings; i++)
			printf "\t\t'%s:value:%s'\n", setting[i],
				setting_values[i] == "" ? " " : \
				"(" setting_values[i] ")"
	}
}

function fill_arguments(c,	i) {
	printf "\t%s)\n\t\t_arguments -S", c
	for (i = 1; i <= options[c]; i++)
		printf " \\\n\t\t\t%s", quoted((again[c, i] ? "*" : "") \
			"--" option[c, i] (values[c, i] == "" ? "" : "=") \
			"[" bracketed(help[c, i]) "]" (values[c, i] == "" ? "" : \
			":" option[c, i] ":" action(values[c, i])), "'\\''")
	if (has(operands[c], "@command"))
		printf "%s", " \\\n\t\t\t'(-)*::command: _" function_name "_run'"
	else if (operands[c] != "")
		printf " \\\n\t\t\t'*:operand:%s'", action(operands[c])
	print " ;;"
}

function escaped(text) {
	gsub(/:/, "\\:", text)
	return text
}

function bracketed(text) {
	gsub(/\]/, "\\]", text)
	return text
}

# What offers it: one thing, or some of them.
function action(what) {
	if (what == "@any")
		return " "
	if (what == "@file")
		return "_files"
	if (what == "@folder")
		return "_files -/"
	if (what == "@process")
		return "_pids"
	if (what == "@setting")
		return " _" function_name "_setting"
	if (what !~ /@/)
		return "(" what ")"
	return " _" function_name "_mixed " what
}
