#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real fish completes commands, options, values and files.
. tests/support.sh
. tests/complete.sh
command -v fish >/dev/null || skip 'no fish'

cat >"$tmp/complete.fish" <<'END'
for program in allocctl cupti-probe
	source packaging/completions/$program.fish
end
while read line
	set words (complete "--do-complete=$line" |
		string replace -r '/?(\t.*)?$' '' | LC_ALL=C sort -u)
	echo "$words"
end
exit 0
END
HOME=$tmp XDG_CONFIG_HOME=$tmp check_completions fish "$tmp/complete.fish"
