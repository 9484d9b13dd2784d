# SPDX-License-Identifier: Apache-2.0
# The Python module `acl`: one binary for Python 3.9 and later, in the package `ascprof`.
# `acl` is a link to it, so that both `import acl` and `from ascprof import acl` work.
#
#   make python            builds it, where Python.h is (python3-dev)
#   make install-python    into PYTHONDIR
#   make bench-python      what annotations cost
#
# Variables: PYTHON, PYTHON_INCLUDE=folder of Python.h, PYTHONDIR,
# PYTHON_ACL=auto|yes|no: `acl` as a top-level module; auto: unless there is another one.

PYTHON ?= python3
PYTHON_ACL ?= auto
# where the module looks for the library first; empty: nowhere
PYTHON_RPATH ?= $$ORIGIN/../../../..
python_rpath = -Wl,-rpath,'$(PYTHON_RPATH)'

ifneq ($(filter-out $(no_config_goals),$(or $(MAKECMDGOALS),all)),)
ifeq ($(CROSS_COMPILE)$(PYTHON_INCLUDE),)
PYTHON_INCLUDE := $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)
endif
have_python_h := $(if $(PYTHON_INCLUDE),$(wildcard $(PYTHON_INCLUDE)/Python.h))
endif
PYTHONDIR ?= $(shell $(PYTHON) tools/python/sitedir.py $(PREFIX))

# Two folders deep, so that the library is at ../../../.. of the module, as it is
# after installation: PREFIX/lib/python3.x/site-packages/ascprof/acl.
python_site := $(O)/python/site
python_src := $(wildcard tools/python/*.c)
python_ext := $(python_site)/ascprof/acl/__init__.abi3.so
python_text := $(filter-out %.c,$(wildcard tools/python/ascprof/*.* tools/python/ascprof/acl/*.*))
python_text_built := $(python_text:tools/python/%=$(python_site)/%)

$(foreach s,$(python_src:.c=),$(eval cflags-$(s) = -fPIC -isystem $$(PYTHON_INCLUDE)))

$(python_ext): $(call objects,$(python_src)) $(O)/libascprof.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(all_cflags) $(all_ldflags) -o $@ $(filter %.o,$^) \
		-L$(O) -lascprof -ldl $(if $(PYTHON_RPATH),$(python_rpath))

$(python_text_built): $(python_site)/%: tools/python/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(python_site)/acl: | $(python_ext)
	$(Q)ln -sfn ascprof/acl $@

.PHONY: python install-python bench-python
ifneq ($(have_python_h),)
python: $(python_ext) $(python_text_built) $(python_site)/acl

install-python: python
	$(Q)$(INSTALL) -d $(DESTDIR)$(PYTHONDIR)/ascprof/acl
	$(Q)$(INSTALL) -m 755 $(python_ext) $(DESTDIR)$(PYTHONDIR)/ascprof/acl/
	$(Q)for f in $(python_text:tools/python/%=%); do \
		$(INSTALL) -m 644 $(python_site)/$$f $(DESTDIR)$(PYTHONDIR)/$$f || exit 1; \
	done
	$(Q)acl=$(PYTHON_ACL); \
	if [ $$acl = auto ]; then \
		other=$$($(PYTHON) tools/python/sitedir.py --other) || exit 1; \
		if [ -n "$$other" ]; then \
			echo "  ACL      not a top-level module: $$other is there; use 'from ascprof import acl'"; \
			acl=no; \
		fi; \
	fi; \
	[ $$acl = no ] || ln -sfn ascprof/acl $(DESTDIR)$(PYTHONDIR)/acl
bench-python: python
	$(Q)PYTHONPATH=$(python_site) $(PYTHON) tests/bench/python_bench.py $(O)/tests/bench/result
	$(Q)rm -rf $(O)/tests/bench/result
else
python install-python bench-python:
	@echo '  SKIP     Python module: no Python.h for $(PYTHON) (python3-dev)'
endif

all: python
install: install-python
