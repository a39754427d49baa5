# SPDX-License-Identifier: Apache-2.0
#
## all: build every library and program
all:

include scripts/Makefile.include
include scripts/Makefile.feature
include scripts/Makefile.rules

dirs := liballoc allocctl tests bench
include $(addsuffix /Build,$(dirs))
-include $(deps)

all: $(libs) $(progs)

## check: run unit and CLI tests (T=pattern runs a subset)
check: $(test-progs) $(progs)
	$(Q)scripts/run-tests.sh $(O) $(T)

## lint: exported symbols, mutable globals, self-contained headers
## install: install under DESTDIR with prefix=/usr/local
install: install-lib install-bin

## clean: remove this build flavour; distclean removes all of them
clean:
	$(call msg,CLEAN,$(O))rm -rf $(O)
distclean:
	$(call msg,CLEAN,build)rm -rf build

help:
	@sed -n 's/^## \([a-z-]*\): /  \1\t/p' Makefile | expand -t 14
	@echo '  Variables: V=1 O=dir BUILD=debug SANITIZE=address,undefined T=pattern'

.PHONY: all check lint install clean distclean help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
