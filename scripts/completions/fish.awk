# SPDX-License-Identifier: Apache-2.0
function fill(name,	c, i) {
	if (name == "commands") {
		for (c = 1; c <= commands; c++)
			fill_command(command[c])
	} else if (name == "settings") {
		fill_settings()
	} else if (name == "keys") {
		for (i = 1; i <= settings; i++)
			keys = keys " " setting[i]
		printf "\tstring join \\n%s\n", keys
	}
}

# Options of a setting that have the same values share a case.
function fill_settings(	i, keys, of) {
	for (i = 1; i <= settings; i++)
		keys[setting_values[i]] = keys[setting_values[i]] " " setting[i]
	for (i = 1; i <= settings; i++) {
		of = setting_values[i]
		if (of != "" && of in keys)
			printf "\tcase%s\n\t\tstring join \\n %s\n",
				keys[of], of
		delete keys[of]
	}
}

function fill_command(c,	i, prefix, at, offered) {
	prefix = "complete -c " program " -n "
	at = "__" function_name "_in " c
	print prefix "__" function_name "_first -a " c " -d " text(summary[c])
	offered = has(operands[c], "@command") ? \
		"-x -a '(__" function_name "_run" valued(c) ")'" : offer(operands[c])
	if (offered != "")
		print prefix "'" at "' " offered
	if (has(operands[c], "@command"))
		at = at "; and not __" function_name "_program" \
			valued(c) " >/dev/null"
	for (i = 1; i <= options[c]; i++)
		print prefix "'" at "' -l " option[c, i] \
			(values[c, i] == "" ? "" : \
			 has(values[c, i], "@file") ? " -r" : " -x") \
			after_blank(offer(values[c, i])) \
			" -d " text(help[c, i])
}

# Options of a command that have a value.
function valued(c,	i, out) {
	for (i = 1; i <= options[c]; i++)
		if (values[c, i] != "")
			out = out " --" option[c, i]
	return out
}

function text(string) {
	gsub(/\\/, "\\\\", string)
	return quoted(string, "\\'")
}

function after_blank(string) { return (string == "" ? "" : " ") string }

function offer(what,	list) {
	list = words(what)
	if (has(what, "@setting"))
		list = list " (__" function_name "_setting)"
	if (has(what, "@key"))
		list = list " (__" function_name "_keys)"
	if (has(what, "@process"))
		list = list " (__fish_complete_pids)"
	if (has(what, "@folder") && !has(what, "@file"))
		list = list " (__fish_complete_directories)"
	sub(/^ /, "", list)
	return (has(what, "@file") ? "-F" : "") \
		(list == "" ? "" : (has(what, "@file") ? " " : "") \
		 "-a '" list "'")
}
