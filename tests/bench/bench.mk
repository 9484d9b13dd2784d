# SPDX-License-Identifier: Apache-2.0
# Timings: for reading, never asserted. One table of ratios, each of one run.

bench_bin := $(O)/tests/bench/annotate
bench_obj := $(call objects,tests/bench/annotate.c tests/bench/replica.c $(if $(have_LTTNG),tests/bench/lttng.c))

# Calls go through the table of addresses, as with programs that look the functions up by name.
cflags-tests/bench/annotate := -fno-plt

# The macros of LTTng are not clean C.
cflags-tests/bench/lttng := $(cflags_LTTNG) -w

$(bench_bin): $(bench_obj) $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(bench_obj) $(all_ldflags) -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/../..' $(libs_LTTNG)

.PHONY: bench bench-programs
bench-programs: $(bench_bin)
bench:
	$(call ready,bench)
	$(Q)$(MAKE) bench-programs
	$(Q)O='$(O)' sh tests/bench/bench.sh
