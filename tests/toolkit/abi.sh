#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What cupti-probe declares of CUDA and CUPTI against headers and libraries of
# NVIDIA's: those of $CUDA_HOME, if there are any, and of the wheels of 11, 12
# and 13.  What an older one lacks is fine; what differs is not.
. tests/support.sh
. tests/toolkit/wheels.sh
inject='cupti-probe/inject'

compile() {	# compile NAME FLAG... : $tmp/NAME.c to $tmp/NAME
	name=$1
	shift
	${CC:-cc} -std=gnu11 -w "$@" -o "$tmp/$name" "$tmp/$name.c" -ldl ||
		fail "$name does not compile"
}

program() {	# program INCLUDE... : statements on stdin
	echo '#include <stddef.h>'
	echo '#include <stdio.h>'
	for header; do echo "#include <$header>"; done
	echo 'int main(void) {'
	cat
	echo 'return 0; }'
}

# Whether a header of the toolkit has a word.
has() {	# has WORD
	grep -q -s -w -e "$1" "$cuda/cuda.h" "$cupti"/cupti_callbacks.h \
		"$cupti"/cupti_result.h
}

# Words of types.txt that the toolkit does not know.
lacks() {
	sed '/^#/d; s/^= //' tests/toolkit/types.txt | tr ' ' '\n' |
		sed 's/.*=//' | sort -u | while read -r word; do
		has "$word" || printf '%s ' "$word"
	done
}

same() {	# same WHAT: every line of $tmp/theirs is one of $tmp/ours
	grep -v -x -F -f "$tmp/ours" "$tmp/theirs" >"$tmp/differ" || return 0
	fail "$version: $1 differs:
$(cat "$tmp/differ")
ours:
$(cut -d' ' -f1 "$tmp/differ" | grep -w -F -f - "$tmp/ours")"
}

layouts() {
	awk -f tests/toolkit/params.awk $inject/abi/calls.txt \
		"$tmp/abi/calls.h" >"$tmp/list"
	program abi/calls.h <"$tmp/list" >"$tmp/a.c"
	compile a -I"$tmp" -I$inject
	awk -f tests/toolkit/params.awk -v suffix=_st $inject/abi/calls.txt \
		"$cupti/generated_cuda_meta.h" >"$tmp/list"
	program cuda.h cupti.h <"$tmp/list" >"$tmp/b.c"
	compile b -I"$cupti" -I"$cuda"
	"$tmp/a" >"$tmp/ours"
	"$tmp/b" >"$tmp/theirs"
	same 'a structure of parameters'
	echo "$version: $(wc -l <"$tmp/theirs") of $(wc -l <"$tmp/ours")" \
		'structures of parameters are the same'
}

types() {
	lacking=$(lacks)
	awk -f tests/toolkit/types.awk -v lacks="$lacking" \
		tests/toolkit/types.txt |
		program abi/calls.h abi/cupti.h >"$tmp/a.c"
	compile a -I"$tmp" -I$inject
	awk -f tests/toolkit/types.awk -v theirs=1 -v lacks="$lacking" \
		tests/toolkit/types.txt | program cuda.h cupti_callbacks.h \
		>"$tmp/b.c"
	# Types of the oldest functions are declared for the driver itself.
	compile b -D__CUDA_API_VERSION_INTERNAL -I"$cupti" -I"$cuda"
	"$tmp/a" >"$tmp/ours"
	"$tmp/b" >"$tmp/theirs"
	same 'a type'
	echo "$version: $(wc -l <"$tmp/theirs") types and numbers are the" \
		"same; not there: ${lacking:-nothing}"
}

ids() {
	sed -n 's/^ *CUPTI_DRIVER_TRACE_CBID_\(cu[A-Za-z0-9_]*\) *= *\([0-9]*\),.*/\1 \2/p' \
		"$cupti/cupti_driver_cbid.h" >"$tmp/all"
	awk '/^cu/ { print $1, $2 }' $inject/abi/calls.txt >"$tmp/ours"
	cut -d' ' -f1 "$tmp/ours" | grep -w -F -f - "$tmp/all" |
		awk 'NR == FNR { ours[$1]; next } $1 in ours' \
			"$tmp/ours" - >"$tmp/theirs"
	[ -s "$tmp/theirs" ] || fail "$version: no ids"
	same 'an id'
}

