# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# A browser for the page; after tests/support.sh.
command -v python3 >/dev/null || skip 'no python3'
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/report python3 -c '
import browser, sys
sys.exit(not browser.program())' || skip 'no chromium'

run() {	# run TEST: Python, with what support.py has
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="tests/report:$tmp" TMP="$tmp" \
		python3 "$@" || fail "${1##*/}"
}
