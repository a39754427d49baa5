#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command tests of main, check and explain, with the program for Windows.
. tests/support.sh
. tests/wine/support.sh

mkdir "$tmp/bin"
cat >"$tmp/bin/allocctl" <<END
#!/bin/sh
exec wine '$windows/bin/allocctl.exe' "\$@"
END
chmod +x "$tmp/bin/allocctl"
PATH=$tmp/bin:$PATH

for t in t0200-main t0201-check t0202-check-json-lines t0203-check-releases \
	t0204-check-policy t0500-explain; do
	status=0
	sh "tests/cli/$t.sh" >"$tmp/log" 2>&1 || status=$?
	# A busy wine may end with 1 before the program starts.
	case $status in
	0|77) ;;
	*)	echo "$t: once more after: $(cat "$tmp/log")"
		status=0
		sh "tests/cli/$t.sh" >"$tmp/log" 2>&1 || status=$? ;;
	esac
	case $status in
	0) echo "$t: passed" ;;
	77) echo "$t: $(tail -n 1 "$tmp/log")" ;;
	*) fail "$t: $(cat "$tmp/log")" ;;
	esac
done
