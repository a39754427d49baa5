# SPDX-License-Identifier: Apache-2.0
# awk -f table.awk -f SHELL.awk TABLE SHELL.in: completions of a program.
# TABLE is what table.c writes.  In SHELL.in @program@ and @function@ stand for
# its name, a line with another name between @ for what fill() of SHELL.awk
# prints, and lines between @settings only@ and @end@ are for programs to which
# settings are given.
BEGIN { FS = "\t" }
FNR == 1 { files++ }
files == 1 && $1 == "program" { program = $2 }
files == 1 && $1 == "command" {
	command[++commands] = $2
	summary[$2] = $3
	operands[$2] = tidy($4)
}
files == 1 && $1 == "option" {
	i = ++options[$2]
	option[$2, i] = $3
	again[$2, i] = $4 == "again"
	help[$2, i] = $5
	values[$2, i] = tidy($6)
}
files == 1 && $1 == "setting" {
	setting[++settings] = $2
	setting_values[settings] = $3
}
files == 2 && /^@(settings only|end)@$/ {
	skipped = /only/ && !takes_settings
	next
}
skipped { next }
files == 2 && /^@[a-z]+@$/ {
	gsub(/@/, "")
	fill($0)
	next
}
files == 2 {
	gsub(/@program@/, program)
	function_name = program
	gsub(/-/, "_", function_name)
	gsub(/@function@/, function_name)
	print
}

# Words, each once, with one blank between; @any where there is nothing else.
function tidy(text,	word, n, i, seen, out) {
	n = split(text, word, " ")
	for (i = 1; i <= n; i++)
		if (!seen[word[i]]++ && (n == 1 || word[i] != "@any"))
			out = out (out == "" ? "" : " ") word[i]
	if (has(out, "@setting") || has(out, "@key"))
		takes_settings = 1
	return out
}

# Is the kind one of what may be given?
function has(what, kind) { return index(" " what " ", " " kind " ") > 0 }

# Of what may be given, the words that are offered as they are.
function words(what,	word, n, i, out) {
	n = split(what, word, " ")
	for (i = 1; i <= n; i++)
		if (word[i] !~ /^@/)
			out = out (out == "" ? "" : " ") word[i]
	return out
}

# Between quotes, where a quote in the text is written as two.
function quoted(text, quote) {
	gsub(/'/, quote, text)
	return "'" text "'"
}