names() {
	cp tests/toolkit/names.c "$tmp/names.c"
	compile names -I"$tmp" -I$inject
	"$tmp/names" "$library" >"$tmp/answer" || fail "$version: $library"
	got=$(sed -n 's/^version //p' "$tmp/answer")
	if [ "$got" -eq 0 ]; then
		echo "$version: the library says nothing without a driver"
		return
	fi
	awk '/^cu/ && $1 != $2' "$tmp/answer" >"$tmp/differ"
	[ ! -s "$tmp/differ" ] || fail "$version: names: $(cat "$tmp/differ")"
	equal "$version: ids with names in the library and in the header" \
		"$(grep -c ^cu "$tmp/answer")" "$(wc -l <"$tmp/theirs")"
	case ${version%%.*} in
	11) [ "$got" -ge 13 ] && [ "$got" -le 18 ] && second=0 ;;
	12) [ "$got" -ge 19 ] && [ "$got" -le 28 ] && second=0 ;;
	*) [ "$got" -ge 130000 ] && second=1 ;;
	esac || fail "$version: cuptiGetVersion says $got"
	grep -q "^subscribe_v2 $second" "$tmp/answer" ||
		fail "$version: cuptiSubscribe_v2: not $second"
	echo "$version: $(grep -c ^cu "$tmp/answer") names, version $got"
}

# cudaTypedefs.h names every version of a function: PFN_NAME_vSINCE[_ptsz].
since() {
	[ -e "$cuda/cudaTypedefs.h" ] || return 0
	grep -o 'PFN_cu[A-Za-z0-9_]*_v[0-9]*[0-9]\(_ptsz\)\?' \
		"$cuda/cudaTypedefs.h" | sort -u >"$tmp/known"
	awk 'NR == FNR {
		known[$1]
		base = $1
		sub(/_v[0-9]+(_ptsz)?$/, "", base)
		bases[base]
		next
	}
	/^cu/ {
		thread = $1 ~ /_ptsz$/ ? "_ptsz" : ""
		base = $1
		sub(/_ptsz$/, "", base)
		sub(/_v[0-9]$/, "", base)
		name = "PFN_" base "_v" $3 thread
		if (("PFN_" base) in bases && !(name in known) &&
		    $3 <= limit)
			print $1, $3
	}' limit="$(sed -n 's/^#define CUDA_VERSION //p' "$cuda/cuda.h")" \
		"$tmp/known" $inject/abi/calls.txt >"$tmp/differ"
	[ ! -s "$tmp/differ" ] ||
		fail "$version: since: $(cat "$tmp/differ")"
}

check() {	# check FOLDER-OF-CUDA FOLDER-OF-CUPTI LIBRARY
	cuda=$1 cupti=$2 library=$3
	version=$(awk '/^#define CUDA_VERSION/ {
		print int($3 / 1000) "." int($3 % 1000 / 10) }' "$cuda/cuda.h")
	layouts
	types
	ids
	names
	since
	checked=$((checked + 1))
}

checked=0
mkdir -p "$tmp/abi"
awk -f scripts/probe-calls.awk $inject/abi/calls.txt >"$tmp/abi/calls.h"

home=${CUDA_HOME:-/usr/local/cuda}
for library in "$home"/lib*/libcupti.so "$home"/extras/CUPTI/lib64/libcupti.so
do
	if [ -e "$library" ]; then
		headers=$home/extras/CUPTI/include
		[ -e "$headers/cupti.h" ] || headers=$home/include
		check "$home/include" "$headers" "$library"
		break
	fi
done

# From some 13 on only the headers answer without a driver.
for n in 11 12 13.0 13; do
	if ! wheels_of $n; then
		echo "no wheels of $n: $(tail -n 1 "$tmp/pip")"
		continue
	fi
	at=$wheels/$n/nvidia
	# shellcheck disable=SC2046 # one name each
	check $(dirname "$at"/*/include/cuda.h) \
		$(dirname "$at"/*/include/cupti.h) "$(echo "$at"/*/lib/libcupti.so.*)"
done
[ $checked -gt 0 ] || skip 'neither a toolkit nor wheels'
