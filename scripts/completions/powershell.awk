# SPDX-License-Identifier: Apache-2.0
function fill(name,	c, i) {
	if (name == "commands") {
		for (c = 1; c <= commands; c++)
			fill_command(command[c])
	} else if (name == "settings") {
		for (i = 1; i <= settings; i++)
			printf "\t\t'%s' = '%s'\n", setting[i], setting_values[i]
	}
}

function fill_command(c,	i) {
	printf "\t\t'%s' = @{\n", c
	printf "\t\t\tSummary = %s\n", quoted(summary[c], "''")
	printf "\t\t\tOperands = '%s'\n", operands[c]
	print "\t\t\tOptions = [ordered]@{"
	for (i = 1; i <= options[c]; i++)
		printf "\t\t\t\t'--%s' = %s, '%s'\n", option[c, i],
			quoted(help[c, i], "''"), values[c, i]
	print "\t\t\t}"
	print "\t\t}"
}
