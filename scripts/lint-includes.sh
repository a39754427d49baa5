#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint-includes.sh [ROOT]: who may include whom (docs/architecture.md).  A
# public header belongs to the folder of its name; error.h, event.h and
# version.h belong to util.  What is not named here is nobody's business:
# a header of the system, or one beside the file.
set -eu
cd "${1:-.}"

{
	for d in liballoc/*/; do
		d=${d%/}
		[ "$d" = liballoc/include ] && continue
		find "$d" -name '*.[ch]' | sed "s|^|${d##*/} |"
	done
	for h in liballoc/include/liballoc/*.h; do
		n=${h##*/}
		echo "${n%.h} $h"
	done
	find allocctl -name '*.[ch]' | sed 's|^|allocctl |'
	find cupti-probe/report -name '*.[ch]' | sed 's|^|report |'
	for d in cupti-probe/inject/*/; do
		d=${d%/}
		find "$d" -name '*.[ch]' | sed "s|^|${d##*/} |"
	done
} | awk '
BEGIN {
	may["util"] = ""
	may["setting"] = "util"
	may["script"] = "util setting"
	may["env"] = "util setting script"
	may["device"] = "util"
	may["heap"] = "util device setting"
	may["trace"] = "util format"
	may["replay"] = "util heap device trace setting"
	may["allocator"] = "util heap device setting"
	may["torch"] = "util allocator heap device setting trace env"
	may["triage"] = "util format replay trace setting env script"
	may["view"] = "util replay trace heap device setting"
	may["allocctl"] = "util public"
	may["report"] = "util public allocctl"
	may["format"] = ""
	may["abi"] = may["loader"] = ""
	may["core"] = "format abi"
	may["preload"] = "abi core loader"
	may["cupti"] = "abi core loader preload"
	home["probe-format"] = "format"
	home["plugin"] = "torch"
	home["probe"] = "trace"
	home["error"] = home["event"] = home["version"] = "util"
	for (f in may)
		folder[f] = 1
}
function belongs(name) { return name in home ? home[name] : name }
function allowed(from, to,	list, i, n) {
	if (from == to)
		return 1
	n = split(may[from], list, " ")
	for (i = 1; i <= n; i++)
		if (list[i] == to)
			return 1
	return 0
}
function check(from, file, line, path,	part, to) {
	split(path, part, "/")
	if (path ~ /^liballoc\/include\// || path ~ /^\.\.\//) {
		bad(file, line, path, "write it as <liballoc/...>")
	} else if (path ~ /^liballoc\/[a-z-]+\.h$/) {
		to = substr(part[2], 1, length(part[2]) - 2)
		if (!allowed(from, belongs(to)) && !allowed(from, "public"))
			bad(file, line, path, from " may not include " belongs(to))
	} else if (part[1] == "tests") {
		bad(file, line, path, "nothing includes from tests")
	} else if (part[1] in folder && path ~ /\//) {
		if (!allowed(from, part[1]))
			bad(file, line, path, from " may not include " part[1])
	}
}
function bad(file, line, path, why) {
	printf "%s:%d: includes %s: %s\n", file, line, path, why
	status = 1
}
{
	from = belongs($1)
	if (!(from in folder)) {
		printf "%s: folder %s is not in lint-includes.sh\n", $2, from
		status = 1
	}
	for (n = 1; (getline text < $2) > 0; n++)
		if (match(text, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]*/)) {
			text = substr(text, RSTART, RLENGTH)
			sub(/.*[<"]/, "", text)
			check(from, $2, n, text)
		}
	close($2)
}
END { exit status }' >&2
