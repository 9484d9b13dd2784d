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

# the module against perf_event_open, in virtual machines: software events on amd64, emulated
# cycle counters, the one event of QEMU's that always counts, on arm64
cflags-tests/bench/kmod_sampling := -Iuapi
$(O)/tests/bench/kmod_sampling: $(O)/tests/bench/kmod_sampling.o
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $< $(all_ldflags)

.PHONY: bench-kmod
bench-kmod: $(O)/tests/bench/kmod_sampling
	$(call ready,check)
	$(Q)$(cross_arm64) $(O)/arm64/tests/bench/kmod_sampling
	$(Q)tests/qemu/flow.sh bench 6.1 $(O)/lab/bench-6.1 $(O) '1 0 1 2 3'
	$(Q)tests/qemu/flow.sh bench arm64 $(O)/lab/bench-arm64 $(O)/arm64 '0 0 0 0 0'
