#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# srun --export, against what tasks of a real srun (22.05) found.
. tests/support.sh

command -v python3 >/dev/null || skip 'no python3'
python3 tests/data/read-slurm.py tests/data/slurm-export.tsv ||
	fail 'srun does something else'
