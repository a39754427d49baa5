#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""keep.py RECORDING OUT: a recording of the probe without what is private (host, user, process, boot, GPU, command line,
note), compressed, for tests/data/probe."""
import ctypes
import lzma
import sys


class Header(ctypes.Structure):
    """The first page up to the note: struct la_probe_header of liballoc/probe-format.h."""
    _fields_ = [("magic", ctypes.c_char * 8), ("version", ctypes.c_uint32), ("endian", ctypes.c_uint32),
                ("layout", ctypes.c_uint64 * 9), ("pid", ctypes.c_uint32), ("uid", ctypes.c_uint32),
                ("start_time", ctypes.c_uint64), ("monotonic", ctypes.c_uint64), ("realtime", ctypes.c_uint64),
                ("boot_id", ctypes.c_char * 40), ("host", ctypes.c_char * 64), ("run", ctypes.c_char * 40),
                ("exe", ctypes.c_char * 256), ("arguments", ctypes.c_char * 512), ("setting", ctypes.c_char * 512),
                ("torch", ctypes.c_char * 32), ("job", ctypes.c_char * 192)]


def main():
    with open(sys.argv[1], "rb") as file:
        data = bytearray(file.read())
    header = Header.from_buffer(data)
    if header.magic != b"LAPROBE" or header.version != 1:
        sys.exit("keep.py: not a recording of the probe, of version 1")
    header.pid, header.uid, header.start_time = 4711, 1000, 0
    header.boot_id = b"00000000-0000-0000-0000-000000000000"
    header.host, header.run, header.exe, header.arguments, header.job = b"host", b"", b"/usr/bin/python3", b"", b""
    devices = header.layout[1]
    del header
    data[devices:devices + 16] = bytes(range(1, 17))    # uuid of the first device
    with lzma.open(sys.argv[2], "wb", preset=9 | lzma.PRESET_EXTREME) as file:
        file.write(data)


if __name__ == "__main__":
    main()
