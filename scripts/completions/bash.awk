# SPDX-License-Identifier: Apache-2.0
function fill(name,	c, i, list) {
	if (name == "commands") {
		for (c = 1; c <= commands; c++)
			list = list " " command[c]
		printf "\techo%s --help --version\n", list
	} else if (name == "options") {
		for (c = 1; c <= commands; c++) {
			list = ""
			for (i = 1; i <= options[command[c]]; i++)
				list = list " --" option[command[c], i]
			printf "\t%s) echo%s ;;\n", command[c], list
		}
	} else if (name == "values") {
		fill_values()
	} else if (name == "settings") {
		for (i = 1; i <= settings; i++)
			arm("'" setting[i] "'", setting_values[i])
		print_arms()
	} else if (name == "keys") {
		for (i = 1; i <= settings; i++)
			list = list " " setting[i]
		printf "\techo%s\n", list
	}
}

function fill_values(	c, i) {
	for (c = 1; c <= commands; c++) {
		arm("'" command[c] "'", operands[command[c]])
		for (i = 1; i <= options[command[c]]; i++)
			arm("'" command[c] " --" option[command[c], i] "'",
			    values[command[c], i])
	}
	print_arms()
}

# Patterns that stand for the same share an arm of the case.
function arm(pattern, what) {
	if (what == "")
		return
	if (!(what in patterns)) {
		arms[++nr] = what
		patterns[what] = pattern
	} else {
		patterns[what] = patterns[what] "|" pattern
	}
}

function print_arms(	i) {
	for (i = 1; i <= nr; i++) {
		printf "\t%s)\n\t\techo '%s' ;;\n", patterns[arms[i]], arms[i]
		delete patterns[arms[i]]
	}
	nr = 0
}
