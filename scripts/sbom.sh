#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sbom.sh VERSION DATE FEATURE...: an SPDX 2.3 document in JSON of what
# scripts/dependencies.txt names, with the versions that the build uses; what
# is for a feature that is not named is left out.  Reads PKG_CONFIG.
set -eu
version=$1 date=$2
shift 2
features=" - $* "
tab=$(printf '\t')

version_of() {	# version_of NAME: as the third column says it
	case $1 in
	libc) ldd --version 2>/dev/null | sed -n '1s/.* //p' ;;
	gcc) gcc -dumpfullversion 2>/dev/null ;;
	-) ;;
	*) ${PKG_CONFIG:-pkg-config} --modversion "$1" 2>/dev/null ;;
	esac | tr -cd 'A-Za-z0-9.+:~-'
}

relate() {	# relate FROM KIND TO
	printf ',\n  {"spdxElementId": "SPDXRef-%s", "relationshipType": "%s", "relatedSpdxElement": "SPDXRef-%s"}' \
		"$@"
}

packages=$(mktemp)
relations=$(mktemp)
trap 'rm -f "$packages" "$relations"' EXIT
grep -v '^#' "$(dirname "$0")/dependencies.txt" | while IFS=$tab read -r name \
	feature source licence use objects home; do
	case $features in *" $feature "*) ;; *) continue ;; esac
	found=$(version_of "$source") || :
	comment="used by: $use; shared objects: $objects"
	printf ',\n  {"SPDXID": "SPDXRef-%s", "name": "%s"' "$name" "$name"
	[ -z "$found" ] || printf ', "versionInfo": "%s"' "$found"
	printf ', "downloadLocation": "NOASSERTION", "filesAnalyzed": false, "homepage": "%s", "licenseConcluded": "NOASSERTION", "licenseDeclared": "%s", "copyrightText": "NOASSERTION", "comment": "%s"}' \
		"$home" "$licence" "$comment"
	case $use in
	link) relate liballoc DYNAMIC_LINK "$name" ;;
	load) relate "$name" OPTIONAL_DEPENDENCY_OF liballoc ;;
	test) relate "$name" TEST_DEPENDENCY_OF liballoc ;;
	esac >>"$relations"
done >"$packages"
id=$(cat "$packages" "$relations" | cksum | tr ' ' -)
cat <<END
{
"spdxVersion": "SPDX-2.3",
"dataLicense": "CC0-1.0",
"SPDXID": "SPDXRef-DOCUMENT",
"name": "liballoc-$version",
"documentNamespace": "https://spdx.org/spdxdocs/liballoc-$version-$id",
"creationInfo": {"created": "$date", "creators": ["Tool: liballoc-sbom.sh"]},
"packages": [
  {"SPDXID": "SPDXRef-liballoc", "name": "liballoc", "versionInfo": "$version", "downloadLocation": "NOASSERTION", "filesAnalyzed": false, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION"}$(cat "$packages")
],
"relationships": [
  {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-liballoc"}$(cat "$relations")
]
}
END
