# SPDX-License-Identifier: GPL-2.0-only
# Compile each probe against the kernel; kmod/compat/probes.h says which worked.
# The outcome of each is kept and done again when the probe or the kernel's
# configuration changes.

asc-probes := $(sort $(notdir $(basename $(wildcard $(src)/kmod/compat/probes/*.c))))
asc-outcomes := $(patsubst %,$(obj)/kmod/compat/probes/%.probe,$(asc-probes))

asc-probe-flags = $(NOSTDINC_FLAGS) $(LINUXINCLUDE) $(KBUILD_CPPFLAGS) $(KBUILD_CFLAGS) \
	$(KBUILD_CFLAGS_MODULE) -DMODULE -DKBUILD_MODNAME='"probe"' -DKBUILD_BASENAME='"probe"' \
	-Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
	-Werror=int-conversion

$(obj)/kmod/compat/probes/%.probe: $(src)/kmod/compat/probes/%.c $(wildcard include/config/auto.conf)
	@mkdir -p $(@D)
	@if $(CC) $(asc-probe-flags) -c -o $(@:.probe=.tmp) $< 2>$(@:.probe=.log); then \
		result=1; answer=yes; \
	else \
		result=0; answer=no; \
	fi; \
	name=$$(echo '$*' | tr 'a-z' 'A-Z'); \
	echo "  PROBE   $*: $$answer"; \
	echo "#define ASC_HAVE_$$name $$result" >$@; \
	rm -f $(@:.probe=.tmp)

$(obj)/kmod/compat/probes.h: $(asc-outcomes)
	@{ echo '/* made by kmod/compat/probes.mk */'; cat $^; } >$@

clean-files += kmod/compat/probes.h $(patsubst %,kmod/compat/probes/%.probe,$(asc-probes)) \
	$(patsubst %,kmod/compat/probes/%.log,$(asc-probes))
