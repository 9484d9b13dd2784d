# SPDX-License-Identifier: Apache-2.0
# make check, its parts, and the programs that they run.
#
# Unit tests (tests/unit/test_*.c) print TAP by cmocka. test_api_* use the shared library
# as a program does; all others are linked with the objects themselves, taken from one
# archive, and with $(unit_objs_NAME) if that is set. Process tests (tests/process/*.c and
# *.sh) say 0, 1 or 77. Guest programs (tests/qemu/guest/*.c) run in virtual machines.
#
# A part NAME is the target part-NAME, which leaves results in $(check_out)/NAME/*.json.

check_parts := runner static build unit process compat kunit qemu san
check_out = $(O)/check

# built once each: plain, with sanitizers, for the other architecture
san_memory = O=$(O)/asan SANITIZE=address,undefined
san_thread = O=$(O)/tsan SANITIZE=thread
cross_arm64 = tests/qemu/klab cross arm64 $(MAKE) O=$(O)/arm64

# programs

test_parts := tests/process/t.c tests/process/prof.c

unit_names := $(basename $(notdir $(wildcard tests/unit/test_*.c)))
unit_bin := $(unit_names:%=$(O)/tests/unit/%)
process_names := $(basename $(notdir $(filter-out $(test_parts),$(wildcard tests/process/*.c))))
process_bin := $(process_names:%=$(O)/tests/process/%)
process_scripts := $(wildcard tests/process/*.sh)
guest_names := $(basename $(notdir $(wildcard tests/qemu/guest/*.c)))
guest_bin := $(guest_names:%=$(O)/tests/qemu/guest/%)

# for the thread sanitizer: what makes threads
threaded = $(notdir $(basename $(shell grep -l pthread_create $(1)/*.c)))
unit_threaded = $(patsubst %,$(O)/tests/unit/%,$(filter $(call threaded,tests/unit),$(unit_names)))
process_threaded = $(patsubst %,$(O)/tests/process/%,$(filter $(call threaded,tests/process),$(process_names)))

inside_lib := $(O)/tests/inside.a
inside_obj := $(call objects,$(wildcard runtime/*/*.c kmod/core/*.c))
test_obj := $(call objects,$(test_parts))
use_lib = -L$(O) -lascprof -Wl,-rpath,'$$ORIGIN/../..'

$(inside_lib): $(inside_obj)
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $(inside_obj)

define unit_rule
$(O)/tests/unit/$(1): $(O)/tests/unit/$(1).o $(unit_objs_$(1)) \
		$(if $(filter test_api_%,$(1)),$(test_obj) $(O)/libascprof.so,$(inside_lib))
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(all_cflags) -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) $$(all_ldflags) \
		$(if $(filter test_api_%,$(1)),$$(use_lib),$$(libs_LIBURING)) $$(libs_CMOCKA) -lm
endef
$(foreach name,$(unit_names),$(eval $(call unit_rule,$(name))))

$(process_bin): $(O)/tests/process/%: $(O)/tests/process/%.o $(test_obj) $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) $(use_lib) -lm

$(foreach name,$(guest_names),$(eval cflags-tests/qemu/guest/$(name) := -Iuapi))

# what the programs look for beside themselves
$(O)/tests/process/profdir.py: tests/process/profdir.py
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(guest_bin): $(O)/tests/qemu/guest/%: $(O)/tests/qemu/guest/%.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) -L$(O) -lascprof $(libs_LIBURING)

.PHONY: test-programs guest-programs
test-programs: $(unit_bin) $(process_bin) $(O)/tests/process/profdir.py all
guest-programs: $(guest_bin) all

# running

RESULT ?=
LABEL ?=
test_run = tests/run $(1) --label '$(LABEL)' $(if $(RESULT),--result $(RESULT)) \
	--work $(O)/tests/work --jobs 2
test_env = BUILD=$(abspath $(O)) TOP=$(CURDIR) PATH='$(abspath $(O))/bin:'"$$PATH" CMOCKA_MESSAGE_OUTPUT=TAP

.PHONY: run-unit run-process
run-unit: test-programs
	$(Q)$(test_env) $(call test_run,tap) --time 120 $(unit_bin)
run-unit-threaded: test-programs
	$(Q)$(test_env) $(call test_run,tap) --time 240 $(unit_threaded)
run-process: test-programs
	$(Q)$(test_env) $(call test_run,exit) --time 300 $(process_bin) $(process_scripts)
run-process-programs: test-programs
	$(Q)$(test_env) $(call test_run,exit) --time 300 $(process_bin)
run-process-threaded: test-programs
	$(Q)$(test_env) $(call test_run,exit) --time 300 $(process_threaded)

# Campaigns: what some process tests do in short, at length; each ends with one line that sums it up.

campaigns := marks kill full faults
campaign-marks: test-program = threads_marks 10000000
campaign-kill: test-program = kill_anywhere 1000
campaign-full: test-program = full_anywhere 200
campaign-faults: test-program = faults 100000

.PHONY: campaigns $(campaigns:%=campaign-%)
campaigns: $(campaigns:%=campaign-%)
$(campaigns:%=campaign-%): test-programs
	$(Q)$(test_env) $(O)/tests/process/$(test-program)

# the parts

.PHONY: $(check_parts:%=part-%) check $(check_parts:%=check-%) setup

setup:
	$(Q)sh scripts/setup.sh $(or $(FOR),build)

# $(call ready,purpose): installs what is missing; what a new library offers is asked anew
ready = $(Q)new=$$(sh scripts/setup.sh $(1)) || exit 1; [ -z "$$new" ] || rm -f $(O)/config.mk $(O)/*/config.mk

parts = $(Q)tests/run parts --make '$(MAKE) O=$(O) $(if $(V),V=$(V))' --out $(check_out) \
	--first 'tests/qemu/klab san' --before san $(1)

check:
	$(call ready,check)
	$(call parts,$(check_parts))

$(check_parts:%=check-%): check-%:
	$(call ready,check)
	$(call parts,$*)

part-runner:
	$(Q)tests/run tap --result $(check_out)/runner/runner.json tests/lib/selftest.py

part-static:
	$(Q)$(test_env) tests/run tap --result $(check_out)/static/static.json --time 600 tests/lib/static.sh

part-build:
	$(Q)$(test_env) MAKE='$(MAKE)' tests/run tap --result $(check_out)/build/build.json --time 900 tests/lib/build.sh

part-unit: part-unit-gcc part-unit-asan part-unit-tsan
part-unit-gcc:
	$(Q)$(MAKE) run-unit LABEL=gcc RESULT=$(check_out)/unit/gcc.json
part-unit-asan:
	$(Q)$(MAKE) $(san_memory) run-unit LABEL=asan RESULT=$(check_out)/unit/asan.json
part-unit-tsan:
	$(Q)$(MAKE) $(san_thread) run-unit-threaded LABEL=tsan RESULT=$(check_out)/unit/tsan.json

part-process: part-process-gcc part-process-asan part-process-tsan
part-process-gcc:
	$(Q)$(MAKE) run-process LABEL=gcc RESULT=$(check_out)/process/gcc.json
part-process-asan:
	$(Q)$(MAKE) $(san_memory) run-process-programs LABEL=asan RESULT=$(check_out)/process/asan.json
part-process-tsan:
	$(Q)$(MAKE) $(san_thread) run-process-threaded LABEL=tsan RESULT=$(check_out)/process/tsan.json

part-compat: all
	$(Q)$(test_env) tests/run exit --result $(check_out)/compat/compat.json --time 300 \
		--work $(O)/tests/work $(wildcard tests/compat/*.sh)

kernels := 6.1 arm64

part-kunit: $(kernels:%=part-kunit-%)
part-kunit-%:
	$(Q)tests/qemu/klab kunit $* $(O)/lab/kunit-$* || true
	$(Q)tests/run serial --label $* --result $(check_out)/$(or $(PART),kunit)/kunit-$*.json \
		--kunit $(O)/lab/kunit-$*/declared $(O)/lab/kunit-$*/serial.log

part-qemu: $(kernels:%=part-qemu-%)
part-qemu-arm64:
	$(Q)$(cross_arm64) guest-programs
	$(Q)$(MAKE) all
	$(Q)tests/qemu/flow.sh check arm64 $(O)/lab/arm64 $(O)/arm64 $(O) $(check_out)/qemu
part-qemu-%: guest-programs
	$(Q)tests/qemu/flow.sh check $* $(O)/lab/$* $(O) $(O) $(check_out)/$(or $(PART),qemu)

part-san:
	$(Q)$(MAKE) -k PART=san part-kunit-san part-qemu-san

include tests/bench/bench.mk
include tests/qemu/demo.mk
