# SPDX-License-Identifier: Apache-2.0
# One graph for user space; the module is built by Kbuild (kmod/module.mk).
#
#   make            library, command, examples
#   make module     the kernel module for KDIR
#   make demo       the whole flow in a virtual machine; installs what it needs
#   make check      every test; installs what it needs
#   make abi-check  headers and exported symbols against the public interface
#   make check-docs   what the documents say: commands, snippets, links
#   make check-html   the page of ascprof report in a browser
#   make check-serve  ascprof serve with Prometheus
#   make check-cross  packages of arm64, built and run here
#   make check-container  the example of a container, by podman
#   make stress     64 threads against a life cycle, under the sanitizers; SECONDS=60
#   make soak       everything at random; MINUTES=60
#   make soak-kmod  the module, likewise, in a virtual machine; MINUTES=60
#   make mutate     plants faults, and counts those that tests notice; COUNT=100 SEED=1 FILES=runtime/flush/
#   make coverage   lines of library and command that tests run
#   make check-msan, check-valgrind  memory that was never written
#   make deb, rpm   packages
#   make fuzz-readers  libFuzzer on everything that reads what others wrote; SECONDS=600
#   make bench-export  the exporter against the public parser (MSPROF_DIR) and fprintf
#   make help       the rest
#
# Variables: O=folder for everything built, CC, CFLAGS, CROSS_COMPILE, V=1,
# SANITIZE=address,undefined, WERROR=1, KDIR=kernel build folder,
# DESTDIR, PREFIX, LIBDIR.

VERSION := $(shell cat VERSION)
SOVERSION := 1

O ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
BASH_COMPLETION ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETION ?= $(PREFIX)/share/fish/vendor_completions.d
DESTDIR ?=

ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
AR := $(CROSS_COMPILE)ar
PKG_CONFIG ?= $(if $(CROSS_COMPILE),$(CROSS_COMPILE))pkg-config
INSTALL ?= install

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(patsubst $(O)/%,%,$(2))')

CFLAGS ?= -O2 -g
warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wformat=2 -Wundef
hardening := -fstack-protector-strong $(if $(SANITIZE),,-D_FORTIFY_SOURCE=2)
all_cflags = -std=gnu11 $(warnings) $(if $(WERROR),-Werror) $(hardening) -fvisibility=hidden \
	-ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(O)=generated -pthread -MMD -MP -D_GNU_SOURCE \
	-DASCPROF_VERSION='"$(VERSION)"' -I. -Iruntime -Iruntime/include -I$(O) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer) $(CFLAGS) $(EXTRA_CFLAGS)
all_ldflags = -Wl,-z,relro,-z,now -Wl,--as-needed -pthread \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:

# Goals that build nothing here need no probes.
no_config_goals := clean help demo check check-% module module-% setup dist stress deb rpm install-dkms install-system install-service uninstall-dkms uninstall-system uninstall-service dkms-matrix dkms-versions
ifneq ($(filter-out $(no_config_goals),$(or $(MAKECMDGOALS),all)),)
include $(O)/config.mk
endif

$(O)/config.mk: scripts/probe.sh Makefile
	@mkdir -p $(@D)
	$(Q)CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' CFLAGS='$(CFLAGS) $(EXTRA_CFLAGS)' LDFLAGS='$(LDFLAGS)' sh scripts/probe.sh $(@D)

# $(call objects,sources): object files of C sources
objects = $(patsubst %.c,$(O)/%.o,$(1))

$(O)/%.o: %.c $(O)/config.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all_cflags) $(cflags-$*) -c -o $@ $<

include runtime/runtime.mk
include tools/tools.mk
include tools/python/python.mk
include examples/examples.mk
include kmod/module.mk
include tests/tests.mk
include tests/bench/bench.mk
include packaging/packaging.mk

.PHONY: all lib tools examples install uninstall clean help
all: lib tools examples

install: install-lib install-tools

clean:
	$(Q)rm -rf $(O)

help:
	@sed -n 's/^#   \(make.*\)/\1/p' Makefile
	@echo 'make campaigns: $(campaigns:%=campaign-%) campaign-channels'
	@echo 'make lib | tools | examples | bench | install | generated | clean | setup'
	@echo 'make check-<part>: $(sort $(check_parts))'

-include $(shell find $(O) -name '*.d' -type f 2>/dev/null)
