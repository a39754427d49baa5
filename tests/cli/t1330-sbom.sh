#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make sbom: what our programs and libraries link is in the list, with the
# version that is here, and what packages are built from too.
. tests/support.sh
for c in objdump python3; do
	command -v $c >/dev/null || skip "no $c"
done
case ${SANITIZE-} in ?*) skip 'another library under a sanitizer' ;; esac

have=$(sed -n 's/^FOUND_\([A-Z]*\) := y$/HAVE_\1=y/p' "$O/config.mk")
# shellcheck disable=SC2086 # a list
${MAKE:-make} -s CC="${CC:-cc}" O="$tmp/o" SOURCE_DATE_EPOCH=1700000000 $have \
	sbom
version=$(allocctl --version | sed 's/.* //')
file=$tmp/o/dist/liballoc-$version.spdx.json
mv "$file" "$tmp/first"
# shellcheck disable=SC2086
${MAKE:-make} -s CC="${CC:-cc}" O="$tmp/o" SOURCE_DATE_EPOCH=1700000000 $have \
	sbom
cmp "$tmp/first" "$file" || fail 'another one the second time'
for f in "$O"/bin/allocctl "$O"/bin/cupti-probe "$O"/lib/*.so*; do
	objdump -p "$f" | sed -n 's/^ *NEEDED *//p'
done | sort -u >"$tmp/needed"
for c in zlib liblzma libzstd jansson yaml-0.1; do
	pkg-config --modversion $c 2>/dev/null || :
done >"$tmp/versions"
python3 - "$file" "$tmp/needed" "$tmp/versions" <<'END' || fail "$(cat "$file")"
import json, sys
document, needed, versions = (open(path).read() for path in sys.argv[1:])
d = json.loads(document)
assert d["spdxVersion"] == "SPDX-2.3" and d["dataLicense"] == "CC0-1.0"
assert d["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
ids = [p["SPDXID"] for p in d["packages"]]
assert len(ids) == len(set(ids))
ends = set(ids) | {d["SPDXID"]}
for r in d["relationships"]:
    assert {r["spdxElementId"], r["relatedSpdxElement"]} <= ends, r
assert {r["spdxElementId"] for r in d["relationships"]} | {
    r["relatedSpdxElement"] for r in d["relationships"]} == ends
linked = {r["relatedSpdxElement"] for r in d["relationships"]
          if r["relationshipType"] == "DYNAMIC_LINK"}
objects = {o for p in d["packages"] if p["SPDXID"] in linked
           for o in p["comment"].split("objects: ")[1].split(",")}
missing = set(needed.split()) - objects
assert not missing, missing
said = {p["versionInfo"] for p in d["packages"] if "versionInfo" in p}
assert set(versions.split()) <= said, (versions, said)
print(len(ids), "packages;", len(needed.split()), "shared objects")
END

# What is built without a library does not name it.
without=$(echo "$have" | sed s/HAVE_YAML=y/HAVE_YAML=n/)
# shellcheck disable=SC2086
${MAKE:-make} -s CC="${CC:-cc}" O="$tmp/o" $without sbom
! grep -q libyaml "$file" || fail 'libyaml is there without it'
