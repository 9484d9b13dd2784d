# SPDX-License-Identifier: Apache-2.0
# The mstx tests by themselves: make mstx-tests [HELPERS=folder of t.c and prof.c]

HELPERS ?= tests/process
mstx_names := $(basename $(notdir $(wildcard tests/process/mstx_*.c)))
mstx_bin := $(mstx_names:%=$(O)/tests/process/%)
mstx_unit_names := $(basename $(notdir $(wildcard tests/unit/test_mstx_*.c)))
mstx_unit_bin := $(mstx_unit_names:%=$(O)/tests/unit/%)
mstx_helper_obj := $(O)/tests/process/helper_t.o $(O)/tests/process/helper_prof.o

$(mstx_helper_obj): $(O)/tests/process/helper_%.o: $(HELPERS)/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all_cflags) -I$(HELPERS) -c -o $@ $<

$(foreach name,$(mstx_names),$(eval cflags-tests/process/$(name) := -I$(HELPERS)))

$(mstx_bin): $(O)/tests/process/%: $(O)/tests/process/%.o $(mstx_helper_obj) $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/../..'

$(mstx_unit_bin): $(O)/tests/unit/%: $(O)/tests/unit/%.o $(runtime_obj)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $^ $(all_ldflags) $(libs_LIBURING) $(libs_CMOCKA)

.PHONY: mstx-tests
mstx-tests: $(mstx_bin) $(mstx_unit_bin)
	$(Q)for t in $(mstx_unit_bin) $(mstx_bin); do \
		printf '%s: ' "$$t"; if "$$t" >$(O)/log 2>&1; then echo ok; else echo "not ok: $$?"; cat $(O)/log; fi; \
	done
	$(Q)BUILD=$(abspath $(O)) TOP=$(CURDIR) sh tests/process/mstx_header.sh && echo 'mstx_header.sh: ok'
