# SPDX-License-Identifier: Apache-2.0
# Sourced by the heap's tests: where the library and the models are.

SHARED=${SHARED:-../shared}
[ -d "$SHARED/oracle" ] || { echo "no $SHARED/oracle"; exit 77; }
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
[ -z "${SANITIZE-}" ] || { echo 'python3 has no sanitizer'; exit 77; }
export LIBALLOC="${O:-build/release}/lib/liballoc.so"
export PYTHONPATH="$SHARED/oracle:tests/shared" PYTHONDONTWRITEBYTECODE=1
