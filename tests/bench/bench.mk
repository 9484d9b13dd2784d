# SPDX-License-Identifier: Apache-2.0
# Timings: for reading, never asserted. Ratios, each of one run. To add a row to the second table: tests/bench/table.h.

bench_bin := $(O)/tests/bench/annotate
bench_obj := $(call objects,tests/bench/annotate.c tests/bench/quiet.c $(if $(have_LTTNG),tests/bench/lttng.c))

# What it costs to call a library at all.
bench_empty := $(O)/tests/bench/libempty.so
cflags-tests/bench/empty := -fPIC -falign-functions=32
$(bench_empty): $(O)/tests/bench/empty.o
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -shared -Wl,-soname,libempty.so -o $@ $< $(all_ldflags)

# The conventional design, built as such libraries are: its functions call each other as those of others.
bench_replica := $(O)/tests/bench/libreplica.so
cflags-tests/bench/replica := -fPIC -fvisibility=default -fstack-protector-all
$(bench_replica): $(O)/tests/bench/replica.o
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -shared -Wl,-soname,libreplica.so -o $@ $< $(all_ldflags)

# Calls go through the table of addresses, as with programs that look the functions up by name.
cflags-tests/bench/annotate := -fno-plt

# The macros of LTTng are not clean C.
cflags-tests/bench/lttng := $(cflags_LTTNG) -w

$(bench_bin): $(bench_obj) $(O)/libascprof.so $(bench_empty) $(bench_replica)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(bench_obj) $(all_ldflags) -L$(O) -lascprof -L$(@D) -lempty -lreplica \
		-Wl,-rpath,'$$ORIGIN/../..:$$ORIGIN' $(libs_LTTNG)

# from inside, with the library's objects: the way to disk, and what a session costs
bench_table := $(O)/tests/bench/table
bench_table_obj := $(call objects,$(addprefix tests/bench/,table.c flush.c session.c))
$(foreach o,$(bench_table_obj:$(O)/%.o=%),$(eval cflags-$(o) := -Itests))

$(bench_table): $(bench_table_obj) $(inside_lib)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $^ $(all_ldflags) $(libs_LIBURING) -lm

.PHONY: bench bench-programs
bench-programs: $(bench_bin) $(bench_table)
bench:
	$(call ready,bench)
	$(Q)$(MAKE) bench-programs
	$(Q)O='$(O)' sh tests/bench/bench.sh

# export: against the public parser (MSPROF_DIR), and against fprintf
export_bench_obj := $(call objects,tests/bench/export.c)
$(O)/tests/bench/export: $(export_bench_obj) $(inside_lib)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -Wl,--wrap=tx_load,--wrap=tx_free -o $@ $^ $(all_ldflags) $(libs_LIBURING) -lm

.PHONY: bench-export
bench-export: $(O)/tests/bench/export all
	$(Q)O='$(O)' sh tests/bench/export.sh

# the module against perf_event_open, in virtual machines: software events on amd64, emulated
# cycle counters, the one event of QEMU's that always counts, on arm64
kmod_sampling_obj := $(call objects,tests/bench/kmod_sampling.c tools/sampling.c runtime/session/fds.c \
	$(addprefix runtime/collect/,drm.c hub.c pci.c sysfs.c))
$(O)/tests/bench/kmod_sampling: $(kmod_sampling_obj)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $^ $(all_ldflags)

.PHONY: bench-kmod
bench-kmod: all $(O)/tests/bench/kmod_sampling
	$(call ready,check)
	$(Q)$(cross_arm64) all $(O)/arm64/tests/bench/kmod_sampling
	$(Q)tests/qemu/flow.sh bench 6.1 $(O)/lab/bench-6.1 $(O) '1 0 1 2 3'
	$(Q)tests/qemu/flow.sh bench arm64 $(O)/lab/bench-arm64 $(O)/arm64 '0 0 0 0 0'
	$(Q)python3 tests/lib/sampling_table.py 'arm64, hardware events=$(O)/lab/bench-arm64/serial.log' \
		'amd64, software events=$(O)/lab/bench-6.1/serial.log'
