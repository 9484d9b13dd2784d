# SPDX-License-Identifier: Apache-2.0
# make check, its parts, and the programs that they run.
#
# Unit tests (tests/unit/test_*.c) print TAP by cmocka. test_api_* use the shared library
# as a program does; all others are linked with the objects themselves, taken from one
# archive, and with $(unit_objs_NAME) if that is set. Process tests (tests/process/*.c and
# *.sh) say 0, 1 or 77. tests/api/rows runs the tables beside it. Guest programs (tests/qemu/guest/*.c) run in virtual machines,
# models of devices (tests/qemu/model/*.c) beside them; tests/hal stands in for the
# vendor's library there.
#
# A part NAME is the target part-NAME, which leaves results in $(check_out)/NAME/*.json.

check_parts := runner static docs build abi packages instructions models unit process api compat readers kunit qemu san
check_out = $(O)/check

# built once each, by all processors: plain (where warnings are errors), with sanitizers, for the other architecture
jobs := -j$(shell nproc)
san_memory = O=$(O)/asan SANITIZE=address,undefined WERROR=
san_thread = O=$(O)/tsan SANITIZE=thread WERROR=
cross_arm64 = tests/qemu/klab cross arm64 $(MAKE) O=$(O)/arm64 WERROR=

# programs

test_parts := tests/process/t.c tests/process/prof.c

