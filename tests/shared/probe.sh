#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the probe would have recorded of each recording: those of one stream are
# reproduced as the snapshot is, and OOMs have the cause that the snapshot has
# without its companion, from which the probe has no cap.
. tests/support.sh
export LC_ALL=C

counts() {	# counts FILE: what the self-check reproduced
	allocctl replay "$1" 2>&1 | sed -n 's/^self-check[^:]*: //p'
}

cause() {	# cause FILE: of its OOM, if there is one
	allocctl triage "$1" 2>/dev/null </dev/null |
		sed -n '1s/\([A-Z_]*\)[,:] .*/\1/p'
}

right=0
for file in $(find "$SHARED/traces" -name '*.pickle.xz' | sort); do
	case $file in
	*/windows/* | */setters/* | */random/*)
		continue # they start late, or change their setting
		;;
	*/streams.* | */graphs.*)
		continue # several streams
		;;
	esac
	probe-of "$file" "$tmp/it.cpr" || fail "probe-of $file"
	cp "$file" "$tmp/alone.pickle.xz"
	equal "what is reproduced of $file" "$(counts "$tmp/it.cpr")" \
		"$(counts "$file")"
	equal "cause of $file" "$(cause "$tmp/it.cpr")" \
		"$(cause "$tmp/alone.pickle.xz")"
	right=$((right + 1))
done
[ $right -ge 50 ] || fail "only $right recordings"
echo "$right recordings"
