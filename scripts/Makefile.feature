# SPDX-License-Identifier: Apache-2.0
# Probe once per flavour, cache in $(O)/config.mk; HAVE_X=y|n on the command
# line overrides.  Goals that compile nothing do not probe.

no-probe := clean distclean help
ifneq ($(filter-out $(no-probe),$(or $(MAKECMDGOALS),all)),)
$(O)/config.mk: scripts/probe.sh
	@mkdir -p $(@D)
	$(call msg,PROBE,$@)CC='$(CC)' PKG_CONFIG='$(or $(PKG_CONFIG),pkg-config)' \
		CUDA='$(or $(CUDA),/usr/local/cuda)' sh $< >$@
include $(O)/config.mk
endif
COMPRESSION_LIBS := $(if $(filter y,$(HAVE_ZLIB)),-lz) \
	$(if $(filter y,$(HAVE_LZMA)),-llzma) $(if $(filter y,$(HAVE_ZSTD)),-lzstd)
JANSSON_LIBS := $(if $(filter y,$(HAVE_JANSSON)),-ljansson)
cppflags += $(foreach f,ZLIB LZMA ZSTD JANSSON,$(if $(filter y,$(HAVE_$f)),-DHAVE_$f))
