# SPDX-License-Identifier: Apache-2.0
# Examples use the public headers alone.

# the C++ compiler that goes with the one for C, also where that is another architecture's
cxx_of = $(if $(findstring clang,$(1)),$(subst clang,clang++,$(1)),$(if $(findstring gcc,$(1)),$(subst gcc,g++,$(1)),c++))
example_cxx := $(if $(filter default,$(origin CXX)),$(call cxx_of,$(CC)),$(CXX))
example_loops := mark push_pop range
example_names := two_models mstx subscribe from_file rank
example_bin := $(example_loops:%=$(O)/examples/%) $(example_names:%=$(O)/examples/%)

$(example_loops:%=$(O)/examples/%): $(O)/examples/%: $(O)/examples/%.o $(O)/examples/loop.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/..'

$(example_names:%=$(O)/examples/%): $(O)/examples/%: $(O)/examples/%.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/..'

# C++ where there is a compiler for it
ifneq ($(shell command -v $(firstword $(example_cxx))),)
example_bin += $(O)/examples/scopes
endif

$(O)/examples/scopes: examples/scopes.cc $(O)/libascprof.so
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(example_cxx) $(filter-out -std=gnu11 -Wstrict-prototypes -Wmissing-prototypes,$(all_cflags)) -std=c++11 \
		-o $@ $< $(all_ldflags) -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/..'

examples: $(example_bin)
