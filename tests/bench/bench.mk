# SPDX-License-Identifier: Apache-2.0
# Timings: for reading, never asserted.

bench_bin := $(O)/tests/bench/annotate

$(bench_bin): $(O)/tests/bench/annotate.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $< $(all_ldflags) -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/../..'

.PHONY: bench
bench: $(bench_bin)
	$(Q)for io in io_uring pwritev; do \
		echo "ASCPROF_IO=$$io"; \
		ASCPROF_IO=$$io $(bench_bin) $(O)/tests/bench/result || exit 1; \
	done
	$(Q)rm -rf $(O)/tests/bench/result
