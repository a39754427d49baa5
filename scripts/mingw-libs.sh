#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mingw-libs.sh CROSS FOLDER: build what Debian has no packages of for
# Windows, libyaml and jansson, from its source packages: FOLDER/include and
# FOLDER/lib.  CROSS is the prefix of the tools, as x86_64-w64-mingw32-.
# Needs Debian's apt-get and network, and tells why if it fails.
set -eu
cross=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)

[ ! -e "$folder/.built" ] || exit 0
mkdir -p "$folder/include" "$folder/lib" "$folder/lists/partial" \
	"$folder/cache/archives/partial"
folder=$(cd "$folder" && pwd)
command -v apt-get >/dev/null || { echo 'no apt-get' >&2; exit 1; }
sh "$here/debian-sources.sh" | sed -n 's/^deb \(.* bookworm .*\)/deb-src \1/p' \
	>"$folder/sources.list"
[ -s "$folder/sources.list" ] || { echo 'no package sources' >&2; exit 1; }

apt() {	# apt ARGUMENTS: with package lists of its own
	apt-get -q -o Dir::Etc::SourceList="$folder/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$folder/lists" \
		-o Dir::Cache="$folder/cache" \
		-o APT::Sandbox::User=root "$@" >"$folder/log" 2>&1 || {
		tail -n 5 "$folder/log" >&2
		exit 1
	}
}

archive() {	# archive NAME FILES: compile them where they are
	name=$1
	shift
	rm -f "$folder/lib/$name.a"
	for c in "$@"; do
		# shellcheck disable=SC2086 # a list of flags
		"${cross}gcc" -O2 -w $flags -c "$c" -o "${c%.c}.o"
		"${cross}ar" qcs "$folder/lib/$name.a" "${c%.c}.o"
	done
}

cd "$folder"
apt update
apt source --download-only libyaml jansson
for f in *.orig.tar.gz; do tar -xzf "$f"; done

cd "$folder"/libyaml-[0-9]*[0-9]
version=${PWD##*-}
flags="-Iinclude -DYAML_DECLARE_STATIC -DYAML_VERSION_MAJOR=0
	-DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=${version##*.}
	-DYAML_VERSION_STRING=\"$version\""
archive libyaml src/*.c
cp include/yaml.h "$folder/include/"

# Android's configuration is that of a system without a locale's numbers;
# Windows has them.
cd "$folder"/jansson-[0-9]*[0-9]
sed -e 's/\(define JSON_INTEGER_IS_LONG_LONG\).*/\1 1/' \
	-e 's/\(define JSON_HAVE_LOCALECONV\).*/\1 1/' \
	-e '/define JANSSON_CONFIG_H/a #define JSON_HAVE_ATOMIC_BUILTINS 1' \
	-e '/define JANSSON_CONFIG_H/a #define JSON_HAVE_SYNC_BUILTINS 1' \
	android/jansson_config.h >src/jansson_config.h
flags='-Isrc -DHAVE_LOCALE_H -include stdint.h'
: >src/jansson_private_config.h
archive libjansson src/*.c
cp src/jansson.h src/jansson_config.h "$folder/include/"
: >"$folder/.built"
