# SPDX-License-Identifier: Apache-2.0
# One graph: every folder's Build file adds to the lists used here.
#
## all: build every library and program
all:

include scripts/Makefile.include
include scripts/Makefile.feature
include scripts/Makefile.rules

dirs := liballoc allocctl cupti-probe tests bench scripts/completions
include $(addsuffix /Build,$(dirs))

include scripts/Makefile.lint
include scripts/Makefile.install
include scripts/Makefile.package
include scripts/Makefile.release

all: $(libs) $(progs)

tier = $(Q)O='$(O)' SHARED='$(SHARED)' SANITIZE='$(SANITIZE)' \
	CC='$(CC)' CXX='$(CXX)' MAKE='$(MAKE)' \
	scripts/run-tests.sh '$(T)'

## test-progs: build the test programs without running them
test-progs: $(test-progs) $(tool-progs)

# Test scripts of a folder: those that begin with #!; others are sourced.
scripts-in = $(sort $(shell grep -ls '^#!' /dev/null $(wildcard $1/*.sh)))

## check: run unit, fuzz and command tests (T=pattern runs a subset)
check: $(libs) $(progs) $(test-progs) $(tool-progs) $(bench-progs)
	$(tier) $(test-progs) $(call scripts-in,tests/cli) $(untested)

## check-shared: compare with the large set of recordings (SHARED=dir)
check-shared: $(libs) $(progs) $(tool-progs)
	$(if $(wildcard $(SHARED)/.),$(tier) \
		$(call scripts-in,tests/shared),\
		@echo 'skipped: no recordings in $(SHARED); say SHARED=dir'; \
		echo '0 passed, 0 failed, 1 skipped')

## check-torch: ask the libraries of torch's wheels (network, 0.8 GB each)
check-torch: $(libs) $(progs) $(tool-progs)
	$(tier) -s $(call scripts-in,tests/wheels)

## check-packages: install, compile clients, build deb and rpm, run both
check-packages: $(libs) $(progs)
	$(tier) -s $(call scripts-in,tests/pkg)

## check-toolkit: types and ids against CUDA and CUPTI 11 to 13 (network)
check-toolkit: $(tool-progs)
	$(tier) -s $(call scripts-in,tests/toolkit)

## check-shells: read many lines as each installed shell does
check-shells: $(tool-progs)
	$(tier) -s $(call scripts-in,tests/shells)

## check-wine: the command for Windows (mingw-w64 and wine)
check-wine: $(progs) $(tool-progs)
	$(tier) -s $(call scripts-in,tests/wine)

## check-macos: compile the command for macOS, unrun (network: PyPI's ziglang)
check-macos:
	$(tier) -s $(call scripts-in,tests/macos)

## check-system: systemd, PAM, cron, Slurm... for real (root and network)
check-system: $(libs) $(progs) $(tool-progs)
	$(tier) -s $(call scripts-in,tests/system)

## check-slurm: a Slurm of four nodes on this host (root)
check-slurm: $(libs) $(progs)
	$(tier) -s $(call scripts-in,tests/slurm)

## check-metrics: Prometheus reads what is written for it (network)
check-metrics: $(progs) $(tool-progs)
	$(tier) -s $(call scripts-in,tests/metrics)

## check-report: pages of allocctl report in a browser (chromium)
check-report: $(progs) $(tool-progs)
	$(tier) -s $(call scripts-in,tests/report)

## check-gpu: with torch on an NVIDIA GPU that nothing else uses
check-gpu: $(libs) $(progs) $(tool-progs)
	$(tier) -s $(call scripts-in,tests/gpu)

## lint: exports, globals, folder dependencies, headers, style
## docs: API documentation (Doxygen) under $(O)/docs
docs:
	$(if $(shell command -v doxygen),,$(error docs needs doxygen))
	@mkdir -p $(O)/docs
	$(call msg,DOXYGEN,$(O)/docs)(cat docs/Doxyfile; \
		echo 'PROJECT_NUMBER = $(version)'; \
		echo 'OUTPUT_DIRECTORY = $(O)/docs') | doxygen -

## completions: write packaging/completions from the tables of the programs
## bench: measure what needs no GPU into bench/results (QUICK=1: try it)
bench: $(libs) $(progs) $(bench-progs) $(tool-progs)
	$(Q)O='$(O)' SHARED='$(SHARED)' CC='$(CC)' T='$(T)' QUICK='$(QUICK)' \
		sh bench/run.sh

## install: install under DESTDIR with prefix=/usr/local
## install-docs: install the API documentation and guides, in docdir
## deb: build Debian packages into $(O)/deb
## rpm: build RPM packages into $(O)/rpm
## wheel: build the wheel of liballoc_torch into $(O)/wheel
## release: all three within Debian 11, into $(O)/packages (root, network)
## dist: write the sources of this commit into $(O)/dist
## sbom: write an SPDX list of dependencies into $(O)/dist
## clean: remove this flavour's output
clean:
	$(call msg,CLEAN,$(O))rm -rf '$(O)'

## distclean: remove the output of all flavours
distclean:
	$(call msg,CLEAN,build)rm -rf build

help:
	@sed -n 's/^## \([a-z-]*\): /  \1\t/p' Makefile | expand -t 18
	@sed -n 's/^##= \(.*[^ ]\)   */  \1\t/p' scripts/Makefile.* | \
		expand -t 18

.PHONY: all check check-shared check-torch check-packages check-system \
	check-shells check-toolkit check-wine check-macos check-gpu check-slurm \
	check-metrics check-report \
	test-progs lint docs bench \
	install deb rpm wheel release clean distclean help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

-include $(deps)