unit_names := $(basename $(notdir $(wildcard tests/unit/test_*.c)))
unit_bin := $(unit_names:%=$(O)/tests/unit/%)
process_names := $(basename $(notdir $(filter-out $(test_parts),$(wildcard tests/process/*.c))))
process_bin := $(process_names:%=$(O)/tests/process/%)
process_scripts := $(wildcard tests/process/*.sh)
guest_names := $(basename $(notdir $(wildcard tests/qemu/guest/*.c)))
guest_bin := $(guest_names:%=$(O)/tests/qemu/guest/%)
model_names := $(basename $(notdir $(wildcard tests/qemu/model/*.c)))
model_bin := $(model_names:%=$(O)/tests/qemu/model/%)

unit_objs_test_bridge := $(call objects,$(addprefix tools/bridge_,decode.c clock.c feed.c))
unit_objs_test_child := $(call objects,tools/child.c)
unit_objs_test_serve := $(call objects,tools/serve_text.c tools/serve_module.c)
unit_objs_test_top := $(call objects,tools/top_draw.c tools/top_terminal.c tools/stat_print.c $(wildcard tools/counters*.c))
unit_objs_test_counters := $(call objects,$(wildcard tools/counters*.c))
unit_objs_test_options := $(call objects,tools/options_types.c)
unit_objs_test_sampling = $(unit_objs_test_doctor)
unit_objs_test_doctor := $(call objects,$(wildcard tools/doctor*.c) tools/sampling.c)

# the KUnit suites, over a KUnit of our own
kunit_obj := $(call objects,$(wildcard tests/kunit/*_test.c))
$(foreach name,$(kunit_obj) $(O)/tests/unit/test_core_kunit.o,$(eval cflags-$(name:$(O)/%.o=%) := \
	-Itests/unit/kunit -Wno-pointer-arith -Wno-sign-compare \
	-Wno-gnu-variable-sized-type-not-at-end -Wno-psabi))
unit_objs_test_core_kunit := $(kunit_obj)

# for the thread sanitizer: what makes threads
threaded = $(notdir $(basename $(shell grep -l pthread_create $(1)/*.c)))
unit_threaded = $(patsubst %,$(O)/tests/unit/%,$(filter $(call threaded,tests/unit),$(unit_names)))
process_threaded = $(patsubst %,$(O)/tests/process/%,$(filter $(call threaded,tests/process),$(process_names)))

inside_lib := $(O)/tests/inside.a
inside_obj := $(call objects,$(filter-out runtime/preload/%,$(wildcard runtime/*/*.c)) $(wildcard kmod/core/*.c))
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

$(O)/tests/process/faults $(O)/tests/process/device_rows: $(O)/tests/device/module.o

rows_bin := $(O)/tests/api/rows
rows_obj := $(call objects,$(wildcard tests/api/*.c))
rows_tables := $(O)/tests/api/generated.tsv $(O)/tests/api/vectors.tsv

$(rows_bin): $(rows_obj) $(test_obj) $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) $(use_lib)

$(foreach name,$(guest_names),$(eval cflags-tests/qemu/guest/$(name) := -Iuapi))

# a 32-bit caller of a 64-bit kernel; without a C library, of which there is none here
ifeq ($(CROSS_COMPILE)$(shell uname -m),x86_64)
guest_bin += $(O)/tests/qemu/guest/compat32
$(O)/tests/qemu/guest/compat32: tests/qemu/guest32/compat32.c uapi/ascprof.h
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -m32 -O2 -std=gnu11 $(warnings) $(if $(WERROR),-Werror) -ffreestanding -fno-stack-protector \
		-fno-pie -no-pie -static -nostdlib -I. -idirafter /usr/include/x86_64-linux-gnu -o $@ $<
endif
# the reader that docs/abi.md prints
guest_bin += $(O)/tests/qemu/guest/reader
$(O)/tests/qemu/reader.c: docs/abi.md
	@mkdir -p $(@D)
	$(Q)sed -n '/^```c$$/,/^```$$/{//!p}' $< >$@
$(O)/tests/qemu/guest/reader: $(O)/tests/qemu/reader.c uapi/ascprof.h
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -std=gnu11 -Wall -Wextra $(if $(WERROR),-Werror) -Iuapi -o $@ $<

# models of devices run beside QEMU
$(model_bin): $(O)/tests/qemu/model/%: $(O)/tests/qemu/model/%.o
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $< $(all_ldflags)

hal := $(O)/tests/hal/libascend_hal.so
hal_obj := $(call objects,$(wildcard tests/hal/*.c))
$(foreach name,$(hal_obj),$(eval cflags-$(name:$(O)/%.o=%) := -fPIC))
$(hal): $(hal_obj)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -shared -Wl,-soname,libascend_hal.so -o $@ $(hal_obj) $(all_ldflags)

# what the programs look for beside themselves, or load
$(O)/tests/device/libruntime.so: tests/device/libruntime.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all_cflags) -fPIC -shared $(all_ldflags) -Wl,-soname,libruntime.so -o $@ $<

$(O)/tests/device/recorder: $(O)/tests/device/recorder.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $< $(all_ldflags) $(use_lib) -ldl

$(O)/tests/device/stalled_disk.so: tests/device/stalled_disk.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all_cflags) -fPIC -shared -fvisibility=default $(all_ldflags) -o $@ $<

$(O)/tests/device/channels $(O)/tests/serve/marks: %: %.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $< $(all_ldflags) $(use_lib)

$(O)/tests/device/closer: $(O)/tests/device/closer.o
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $< $(all_ldflags) -ldl

checkers := $(addprefix $(O)/tests/process/,profdir.py profdir_reports.py hostcheck.py)
beside := $(checkers) $(O)/tests/serve/marks \
	$(addprefix $(O)/tests/device/,libruntime.so stalled_disk.so channels closer recorder) $(hal)

$(checkers) $(rows_tables): $(O)/%: %
	@mkdir -p $(@D)
	$(Q)cp $< $@

# parts of the library that it does not export
$(O)/tests/qemu/guest/kunpeng: $(call objects,$(addprefix runtime/collect/,pci.c pmus.c pmus_table.c sysfs.c))

$(guest_names:%=$(O)/tests/qemu/guest/%): $(O)/tests/qemu/guest/%: $(O)/tests/qemu/guest/%.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) -L$(O) -lascprof $(libs_LIBURING)

# the hostile user of the module, likewise for virtual machines
hostile_obj := $(call objects,$(wildcard tests/fuzz/*.c))
$(foreach name,$(hostile_obj),$(eval cflags-$(name:$(O)/%.o=%) := -Iuapi))
$(O)/tests/fuzz/hostile: $(hostile_obj)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(hostile_obj) $(all_ldflags)

# a long time with the module, likewise
soak_kmod_obj := $(call objects,$(wildcard tests/soak/kmod/*.c))
$(foreach name,$(soak_kmod_obj),$(eval cflags-$(name:$(O)/%.o=%) := -Iuapi))
$(O)/tests/soak/kmod/soak_kmod: $(soak_kmod_obj)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(soak_kmod_obj) $(all_ldflags)

# readers of what others wrote, fed by libFuzzer, which clang has: `make fuzz-readers SECONDS=600`
#   each for that long; findings are left in $(O)/fuzz. FUZZERS: which

FUZZERS ?= $(basename $(notdir $(wildcard tests/fuzz/readers/*.c)))
fuzz_readers := $(FUZZERS:%=$(O)/tests/fuzz/readers/%)
fuzz_command := $(O)/tests/command.a
san_fuzz = O=$(O)/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined WERROR=

$(fuzz_command): $(filter-out %/ascprof.o,$(call objects,$(wildcard tools/*.c)))
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(fuzz_readers): $(O)/tests/fuzz/readers/%: $(O)/tests/fuzz/readers/%.o $(fuzz_command) $(inside_lib)
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -fsanitize=fuzzer -o $@ $^ $(all_ldflags) $(libs_LIBURING) -lm

.PHONY: fuzz-readers run-fuzz-readers fuzz-reader-programs
fuzz-reader-programs: $(fuzz_readers)
fuzz-readers:
	$(call ready,check)
	$(Q)$(MAKE) $(san_fuzz) run-fuzz-readers SECONDS=$(SECONDS)
run-fuzz-readers: $(fuzz_readers)
	$(Q)for reader in $(FUZZERS); do \
		BUILD=$(abspath $(O)) sh tests/fuzz/readers/run.sh $$reader $(SECONDS) || exit 1; done

.PHONY: test-programs test-scripts guest-programs
test-programs: $(unit_bin) $(process_bin) test-scripts
test-scripts: $(beside) $(rows_bin) $(rows_tables) all
guest-programs: $(guest_bin) $(model_bin) $(hal) all

# running

RESULT ?=
LABEL ?=
test_run = tests/run $(1) --label '$(LABEL)' $(if $(RESULT),--result $(RESULT)) \
	--work $(O)/tests/work --jobs 2
test_env = BUILD=$(abspath $(O)) TOP=$(CURDIR) PATH='$(abspath $(O))/bin:'"$$PATH" CMOCKA_MESSAGE_OUTPUT=TAP

.PHONY: run-unit run-process run-api
run-unit: test-programs
	$(Q)$(test_env) $(call test_run,tap) --time 120 $(unit_bin)
run-unit-threaded: $(unit_threaded) $(beside) all
	$(Q)$(test_env) $(call test_run,tap) --time 240 $(unit_threaded)
run-api: test-programs
	$(Q)$(test_env) $(call test_run,tap) --time 600 $(rows_bin)
run-process: test-programs
	$(Q)$(test_env) $(call test_run,exit) --time 300 $(process_scripts) $(process_bin)
run-process-programs: test-programs
	$(Q)$(test_env) $(call test_run,exit) --time 300 $(process_bin)
run-process-threaded: $(process_threaded) $(beside) all
	$(Q)$(test_env) $(call test_run,exit) --time 300 $(process_threaded)

# 64 threads against a life cycle, for as long as SECONDS says, under both sanitizers
SECONDS ?= 60

.PHONY: stress run-stress
stress:
	$(Q)$(MAKE) $(san_thread) run-stress SECONDS=$(SECONDS)
	$(Q)$(MAKE) $(san_memory) run-stress SECONDS=$(SECONDS)
run-stress: $(O)/tests/process/threads_mixed $(checkers)
	@mkdir -p $(O)/tests/work
	$(call say,STRESS,$(O)/tests/process/threads_mixed $(SECONDS))
	$(Q)TMPDIR=$(abspath $(O))/tests/work $(O)/tests/process/threads_mixed $(SECONDS)

# The native layout: what tests look at is what unpack makes of it.
in_native := exec_running fork_between fork_running loops messages mstx_rows mstx_text mstx_threads \
	processes ring_full stop_waits texts_alike threads_lifecycle threads_short threads_start_stop
run-process-native: test-programs
	$(Q)ASCPROF_LAYOUT=native $(test_env) $(call test_run,exit) --time 300 $(in_native:%=$(O)/tests/process/%)

# Faults planted one at a time, judged by the tests of their module; COUNT of them by the dice of
# SEED, in files that begin with FILES. What was found is kept in $(O)/mutate/results, from where the
# same command goes on. STOP=200: begins none after so many seconds; AGAIN=1: survivors are judged again.

COUNT ?= 100

.PHONY: mutate
mutate:
	$(call ready,check)
	$(Q)nice python3 tests/mutate/mutate.py $(O)/mutate --count $(COUNT) --seed $(or $(SEED),1) --files '$(FILES)' \
		$(if $(STOP),--seconds $(STOP)) $(if $(AGAIN),--again)

# Lines of library and command that tests run; MINIMUM percent of the library. COVERAGE: which tests

COVERAGE ?= run-unit run-api run-process part-compat
san_cover = O=$(O)/gcov CFLAGS='-O0 -g --coverage -fprofile-update=atomic' LDFLAGS=--coverage

.PHONY: coverage coverage-table
coverage:
	$(call ready,coverage)
	$(Q)for part in $(COVERAGE); do $(MAKE) $(san_cover) $$part || exit 1; done
	$(Q)$(MAKE) coverage-table
coverage-table:
	$(Q)gcovr -r . $(O)/gcov --filter runtime/ --filter tools/ --gcov-ignore-parse-errors --exclude-throw-branches \
		-j 2 --json $(O)/gcov/coverage.json
	$(Q)python3 tests/lib/coverage_user.py $(O)/gcov/coverage.json

# Uninitialised memory: by clang's sanitizer, which has to see all code that writes, and so takes what the C library
# sorts, what libraries fill, and checksums in assembler for such; and by valgrind, which sees everything.
# NAMES=unit/test_json: only those. (What counts descriptors is not for valgrind, which has its own.)

san_msan = O=$(O)/msan CC=clang SANITIZE=memory CFLAGS='-O1 -g'
msan_tests := test_bridge test_by_thread test_channels test_clock test_core_kunit test_core_logic test_core_ring \
	test_core_threads test_counters test_export_decimal test_export_escape test_export_filter test_export_prof \
	test_export_scratch test_export_time test_host test_json test_machine test_mstx_domain test_mstx_slices \
	test_options test_ranks test_relation
valgrind_tests := $(filter-out test_core_threads test_native,$(unit_names))
valgrind_process := loops messages mstx_rows mstx_text layout reports exit_running planted_links
valgrind := timeout 600 valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
	--fair-sched=yes --suppressions=tests/lib/valgrind.supp

.PHONY: check-msan run-msan check-valgrind run-valgrind
check-msan:
	$(call ready,check)
	$(Q)$(MAKE) $(san_msan) run-msan
run-msan: $(msan_tests:%=$(O)/tests/unit/%)
	$(Q)$(test_env) $(call test_run,tap) --time 600 $^
check-valgrind:
	$(call ready,check)
	$(Q)$(MAKE) run-valgrind
run-valgrind: test-programs
	$(Q)failed=0; for name in $(or $(NAMES),$(valgrind_tests:%=unit/%) $(valgrind_process:%=process/%)); do \
		printf '  VALGRIND %s\n' $$name; \
		$(test_env) $(valgrind) $(O)/tests/$$name >$(O)/valgrind.log 2>&1; code=$$?; \
		[ $$code = 0 ] || [ $$code = 77 ] || { tail -n 40 $(O)/valgrind.log; echo "$$name: $$code"; failed=1; }; done; \
		exit $$failed

# Everything at random for MINUTES; memory and descriptors stay flat

MINUTES ?= 60

.PHONY: soak
soak: $(O)/tests/soak/soak $(checkers) all
	$(Q)$(test_env) nice $(O)/tests/soak/soak $(MINUTES)

$(O)/tests/soak/soak: $(O)/tests/soak/soak.o $(test_obj) $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $(filter %.o,$^) $(all_ldflags) $(use_lib)

# Campaigns: what some process tests do in short, at length; each ends with one line that sums it up.

campaigns := marks kill full faults
campaign-marks: test-program = threads_marks 10000000
campaign-kill: test-program = kill_anywhere 1000
campaign-full: test-program = full_anywhere 200
campaign-faults: test-program = faults 100000

.PHONY: campaigns campaign-channels $(campaigns:%=campaign-%)
campaigns: $(campaigns:%=campaign-%) campaign-channels
$(campaigns:%=campaign-%): test-programs
	$(Q)$(test_env) $(O)/tests/process/$(test-program)
campaign-channels: test-programs
	$(Q)$(test_env) sh tests/process/channels_rate.sh 60 5000 10000

# the parts

.PHONY: $(check_parts:%=part-%) check $(check_parts:%=check-%) setup

setup:
	$(Q)sh scripts/setup.sh $(or $(FOR),build)

# $(call ready,purpose): installs what is missing; what a new library offers is asked anew
ready = $(Q)new=$$(sh scripts/setup.sh $(1)) || exit 1; [ -z "$$new" ] || rm -f $(O)/config.mk $(O)/*/config.mk

parts = $(Q)tests/run parts --make '$(MAKE) O=$(O) WERROR=1 $(if $(V),V=$(V))' --out $(check_out) \
	--first 'tests/qemu/klab debug san' --before san $(1)

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

# what documents say: commands, snippets, links, names, translations
part-docs: all
	$(Q)$(test_env) tests/run tap --result $(check_out)/docs/docs.json --time 600 tests/docs/selftest.py tests/docs/check.py

part-build:
	$(Q)$(test_env) MAKE='$(MAKE)' tests/run tap --result $(check_out)/build/build.json --time 900 tests/lib/build.sh

calls_bin := $(O)/tests/instructions/calls

$(calls_bin): $(O)/tests/instructions/calls.o $(O)/libascprof.so
	$(call say,LD,$@)
	$(Q)$(CC) $(all_cflags) -o $@ $< $(all_ldflags) $(use_lib)

part-instructions: $(calls_bin)
	$(Q)$(test_env) tests/run tap --result $(check_out)/instructions/instructions.json --time 300 \
		tests/instructions/check.sh

# rings, fork and exit as models; MODEL_FLAGS=-DSECOND=2: one more annotation, five times the states
part-models:
	$(Q)MODEL_FLAGS='$(MODEL_FLAGS)' $(test_env) tests/run tap --result $(check_out)/models/models.json --time 600 \
		tests/model/check.sh

part-abi: all
	$(Q)$(test_env) tests/run tap --result $(check_out)/abi/abi.json --time 300 tests/abi/check.sh tests/abi/diff.sh
	$(Q)$(test_env) tests/run tap --result $(check_out)/abi/pages.json --time 120 tests/abi/pages.sh

part-packages:
	$(Q)$(test_env) tests/run tap --result $(check_out)/packages/debian.json --time 1200 tests/packages/debian.sh
	$(Q)$(test_env) tests/run tap --result $(check_out)/packages/rpm.json --time 600 tests/packages/rpm.sh

.PHONY: dkms-matrix
dkms-matrix:
	$(call ready,dkms)
	$(Q)sh tests/packages/dkms_matrix.sh $(O)/dkms $(KERNELS)

# the module's package under the DKMS of other releases
.PHONY: dkms-versions check-cross check-container
dkms-versions:
	$(call ready,check)
	$(Q)$(test_env) tests/run tap --time 900 tests/packages/dkms_versions.sh

# packages of arm64, built in a fresh system of this architecture and run by qemu-user
check-cross:
	$(call ready,check)
	$(Q)$(test_env) tests/run tap --time 1200 tests/packages/cross.sh

# the example of a container, by podman
check-container:
	$(call ready,container)
	$(Q)$(test_env) tests/run tap --time 900 tests/packages/container.sh

.PHONY: abi-check abi-dump
abi-check: all
	$(Q)$(test_env) tests/run tap --time 300 tests/abi/check.sh tests/abi/diff.sh tests/abi/pages.sh

# keeps the interface as it is now, for abidiff
abi-dump: lib
	$(Q)sh tests/abi/dump.sh $(lib_so) runtime/include > $(O)/libascprof.abi
	$(Q)mv $(O)/libascprof.abi tests/abi/libascprof.abi

part-unit: part-unit-gcc part-unit-asan part-unit-tsan
part-unit-gcc:
	$(Q)$(MAKE) $(jobs) run-unit LABEL=gcc RESULT=$(check_out)/unit/gcc.json
part-unit-asan:
	$(Q)$(MAKE) $(jobs) $(san_memory) run-unit LABEL=asan RESULT=$(check_out)/unit/asan.json
part-unit-tsan:
	$(Q)$(MAKE) $(jobs) $(san_thread) run-unit-threaded LABEL=tsan RESULT=$(check_out)/unit/tsan.json

part-process: part-process-gcc part-process-native part-process-asan part-process-tsan
part-process-gcc:
	$(Q)$(MAKE) $(jobs) run-process LABEL=gcc RESULT=$(check_out)/process/gcc.json
part-process-native:
	$(Q)$(MAKE) run-process-native LABEL=native RESULT=$(check_out)/process/native.json
part-process-asan:
	$(Q)$(MAKE) $(jobs) $(san_memory) run-process-programs LABEL=asan RESULT=$(check_out)/process/asan.json
part-process-tsan:
	$(Q)$(MAKE) $(jobs) $(san_thread) run-process-threaded LABEL=tsan RESULT=$(check_out)/process/tsan.json

part-api: part-api-gcc part-api-asan
part-api-gcc:
	$(Q)$(MAKE) $(jobs) run-api LABEL=gcc RESULT=$(check_out)/api/gcc.json
part-api-asan:
	$(Q)$(MAKE) $(jobs) $(san_memory) run-api LABEL=asan RESULT=$(check_out)/api/asan.json

# every input that is kept, and a short look for new ones
part-readers:
	$(Q)$(MAKE) $(jobs) $(san_fuzz) fuzz-reader-programs
	$(Q)BUILD=$(abspath $(O))/fuzz TOP=$(CURDIR) FUZZERS='$(FUZZERS)' tests/run tap \
		--result $(check_out)/readers/readers.json --time 300 tests/fuzz/readers/check.sh

part-compat: all $(beside)
	$(Q)$(test_env) tests/run exit --result $(check_out)/compat/compat.json --time 600 \
		--work $(O)/tests/work $(filter-out %/lib.sh,$(wildcard tests/compat/*.sh)) tests/python/other_python.sh tests/python/reference.sh

# the page of ascprof report in a browser, which is large to install

.PHONY: check-html run-html
check-html:
	$(call ready,html)
	$(Q)$(MAKE) run-html
run-html: all
	$(Q)$(test_env) tests/run exit --time 300 tests/html/browser.sh

# ascprof serve with a real Prometheus, and with clients that take their time

.PHONY: check-serve run-serve
check-serve:
	$(call ready,serve)
	$(Q)$(MAKE) run-serve
run-serve: all $(beside)
	$(Q)$(test_env) tests/run exit --time 300 --work $(O)/tests/work tests/serve/prometheus.sh tests/serve/slow.sh

kernels := 6.1 arm64

part-kunit: $(kernels:%=part-kunit-%)
part-kunit-%:
	$(Q)tests/qemu/klab kunit $* $(O)/lab/kunit-$* || true
	$(Q)tests/run serial --label $* --result $(check_out)/$(or $(PART),kunit)/kunit-$*.json \
		--kunit $(O)/lab/kunit-$*/declared $(O)/lab/kunit-$*/serial.log

part-qemu: $(kernels:%=part-qemu-%)
part-qemu-arm64:
	$(Q)$(cross_arm64) $(jobs) guest-programs
	$(Q)$(MAKE) $(jobs) all
	$(Q)tests/qemu/flow.sh check arm64 $(O)/lab/arm64 $(O)/arm64 $(O) $(check_out)/qemu
part-qemu-%: guest-programs
	$(Q)tests/qemu/flow.sh check $* $(O)/lab/$* $(O) $(O) $(check_out)/$(or $(PART),qemu)

part-san:
	$(Q)$(MAKE) -k PART=san part-kunit-san part-qemu-san part-hostile

# hostile_run: seconds, ioctls, folder of the judgement
hostile_run = $(Q)tests/qemu/flow.sh hostile $(FUZZ_KERNEL) $(O)/lab/hostile $(O) $(3) $(1) $(2) $(SEED)
part-hostile: all $(O)/tests/fuzz/hostile $(model_bin)
	$(call hostile_run,4,10000,$(check_out)/san)

# kernels: not a part of check, because it takes half an hour
#   KERNELS    names (tests/qemu/klab) or folders of prepared kernel trees

KERNELS ?= 5.10 5.10-arm64 6.1 arm64 6.12 6.12-arm64 new new-arm64

.PHONY: kernel-matrix
kernel-matrix: guest-programs
	$(call ready,check)
	$(Q)$(cross_arm64) guest-programs
	$(Q)tests/qemu/klab matrix $(O)/matrix $(O) $(O)/arm64 $(KERNELS)

# the KUnit suites on the stock kernel, and on those with KASAN and with KCSAN

.PHONY: kunit coverage-kmod
kunit:
	$(call ready,check)
	$(Q)$(MAKE) -k PART=kunit-all kernels='6.1 san kcsan' kunit-each; \
		python3 tests/lib/kunit_table.py $(check_out)/kunit-all

kunit-each: $(kernels:%=part-kunit-%)

# lines of the module that KUnit, guest programs and the hostile user run; MINIMUM percent
coverage-kmod: guest-programs $(O)/tests/fuzz/hostile
	$(call ready,check)
	$(Q)tests/qemu/flow.sh coverage $(O)/lab/coverage $(O)

# a user who means no good, on the kernel with sanitizers
#   SECONDS at least, IOCTLS at least, SEED of the dice, FUZZ_KERNEL: san or kcsan

SECONDS ?= 120
IOCTLS ?= 1000000
SEED ?= 1
FUZZ_KERNEL ?= san

.PHONY: fuzz-kmod
fuzz-kmod: all $(O)/tests/fuzz/hostile $(model_bin)
	$(call ready,check)
	$(call hostile_run,$(SECONDS),$(IOCTLS),$(O)/fuzz)

# processes that own streams for MINUTES, while all that they count comes and goes
#   SEED of the dice, SOAK_KERNEL: san, or any other that is booted

SOAK_KERNEL ?= san

.PHONY: soak-kmod
soak-kmod: all $(O)/tests/soak/kmod/soak_kmod $(model_bin)
	$(call ready,check)
	$(Q)tests/qemu/flow.sh soak $(SOAK_KERNEL) $(O)/lab/soak $(O) $(O)/soak $(MINUTES) $(SEED)

include tests/qemu/demo.mk
