# SPDX-License-Identifier: Apache-2.0
"""wheel.py VERSION TAG OUT LIBRARY MODULE LICENSE: write the wheel of
liballoc_torch into the folder OUT and print its path.  The library goes to
lib/ of the environment, where the module looks for it.  The same files give
the same bytes.
"""
import base64
import hashlib
import os
import sys
import zipfile

NAME = "liballoc_torch"
METADATA = """\
Metadata-Version: 2.1
Name: liballoc-torch
Version: {version}
Summary: GPU memory allocator for PyTorch, nearly without fragmentation
License: Apache-2.0
Requires-Python: >=3.8
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: liballoc ({version})
Root-Is-Purelib: false
Tag: py3-none-{tag}
"""
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can say


def read(path):
    with open(path, "rb") as file:
        return file.read()


def contents(version, tag, library, module, license_file):
    info = f"{NAME}-{version}.dist-info"
    data = f"{NAME}-{version}.data/data/lib"
    yield os.path.basename(module), read(module), 0o644
    yield f"{data}/{os.path.basename(library)}", read(library), 0o755
    yield f"{info}/LICENSE", read(license_file), 0o644
    yield f"{info}/METADATA", METADATA.format(version=version).encode(), 0o644
    yield f"{info}/WHEEL", WHEEL.format(version=version,
                                        tag=tag).encode(), 0o644


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"{name},sha256={digest.decode().rstrip('=')},{len(data)}\n"


def add(archive, name, data, mode):
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def main(version, tag, out, *files):
    path = os.path.join(out, f"{NAME}-{version}-py3-none-{tag}.whl")
    record = f"{NAME}-{version}.dist-info/RECORD"
    lines = ""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, mode in contents(version, tag, *files):
            add(archive, name, data, mode)
            lines += record_line(name, data)
        add(archive, record, (lines + record + ",,\n").encode(), 0o644)
    print(path)


main(*sys.argv[1:])
