# SPDX-License-Identifier: Apache-2.0
# Examples use the public headers alone.

example_names := mark push_pop range two_models mstx subscribe
example_bin := $(example_names:%=$(O)/examples/%)

$(O)/examples/mark $(O)/examples/push_pop $(O)/examples/range: $(O)/examples/%: \
		$(O)/examples/%.o $(O)/examples/loop.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/..'

$(O)/examples/two_models $(O)/examples/mstx $(O)/examples/subscribe: $(O)/examples/%: $(O)/examples/%.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/..'

examples: $(example_bin)
