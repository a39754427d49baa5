# SPDX-License-Identifier: Apache-2.0
# conf/presets.yaml to rows for setting/preset.c: -v want=presets or replays.
function bad(why) {
	print FILENAME ":" FNR ": " why >"/dev/stderr"
	failed = 1
	exit 1
}
function flush() {
	if (row != "")
		print "{ " row "},"
	row = ""
}
/^#/ || /^$/ { next }
/^[a-z]+:$/ { flush(); section = substr($1, 1, length($1) - 1); next }
section !~ /^(presets|replays)$/ { bad("unknown section") }
/^  - / { flush(); sub(/^  - /, "    ") }
!/^    [a-z]+: ./ { bad("no key and value") }
section != want { next }
{
	key = substr($1, 1, length($1) - 1)
	value = $0
	sub(/^ *[a-z]+: /, "", value)
	if (value ~ /["\\]/)
		bad("a quote or backslash")
}
key ~ /^(name|by|of|settings|source)$/ && want == "presets" ||
key == "setting" && want == "replays" {
	row = row "." key " = \"" value "\", "
	next
}
key ~ /^(share|step)$/ && want == "presets" && value ~ /^[0-9]+$/ {
	row = row "." key " = " value ", "
	next
}
key ~ /^(needs|reserves)$/ && want == "replays" &&
value ~ /^[0-9.]+ [0-9.]+$/ {
	sub(/ /, ", ", value)
	row = row "." key " = { " value " }, "
	next
}
{ bad("unknown key or bad value") }
END {
	if (failed)
		exit 1
	flush()
}
