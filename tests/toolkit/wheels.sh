# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# NVIDIA's wheels of CUPTI and of CUDA's headers, after support.sh.  WHEELS
# keeps them between runs.
wheels=${WHEELS:-$tmp/wheels}
mkdir -p "$wheels"

# Fetch those of a release, 11, 12, 13 or 13.0, into $wheels/RELEASE.
wheels_of() {	# wheels_of RELEASE
	case $1 in
	13) release= ;;
	13.*) release="==$1.*" ;;
	*) release=-cu$1 ;;
	esac
	at=$wheels/$1
	[ ! -e "$at/.done" ] || return 0
	mkdir -p "$at"
	python3 -m pip download -q --no-deps -d "$at" \
		"nvidia-cuda-cupti$release" "nvidia-cuda-runtime$release" \
		>"$tmp/pip" 2>&1 || return 1
	for file in "$at"/*.whl; do
		python3 -m zipfile -e "$file" "$at" || return 1
	done
	: >"$at/.done"
}
