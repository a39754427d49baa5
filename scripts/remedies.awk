# SPDX-License-Identifier: Apache-2.0
# conf/remedies.yaml to rows for triage/remedy-table.c: -v want=remedies or rules.
function bad(why) {
	print FILENAME ":" FNR ": " why >"/dev/stderr"
	failed = 1
	exit 1
}
function quote(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	gsub(/\n/, "\\n", text)
	return "\"" text "\""
}
# Words as the bits of an enumeration.
function bits(words, prefix,	list, n, i, out) {
	n = split(words, list, " ")
	for (i = 1; i <= n; i++)
		out = out (i > 1 ? " | " : "") "(uint64_t)1 << " prefix list[i]
	return out
}
function release(text) {
	if (text !~ /^"[0-9]+\.[0-9]+"$/)
		bad("no release")
	gsub(/"/, "", text)
	sub(/\./, ", ", text)
	return "LA_RELEASE(" text ")"
}
function text_field(key) {
	return key in entry ? "." key " = " quote(entry[key]) ", " : ""
}
function remedy() {
	print "{ " text_field("id") text_field("kind") text_field("setting") \
		text_field("code") ".cost = " entry["cost"] ", " \
		("causes" in entry ? ".causes = " \
		bits(entry["causes"], "LA_CAUSE_") ", " : "") \
		".text = { " quote(entry["en"]) ", " quote(entry["zh"]) " } },"
}
function rule() {
	print "{ " text_field("frameworks") text_field("backends") \
		text_field("forms") text_field("removes") text_field("unless") \
		("kinds" in entry ? ".kinds = " \
		bits(entry["kinds"], "LA_OOM_") ", " : "") \
		("trial" in entry ? ".trials = " \
		bits(entry["trial"], "LA_TRIAL_") ", " : "") \
		("since" in entry ? ".since = " \
		release(entry["since"]) ", " : "") \
		("until" in entry ? ".until = " \
		release(entry["until"]) ", " : "") \
		("truncated" in entry ? ".truncated = true, " : "") \
		".batch = " ("batch" in entry ? "true" : "false") " },"
}
function flush(	key) {
	if (!("id" in entry))
		return
	for (key in needed)
		if (!(key in entry))
			bad(entry["id"] " lacks " key)
	if (entry["kind"] !~ /^(setting|code|command|action)$/)
		bad(entry["id"] ": unknown kind")
	if (entry["cost"] !~ /^[1-9]$/ || entry["cost"] < cost)
		bad(entry["id"] ": the cheapest come first")
	cost = entry["cost"]
	if (want == "remedies")
		remedy()
	else
		rule()
	delete entry
}
BEGIN {
	split("id kind cost en zh", list, " ")
	for (i in list)
		needed[list[i]]
	split("id kind cost setting removes unless causes frameworks " \
	      "backends forms kinds trial since until truncated batch code en zh", list, " ")
	for (i in list)
		known[list[i]]
}
/^#/ || /^$/ { next }
/^remedies:$/ { next }
# A line of a block, or the rest of a value.
/^      / {
	if (!(key in entry))
		bad("nothing to go on with")
	entry[key] = entry[key] (entry[key] == "" ? "" : \
		key == "code" ? "\n" : " ") substr($0, 7)
	next
}
/^  - id: / { flush(); sub(/^  - /, "    ") }
!/^    [a-z]+: ./ { bad("no key and value") }
{
	key = substr($1, 1, length($1) - 1)
	value = $0
	sub(/^ *[a-z]+: /, "", value)
	if (!(key in known) || key in entry)
		bad("unknown or repeated key")
	if (value ~ /: |:$| #/)
		bad("YAML reads this otherwise")
	entry[key] = value == "|" ? "" : value
}
END {
	if (failed)
		exit 1
	flush()
}
