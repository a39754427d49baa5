#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/guide: what does not run.  Lines for other shells and files are read
# as allocctl verify reads them, Python is compiled; links lead somewhere;
# commands and sizes in the text are those of a block; the Chinese guides have
# the blocks of the English ones.
. tests/support.sh
. tests/guide.sh
command -v allocctl >/dev/null || skip 'no allocctl'

kind_of() {	# kind_of WORD: what verify calls it
	case $1 in
	bat) echo cmd ;;
	ini) echo systemd ;;
	bash|powershell|python|dockerfile|fish) echo "$1" ;;
	esac
}

codes() {
	grep -o 'LA[0-9][0-9][0-9]' | sort -u | tr '\n' ' '
}

check_line() {	# check_line GUIDE BLOCK: a path without .info
	read -r word rest <"$2.info"
	kind=$(kind_of "$word")
	case $kind in
	'') return ;;
	python) grep -q ALLOC_CONF "$2.$word" || return 0 ;;
	esac
	allocctl verify --script - --kind "$kind" <"$2.$word" \
		>"$tmp/out" 2>&1 || :
	equal "$1: $(cat "$2.$word"): remarks" "$(codes <"$tmp/out")" \
		"$(echo "$rest" | codes)"
	case $rest in
	'') grep -q ': arrives: ' "$tmp/out" ;;
	removed) grep -q ': removed: ' "$tmp/out" ;;
	esac || fail "$1: $(cat "$2.$word" "$tmp/out")"
	lines=$((lines + 1))
}

check_python() {	# check_python GUIDE BLOCK
	! command -v python3 >/dev/null || python3 -c \
		'import sys; compile(open(sys.argv[1]).read(), "guide", "exec")' \
		"$2" || fail "$1: $(cat "$2")"
}

text_of() {	# text_of FILE: without its blocks
	awk '/^```/ { inside = !inside; next } !inside' "$1"
}

blocks_of() {	# blocks_of FILE
	awk '/^```/ { inside = !inside; print; next } inside' "$1"
}

check_links() {	# check_links FILE
	text_of "$1" | grep -o '](\([^)]*\))' | sed 's/^](//; s/[#)].*//' |
	while read -r link; do
		case $link in
		http*|'') continue ;;
		esac
		[ -e "$(dirname "$1")/$link" ] || fail "$1: no $link"
	done
	text_of "$1" | grep -o '](#[^)]*)' | sed 's/^](#//; s/)$//' |
	while read -r anchor; do
		grep -q "^<a id=\"$anchor\"></a>$" "$1" ||
			fail "$1: no #$anchor"
	done
}

# Commands with arguments, and sizes, that the text names stand in a block.
check_text() {	# check_text FILE
	blocks_of "$1" | sed "s/ \* MIB/ MiB/" >"$tmp/blocks"
	text_of "$1" | grep -o \
		-e '`\(allocctl\|cupti-probe\) [a-z]* [^`]*`' \
		-e '[0-9.]* [KMG]iB' | tr -d '`' | sort -u |
	while read -r said; do
		grep -q -F -e "$said" "$tmp/blocks" ||
			fail "$1: '$said' is in no block"
	done
}

lines=0
for guide in oom settings cluster c; do
	file=docs/guide/$guide.md
	blocks=$tmp/$guide
	split_guide "$file" "$blocks"
	for info in "$blocks"/*.info; do
		check_line "$file" "${info%.info}"
	done
	for python in "$blocks"/*.python; do
		[ ! -e "$python" ] || check_python "$file" "$python"
	done
	blocks_of "$file" >"$tmp/en"
	blocks_of "docs/guide/zh/$guide.md" >"$tmp/zh"
	diff "$tmp/en" "$tmp/zh" >"$tmp/differs" ||
		fail "zh/$guide.md: other blocks: $(cat "$tmp/differs")"
	grep -q "(docs/guide/$guide.md)" README.md || fail "README: no $guide.md"
	for f in "$file" "docs/guide/zh/$guide.md"; do
		check_text "$f"
	done
done
for f in README.md docs/*.md docs/guide/*.md docs/guide/zh/*.md; do
	check_links "$f"
done
echo "$lines lines of other shells and files read"
