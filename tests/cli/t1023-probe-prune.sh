#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cupti-probe prune, and what report --write lets go: each rule alone.
# Promise: bounded-space.
. tests/support.sh
. tests/recordings.sh
now=$(date +%s)

see() {	# see NAME...: somebody reads its report
	for name; do
		cupti-probe report "$d/$name.cpr" >/dev/null
	done
}

left() {	# left: what is there
	(cd "$d" && ls) | sed 's/\.cpr$//' | tr '\n' ' '
}

# Age: 30 days since it was last known to run.
write-probe "$d/old.cpr" began=$((now - 31 * 86400))
write-probe "$d/young.cpr" began=$((now - 29 * 86400))
write-probe "$d/unseen.cpr" ooms=1 began=$((now - 31 * 86400))
write-probe "$d/running.cpr" running=$$ began=$((now - 31 * 86400))
run 0 prune --dry-run
has 'would remove old.cpr'
equal 'a dry run' "$(left)" 'old running unseen young '
run 0 prune
has 'removed old.cpr'
equal 'age' "$(left)" 'running unseen young '
run 0 prune --all
equal 'age of all' "$(left)" 'running young '
rm -f "$d"/*

# One that is mapped stays, wherever its process may be.
write-probe "$d/mapped.cpr" began=$((now - 31 * 86400))
if command -v flock >/dev/null; then
	flock -o "$d/mapped.cpr" sleep 20 &
	holder=$!
	sleep 0.3
	run 0 prune
	equal 'a mapped one' "$(left)" 'mapped '
	kill $holder
fi
rm -f "$d"/*

# Five of a kind, and the first that nobody has read about.
for n in 1 2 3 4 5 6 7 8; do
	write-probe "$d/$n.cpr" ooms=1 began=$((now - 1000 + n * 10)) pid=$n
done
write-probe "$d/kind.cpr" ooms=1 exe=/bin/other began=$((now - 2000))
write-probe "$d/size.cpr" ooms=1 size=17179869184 began=$((now - 2000))
see 1 2 3 4 5 6
for n in 1 2 3 4 5 6 kind size; do
	run 0 report --write "$d/$n.cpr"
done
run 0 report --write "$d/7.cpr"
equal 'what is more than five' "$(find "$d" -name '1.*')" ''
run 0 prune
equal 'five' "$(cd "$d" && ls | sed -n 's/\.cpr$//p' | tr '\n' ' ')" \
	'3 4 5 6 7 8 kind size '
run 0 report --write "$d/8.cpr"
equal 'five of a kind' \
	"$(cd "$d" && ls | sed -n 's/\.cpr$//p' | tr '\n' ' ')" \
	'4 5 6 7 8 kind size '
equal 'nothing lies about' "$(find "$d" -name '3*')" ''
rm -f "$d"/*
for n in 1 2 3 4 5 6 7 8; do
	write-probe "$d/$n.cpr" ooms=1 began=$((now - 1000 + n * 10)) pid=$n
done
for n in 1 2 3 4 5 6 7 8; do
	run 0 report --write "$d/$n.cpr"
done
equal 'the first unread one' \
	"$(cd "$d" && ls | sed -n 's/\.cpr$//p' | tr '\n' ' ')" \
	'1 4 5 6 7 8 '
rm -f "$d"/*

# What another user put beside a recording says nothing about it.
if [ "$(id -u)" = 0 ]; then
	write-probe "$d/a.cpr" ooms=1 began=$((now - 31 * 86400))
	run 0 report --write "$d/a.cpr"
	chown 1 "$d"/a.*
	echo 9 >"$d/a.seen"
	chown 2 "$d/a.seen"
	run 0 prune --dry-run
	! grep -q a.cpr "$tmp/out" || fail 'another user has read about an OOM'
	chown 1 "$d/a.seen"
	run 0 prune --dry-run
	has 'would remove a.cpr'
	run 0 list --format json
	has '"signature":"'
	chown 2 "$d/a.report.json"
	run 0 list --format json
	has '"signature":null'
	rm -f "$d"/*

	# Nor are their recordings newer ones of the same kind.
	for n in 1 2 3 4 5 6; do
		write-probe "$d/$n.cpr" ooms=1 began=$((now - 1000 + n * 10))
		see $n
	done
	chown 1 "$d"/[2-6].*
	for n in 1 2 3 4 5 6; do
		run 0 report --write "$d/$n.cpr"
	done
	run 0 prune
	[ -e "$d/1.cpr" ] || fail "of the same kind as another user's"
	rm -f "$d"/*
fi

# Bytes of all: the oldest go.
for n in 1 2 3 4; do
	write-probe "$d/$n.cpr" began=$((now - 1000 + n * 10))
done
CUPTI_PROBE_NODE_SIZE=400K run 0 prune
equal 'bytes' "$(left)" '3 4 '
has 'all together are too large'
CUPTI_PROBE_NODE_SIZE=400K run 0 prune
equal 'once more' "$(cat "$tmp/out")" ''

# Whatever else lies there is not touched.
echo mine >"$d/mine"
echo mine >"$d/text.cpr"
ln -s mine "$d/link.cpr"
CUPTI_PROBE_NODE_SIZE=1 run 0 prune --all
equal 'what else' "$(left)" 'link mine text '

# A disk that is full beyond what is allowed.
run 3 prune "$tmp/none"
CUPTI_PROBE_DIR=$tmp/none run 0 prune
run 2 prune a b
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || exit 0
cat >"$tmp/full" <<'END'
mount -t tmpfs -o size=8m none "$1" || exit 77
write-probe "$1/1.cpr" began=$(($2 - 200))
write-probe "$1/2.cpr" began=$(($2 - 100))
head -c 6700k /dev/zero >"$1/fill"
cupti-probe prune "$1" | grep 'file system is too full'
ls "$1"
END
mkdir "$tmp/disk"
status=0
unshare -m sh "$tmp/full" "$tmp/disk" "$now" >"$tmp/out" 2>&1 || status=$?
[ $status = 77 ] || {
	has 'removed 1.cpr'
	equal 'a full disk' "$(tail -n 2 "$tmp/out" | tr '\n' ' ')" '2.cpr fill '
}
