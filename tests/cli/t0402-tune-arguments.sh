#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What tune takes and refuses, and how it says so.
. tests/support.sh
. tests/tune.sh

file=tests/data/streams.default.pickle.xz

says() {	# says TEXT: on standard error, and nothing else
	equal 'standard error' "$(cat "$tmp/err")" "allocctl: $1"
	[ ! -s "$tmp/out" ] || fail 'there is output beside an error'
}

tune 2
says 'tune wants a FILE'
tune 2 "$file" --card 1GiB --limit 1GiB
says '--card and --limit exclude each other'
tune 2 "$file" --limit 1XB
tune 2 "$file" --jobs many
tune 2 "$file" --device 7
tune 3 tests/data/none.pickle
tune 0 --help

# torch's own words.
tune 1 "$file" --setting max_split_size_mb:3
says "torch refuses the setting 'max_split_size_mb:3': CachingAllocator option max_split_size_mb too small, must be >= 20"

# Settings stand in the report as they were given.
tune 0 "$file" --format json --setting ' max_split_size_mb : 200 ' \
	--setting roundup_power2_divisions:4
equal 'as given' "$(figure minimum_memory ' max_split_size_mb : 200 ')" \
	375390208
equal 'named once' "$(grep -o '"setting":"roundup_power2_divisions:4",' \
	"$tmp/out" | wc -l | tr -d ' ')" 1

# Another machine's costs: operations of a second each.
cat >"$tmp/costs.yaml" <<'YAML'
context: 0
wait: 0
sizes:
  - size: 2
    malloc: 1000000
    free: 1000000
YAML
if allocctl tune "$file" --costs "$tmp/costs.yaml" --limit 1GiB \
		--format json >"$tmp/out" 2>"$tmp/err"; then
	operations=$(figure device_operations '')
	equal 'seconds' "$(figure estimated_seconds '')" \
		"$(($(figure mallocs '') + $(figure frees ''))).0"
	[ -n "$operations" ] || fail 'no operations'

	# Only a wait costs something: a second for each time that a segment
	# is given back after something was handed out.
	sed 's/: 1000000/: 0/; s/wait: 0/wait: 1000000/' "$tmp/costs.yaml" \
		>"$tmp/waits.yaml"
	tune 0 "$file" --costs "$tmp/waits.yaml" --limit 375390208 \
		--format json
	allocctl replay "$file" --setting '' --limit 375390208 \
		--emit-events "$tmp/events" >"$tmp/replay" || fail 'no waits'
	waits=$(awk -F '"' '
		$4 == "alloc" { idle = 0 }
		$4 == "segment_free" { n += !idle; idle = 1 }
		END { print n + 0 }' "$tmp/events")
	[ "$waits" -gt 0 ] || fail 'nothing waits'
	equal 'seconds of waiting' "$(figure estimated_seconds '')" "$waits.0"

	echo 'sizes: 3' >"$tmp/costs.yaml"
	tune 3 "$file" --costs "$tmp/costs.yaml"
	says "cannot read '$tmp/costs.yaml': line 1, column 8: no list"
	tune 3 "$file" --costs "$tmp/none.yaml"
else
	equal 'without libyaml' "$(cat "$tmp/err")" \
		"allocctl: cannot read '$tmp/costs.yaml': this build has no YAML reader (libyaml)"
fi
