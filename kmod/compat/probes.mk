# SPDX-License-Identifier: GPL-2.0-only
# Compile each probe against the kernel; kmod/compat/probes.h says which worked.
# Each outcome is kept, and found out anew when the probe or the command that
# compiles it changes. A compiler that cannot even compile `works` is an error:
# it would answer every question with no.

asc-probes := $(sort $(notdir $(basename $(wildcard $(src)/kmod/compat/probes/*.c))))
asc-outcomes := $(patsubst %,kmod/compat/probes/%.probe,$(asc-probes))
targets += $(asc-outcomes) kmod/compat/probes.h

asc-probe-flags = $(NOSTDINC_FLAGS) $(LINUXINCLUDE) $(KBUILD_CPPFLAGS) $(KBUILD_CFLAGS) \
	$(KBUILD_CFLAGS_MODULE) -DMODULE -DKBUILD_MODNAME='"probe"' -DKBUILD_BASENAME='"probe"' \
	-Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
	-Werror=int-conversion

asc-probe-name = $(basename $(notdir $@))
quiet_cmd_asc_probe = PROBE   $(asc-probe-name)
      cmd_asc_probe = mkdir -p $(@D); \
	if $(CC) $(asc-probe-flags) -c -o $@.o $< 2>$@.log; then \
		result=1; \
	else \
		result=0; \
		[ $(asc-probe-name) != works ] || { cat $@.log; exit 1; }; \
	fi; \
	rm -f $@.o; \
	echo "\#define ASC_HAVE_$$(echo $(asc-probe-name) | tr a-z A-Z) $$result" >$@

$(addprefix $(obj)/,$(asc-outcomes)): $(obj)/%.probe: $(src)/%.c FORCE
	$(call if_changed,asc_probe)

quiet_cmd_asc_probes = GEN     $@
      cmd_asc_probes = cat $(filter %.probe,$^) >$@

$(obj)/kmod/compat/probes.h: $(addprefix $(obj)/,$(asc-outcomes)) FORCE
	$(call if_changed,asc_probes)

clean-files += kmod/compat/probes.h $(asc-outcomes) $(addsuffix .log,$(asc-outcomes))
