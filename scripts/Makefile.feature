# SPDX-License-Identifier: Apache-2.0
# Optional libraries: probed once for each flavour, kept in $(O)/config.mk.
# A probe is repeated when compiler or flags change or a header appears.
# HAVE_X=y on the command line makes absence an error, HAVE_X=n leaves X out.

##= HAVE_X=y|n      X of ZLIB LZMA ZSTD JANSSON YAML CHECK: demand or not

for-ZLIB    := .gz recordings (zlib1g-dev or zlib-devel)
for-LZMA    := .xz recordings (liblzma-dev or xz-devel)
for-ZSTD    := .zst recordings (libzstd-dev or libzstd-devel)
for-JANSSON := companion files, check --json-lines (libjansson-dev or jansson-devel)
for-YAML    := tune --costs, check --policy (libyaml-dev or libyaml-devel)
for-CHECK   := unit tests in make check (check or check-devel)

# Goals that compile nothing do not probe.
no-probe := clean distclean help docs deb rpm release dist check-macos
ifneq ($(filter-out $(no-probe),$(or $(MAKECMDGOALS),all)),)

headers := zlib.h lzma.h zstd.h jansson.h yaml.h check.h
probe-key := $(strip $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(PKG_CONFIG) \
	$(wildcard $(headers:%=/usr/include/%) \
	$(headers:%=/usr/local/include/%)))
$(O)/.probe: FORCE
	@mkdir -p $(@D)
	@echo '$(probe-key)' | cmp -s - $@ || echo '$(probe-key)' >$@
$(O)/config.mk: scripts/probe.sh $(O)/.probe
	$(call msg,PROBE,$@)CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' \
		CFLAGS='$(CPPFLAGS) $(CFLAGS)' LDFLAGS='$(LDFLAGS)' \
		sh $< >$@
include $(O)/config.mk

define feature-rules
HAVE_$(1) ?= $$(FOUND_$(1))
ifeq ($$(HAVE_$(1))$$(FOUND_$(1)),yn)
$$(error HAVE_$(1)=y, but it is not there; it is for $$(for-$(1)))
endif
endef

ifneq ($(FOUND_ZLIB),)
$(foreach f,$(features),$(eval $(call feature-rules,$(f))))

# Said after probing, not at every make.
ifneq ($(MAKE_RESTARTS),)
$(foreach f,$(features),$(if $(filter y,$(HAVE_$f)),,\
	$(info $()  without $f: no $(for-$f))))
endif
endif

cppflags += $(foreach f,$(filter-out CHECK,$(features)),\
	$(if $(filter y,$(HAVE_$f)),-DHAVE_$f))
COMPRESSION_LIBS := $(if $(filter y,$(HAVE_ZLIB)),-lz) \
	$(if $(filter y,$(HAVE_LZMA)),-llzma) \
	$(if $(filter y,$(HAVE_ZSTD)),-lzstd)
JANSSON_LIBS := $(if $(filter y,$(HAVE_JANSSON)),-ljansson)
YAML_LIBS := $(if $(filter y,$(HAVE_YAML)),-lyaml)
endif
