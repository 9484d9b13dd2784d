# SPDX-License-Identifier: Apache-2.0
# The kernel module, built outside the source tree: the sources are copied into
# $(O)/kmod/<kernel>[-arch]/ and Kbuild works there, so nothing is ever written
# beside them and several kernels can be built side by side.
#
#   make module           for KDIR
#   make module-kunit     the KUnit suites; KUNIT=folder of a kunit.ko built for KDIR
#                         (empty if the kernel has KUnit itself)
#   make module-fakepmu   PMUs of a Kunpeng server, for tests
#   make module-check     sparse, W=1, and checkpatch if CHECKPATCH names it; with KSTRICT=
#                         warnings do not end it, because headers may have some of their own
#   make module-install   into the module tree of KDIR's kernel (below DESTDIR)
#
# KDIR: kernel build folder; KARCH: Kbuild's ARCH; KCROSS: tool prefix;
# KFLAGS: more for Kbuild, as LLVM=1; KRUN: command that runs Kbuild's make.

KDIR ?= $(firstword $(shell ls -d /usr/src/linux-headers-*-cloud-amd64 2>/dev/null | sort -Vr) \
	/lib/modules/$(shell uname -r)/build)
KARCH ?=
KCROSS ?=
KFLAGS ?=
KRUN ?=
KUNIT ?=
CHECKPATCH ?=
KSTRICT ?= 1

kmod_release = $(or $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null),$(notdir $(KDIR)))
kmod_arch = $(if $(KARCH),-$(KARCH))
kmod_folder = $(O)/kmod/$(kmod_release)$(kmod_arch)
kunit_folder = $(O)/kunit/$(kmod_release)$(kmod_arch)
fakepmu_folder = $(O)/fakepmu/$(kmod_release)$(kmod_arch)
kmod_module = $(kmod_folder)/ascprof.ko

kmod_sources := Kbuild VERSION $(wildcard uapi/*.h) $(shell find kmod -name '*.[ch]' -o -name probes.mk)
fakepmu_sources := $(wildcard tests/qemu/fakepmu/*)
kunit_sources := $(kmod_sources) $(shell find tests/kunit -name '*.[ch]' -o -name Kbuild)

# $(call kmod_copy,folder,files): copies what differs; times stand for contents
kmod_copy = for f in $(2); do \
		cmp -s $$f $(1)/$$f || { mkdir -p $(1)/$$(dirname $$f) && cp $$f $(1)/$$f; } || exit 1; \
	done

# $(call kbuild,folder,rest of the command): runs Kbuild. What this make was
# told about O, V, CC and the like is not for the kernel's makefiles.
kbuild = $(KRUN) env -u ARCH -u CROSS_COMPILE -u CFLAGS -u LDFLAGS -u O -u V \
	$(MAKE) -C $(KDIR) M=$(abspath $(1)) $(if $(V),V=1,--no-print-directory) \
	$(if $(KARCH),ARCH=$(KARCH)) $(if $(KCROSS),CROSS_COMPILE=$(KCROSS)) $(KFLAGS) $(2)

.PHONY: module module-kunit module-fakepmu module-check module-install
module module-kunit module-fakepmu module-check module-install: MAKEOVERRIDES =

module:
	$(call say,KBUILD,$(kmod_module))
	$(Q)$(call kmod_copy,$(kmod_folder),$(kmod_sources))
	$(Q)+$(call kbuild,$(kmod_folder),modules)

module-kunit:
	$(call say,KBUILD,$(kunit_folder)/tests/kunit/ascprof_kunit.ko)
	$(Q)$(call kmod_copy,$(kunit_folder),$(kunit_sources))
	$(Q)+$(call kbuild,$(kunit_folder)/tests/kunit,$(if $(KUNIT),KBUILD_EXTRA_SYMBOLS=$(abspath $(KUNIT))/Module.symvers) modules)

module-fakepmu:
	$(call say,KBUILD,$(fakepmu_folder)/tests/qemu/fakepmu/ascprof_fakepmu.ko)
	$(Q)$(call kmod_copy,$(fakepmu_folder),$(fakepmu_sources))
	$(Q)+$(call kbuild,$(fakepmu_folder)/tests/qemu/fakepmu,modules)

# (newer kernels ask a script whether sparse is new enough, which their headers lack, and would leave it out)
# Warnings count as errors here, unless the caller judges them. Always everything, in a folder of its own.
module-check:
	$(Q)rm -rf $(kmod_folder)-check && mkdir -p $(kmod_folder)-check
	$(Q)$(call kmod_copy,$(kmod_folder)-check,$(kmod_sources))
	$(Q)+$(call kbuild,$(kmod_folder)-check,W=1 C=2 KBUILD_CHECKSRC=2 CF='-D__CHECK_ENDIAN__$(if $(KSTRICT), -Wsparse-error)' $(if $(KSTRICT),KCFLAGS=-Werror) modules)
ifneq ($(CHECKPATCH),)
	$(Q)$(checkpatch) $(filter-out uapi/% %/user_shim.h kmod/trace.h,\
		$(filter %.c %.h,$(kunit_sources)))
	$(Q)$(filter-out -f,$(checkpatch)) --ignore PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE -f kmod/trace.h \
		$(filter %.c,$(fakepmu_sources))
	$(Q)$(filter-out -f,$(checkpatch)) --ignore BIT_MACRO -f $(wildcard uapi/*.h)
endif

# (what it would rather have us call, older kernels have not: 4.19 has no xarray that gives numbers in
# turn; and they do not take const; what those said of bool, nobody says any more)
checkpatch = $(CHECKPATCH) --no-tree --strict --terse --quiet --max-line-length=100 \
	--ignore ALLOC_WITH_SIZEOF,BOOL_MEMBER,CONST_STRUCT,DEPRECATED_API -f

module-install: module
	$(Q)+$(call kbuild,$(kmod_folder),$(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install)
