#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What systemd-coredump writes into the journal of a process that died, and
# allocctl env --core reads there.
. tests/support.sh
. tests/system/support.sh

# An entry that the journal has in escapes, or, with a byte that is no UTF-8,
# as numbers.
printf 'a:1,"b\\n%%\t\303\251\n%s=other:1' $V >"$test/in/escapes"
printf 'a:1\377' >"$test/in/bytes"
printf 'max_split_size_mb:128' >"$test/in/plain"
cat >"$test/in/dump" <<END
#!/bin/sh
# As the kernel calls it for a process that got a SIGSEGV.
V=$V
END
cat >>"$test/in/dump" <<'END'
value=$(cat "/test/in/$1"; echo .)
env "$V=${value%.}" sleep 100 &
pid=$!
until [ "$(cat /proc/$pid/comm)" = sleep ]; do
	sleep 0.1
done
/lib/systemd/systemd-coredump $pid 0 0 11 "$(date +%s)" 0 node </dev/null
tries=0
until journalctl -q -o json --all COREDUMP_PID=$pid >"/test/out/$1" &&
	[ -s "/test/out/$1" ] || [ $tries -gt 50 ]; do
	sleep 0.2
	tries=$((tries + 1))
done
kill $pid
END
chmod +x "$test/in/dump"
boot <<'END'
for name in escapes bytes plain; do
	/test/in/dump $name
done
END

for name in escapes bytes plain; do
	[ -s "$test/out/$name" ] || fail "no record of $name"
	status=0
	allocctl env --core "$test/out/$name" --format json >"$tmp/out" \
		2>"$tmp/err" || status=$?
	[ $status -le 1 ] ||
		fail "$name: $(cat "$tmp/err" "$test/out/$name")"
	python3 - "$tmp/out" "$test/in/$name" $V <<-'END' || fail "$name differs"
	import json, sys
	said = json.load(open(sys.argv[1], encoding="utf-8",
	                      errors="surrogateescape"))
	wanted = open(sys.argv[2], "rb").read().decode("utf-8", "replace")
	got = {v["name"]: v["value"] for v in said["variables"]}
	print(got, wanted)
	sys.exit(got != {sys.argv[3]: wanted})
	END
done
