# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154 # tmp is of tests/support.sh
# What tests of tune share; read after tests/support.sh.

tune() {	# tune STATUS ARGUMENTS...: the report is in $tmp/out
	wanted=$1
	shift
	status=0
	allocctl tune "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "exit status of tune $*" "$status" "$wanted"
}

member() {	# member KEY: of the JSON report itself
	sed 's/"settings":\[.*\],"warnings"/"warnings"/' "$tmp/out" |
		sed -n 's/.*"'"$1"'":\(\[[^]]*\]\|{[^}]*}\|"[^"]*"\|[^,}]*\).*/\1/p'
}

figure() {	# figure KEY SETTING: of one setting in the JSON report
	sed 's/{"setting":/\n&/g; s/\],"warnings"/\n&/' "$tmp/out" |
		grep -F "{\"setting\":\"$2\"," |
		sed -n 's/.*"'"$1"'":\(\[[^]]*\]\|{[^}]*}\|[^,}]*\).*/\1/p'
}
