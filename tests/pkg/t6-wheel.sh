#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wheel in a virtual environment: the module finds its library, enable()
# gives PyTorch its functions, here of a stand-in for torch and for the driver,
# and "allocctl run" starts the environment's Python.  It goes without a trace.
. tests/support.sh
. tests/pkg/support.sh
python3 -c 'import ensurepip, venv' 2>/dev/null || skip 'no python3-venv'
need_packages

set -- "$packages"/liballoc_torch-"$version"-py3-none-manylinux_*_x86_64.whl
[ -e "$1" ] || fail 'no wheel'
glibc=$(echo "$1" | sed 's/.*manylinux_\([0-9_]*\)_x86_64.whl/\1/' | tr _ .)
python3 -m venv "$tmp/venv"
(cd "$tmp/venv" && find . -type f | sort) >"$tmp/before"
pip="$tmp/venv/bin/pip --disable-pip-version-check -q"
$pip install --no-index "$1" || fail 'pip install'
library=$tmp/venv/lib/liballoc-torch.so
equal 'glibc in the tag' "$glibc" "$(sh scripts/glibc-needed.sh "$library")"
equal 'libraries it needs' "$(objdump -p "$library" |
	sed -n 's/^ *NEEDED *//p' | grep -v -x -e 'libc\.so\.6' \
	-e 'libm\.so\.6' -e 'libgcc_s\.so\.1' -e 'libpthread\.so\.0' \
	-e 'libdl\.so\.2')" ''

site=$(echo "$tmp"/venv/lib/python3.*/site-packages)
mkdir "$site/torch"
cp tests/mock/torch.py "$site/torch/__init__.py"
export PYTHONDONTWRITEBYTECODE=1 LD_LIBRARY_PATH="$O/mock" MOCK_CUDA_TOTAL=8G
unset PYTHONPATH LIBALLOC_TORCH

# All that the stand-in has been given comes from the one library.
cat >"$tmp/program.py" <<'END'
import sys
import warnings
warnings.simplefilter("ignore")
import torch
if sys.argv[1:] == ["enable"]:
    import liballoc_torch
    liballoc_torch.enable()
assert torch.empty(5 << 20)
with open("/proc/self/maps") as maps:
    print({line.split()[-1] for line in maps if "liballoc-torch" in line})
END
equal 'library of enable()' \
	"$("$tmp/venv/bin/python" "$tmp/program.py" enable)" "{'$library'}"

# With the packages of the system, below a folder here.
for p in allocctl liballoc0; do
	dpkg-deb -x "$packages/${p}"_*.deb "$tmp/root"
done
equal 'library of allocctl run' "$("$tmp/root/usr/bin/allocctl" run -- \
	"$tmp/venv/bin/python" "$tmp/program.py" 2>"$tmp/err")" \
	"{'$(echo "$tmp"/root/usr/lib/*/liballoc-torch.so)'}"
grep -q '^    peak allocated  5.00 MiB ' "$tmp/err" ||
	fail "allocctl run: $(cat "$tmp/err")"

rm -r "$site/torch"
$pip uninstall -y liballoc-torch
(cd "$tmp/venv" && find . -type f | sort) | diff "$tmp/before" - |
	grep -v __pycache__ | grep '^>' && fail 'pip uninstall leaves files'
exit 0
