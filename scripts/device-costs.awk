# SPDX-License-Identifier: Apache-2.0
# conf/device-costs.yaml to members of struct la_costs, for replay/costs.c.
function bad(why) {
	print FILENAME ":" FNR ": " why >"/dev/stderr"
	failed = 1
	exit 1
}
/^#/ || /^sizes:$/ { next }
{ sub(/^ *- /, ""); sub(/^ */, "") }
$2 !~ /^[0-9]+(\.[0-9]+)?$/ { bad("no number") }
$1 == "context:" { printf ".context = UINT64_C(%s) << 20,\n", $2; next }
$1 ~ /^(wait|order):$/ {
	printf ".%s = %s,\n", substr($1, 1, length($1) - 1), $2
	next
}
$1 == "size:" {
	printf ".point[%d].size = UINT64_C(%s) << 20,\n", points++, $2
	next
}
$1 ~ /^(malloc|free|map|unmap|create|attach|detach|release):$/ && points {
	printf ".point[%d].%s = %s,\n", points - 1, substr($1, 1,
		length($1) - 1), $2
	next
}
{ bad("unknown key") }
END {
	if (failed)
		exit 1
	printf ".point_count = %d,\n", points
}
