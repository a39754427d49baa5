# SPDX-License-Identifier: Apache-2.0
# conf/cards.yaml to rows of struct la_card, for util/card.c to include.
$1 == "-" && $2 == "name:" { name = $3 }
$1 == "total:" { total = $2 }
$1 == "about:" {
	if (name == "" || total !~ /^[0-9]+$/ || $2 !~ /^(yes|no)$/) {
		print FILENAME ":" FNR ": bad card" >"/dev/stderr"
		exit 1
	}
	printf "{ \"%s\", UINT64_C(%s), %s },\n", name, total, \
		$2 == "yes" ? "true" : "false"
	name = total = ""
}
