# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154 # tmp is of tests/support.sh
# What the tests of the guides share; read after tests/support.sh.
#
# A code block of a guide says in its first line what becomes of it:
#	sh		run, in the shell of all blocks of the guide; the text
#			block right behind it is what it prints, where ... is
#			a line that stands for any number of lines
#	sh status=N	likewise, and its last command ends with N
#	sh gpu		needs a GPU; printed, not run
#	bash, fish, bat, powershell, python, dockerfile, ini [CODE...]
#			read by allocctl verify, which gives these remarks;
#			removed: the variable is; Python is compiled too
#	c NAME		put into the folder as file NAME
#	text		output of the block before it, or nothing that runs
export LC_ALL=C

# Write each block of a guide to $2/NUMBER.WORD, the first line of the block
# without its backquotes to $2/NUMBER.info; words are as above.
split_guide() {	# split_guide GUIDE FOLDER
	mkdir -p "$2"
	awk -v folder="$2" '
	/^```/ && !file {
		info = substr($0, 4)
		split(info, word, " ")
		name = sprintf("%s/%03d.", folder, ++count)
		print info >(name "info")
		close(name "info")
		file = name word[1]
		printf "" >file
		next
	}
	/^```/ { close(file); file = ""; next }
	file { print >file }' "$1"
}

# Run all sh blocks in one shell in folder $2; the output of block N comes to
# $1/N.out, its status to $1/N.status.
run_blocks() {	# run_blocks BLOCKS FOLDER
	for block in "$1"/*.sh; do
		case $(cat "${block%sh}info") in
		*' gpu')
			sed 's/^/skipped, needs a GPU: /' "$block" >&2
			continue ;;
		esac
		b=${block%.sh}
		echo ". '$block' >'$b.out' 2>&1 </dev/null"
		echo "echo \$? >'$b.status'"
	done >"$1/all"
	(cd "$2" && sh "$1/all") || fail "the shell of $1 ended early"
}

# Does a block print what the guide shows?
matches() {	# matches WANTED GOT
	awk '
	NR == FNR { want[++wants] = $0; next }
	{ got[++gots] = $0 }
	END {
		for (i = j = 1; i <= wants; i++) {
			if (want[i] == "...") {
				any = 1
				continue
			}
			while (any && j <= gots && got[j] != want[i])
				j++
			if (j > gots || got[j] != want[i]) {
				print "not printed: " want[i]
				exit 1
			}
			any = 0
			j++
		}
		if (!any && j <= gots) {
			print "not in the guide: " got[j]
			exit 1
		}
	}' "$1" "$2"
}

check_block() {	# check_block GUIDE BLOCK: a path without .sh
	wanted=$(sed -n 's/.* status=//p' "$2.info")
	[ "$(cat "$2.status")" = "${wanted:-0}" ] || fail "$1: status" \
		"$(cat "$2.status") of: $(cat "$2.sh" "$2.out")"
	next=${2%/*}/$(printf %03d $(($(expr "${2##*/}" : '0*\(.*\)') + 1)))
	[ ! -e "$next.text" ] || matches "$next.text" "$2.out" >"$tmp/differs" ||
		fail "$1: $(cat "$tmp/differs" "$2.sh") prints:
$(cat "$2.out")"
}

check_run() {	# check_run GUIDE: its sh blocks, in a folder of its own
	blocks=$tmp/blocks-$1
	split_guide "docs/guide/$1.md" "$blocks"
	mkdir "$tmp/run-$1" "$tmp/home-$1"
	ln -s "$PWD/tests" "$PWD/conf" "$tmp/run-$1"
	for block in "$blocks"/*.c; do
		[ ! -e "$block" ] || cp "$block" \
			"$tmp/run-$1/$(sed 's/^c //' "${block%c}info")"
	done
	unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF
	unset PYTORCH_NO_CUDA_MEMORY_CACHING XDG_STATE_HOME XDG_CONFIG_HOME
	unset CUPTI_PROBE CUPTI_PROBE_DIR ZDOTDIR ENV BASH_ENV
	HOME=$tmp/home-$1 LANG=C run_blocks "$blocks" "$tmp/run-$1"
	for block in "$blocks"/*.status; do
		check_block "$1" "${block%.status}"
	done
	echo "$1: $(cat "$blocks"/*.status | wc -l) blocks run," \
		"$(cat "$blocks"/*.info | grep -c '^sh gpu$' || :) need a GPU"
}
