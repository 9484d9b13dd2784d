# SPDX-License-Identifier: Apache-2.0
# Timings: for reading, never asserted. To add a row to the table: tests/bench/table.h.

bench_bin := $(O)/tests/bench/annotate

$(bench_bin): $(O)/tests/bench/annotate.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $< $(all_ldflags) -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/../..'

bench_table := $(O)/tests/bench/table
bench_obj := $(call objects,$(filter-out tests/bench/annotate.c,$(wildcard tests/bench/*.c)))

$(foreach o,$(bench_obj:$(O)/%.o=%),$(eval cflags-$(o) := -Itests))

$(bench_table): $(bench_obj) $(inside_lib)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $^ $(all_ldflags) $(libs_LIBURING) -lm

.PHONY: bench
bench: $(bench_bin) $(bench_table)
	$(Q)$(bench_table) $(O)/tests/bench/result
	$(Q)for io in io_uring pwritev; do \
		echo "ASCPROF_IO=$$io"; \
		ASCPROF_IO=$$io $(bench_bin) $(O)/tests/bench/result || exit 1; \
	done
	$(Q)rm -rf $(O)/tests/bench/result
