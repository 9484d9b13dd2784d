# SPDX-License-Identifier: Apache-2.0
# The command and its manual page.

export_srcs := $(wildcard runtime/export/*.c)
export_objs := $(call objects,$(export_srcs) $(addprefix runtime/format/,json_read.c escape.c utf8.c crc32c.c collection.c files.c json_write.c) runtime/session/fds.c $(addprefix runtime/native/,columns.c frames.c rows.c zstd.c) \
	$(addprefix runtime/collect/,drm.c hal.c hub.c npus.c pci.c pmus.c pmus_table.c sysfs.c) runtime/clock/clock.c)
tool_objs := $(call objects,$(wildcard tools/*.c))

# Numbers are compared with those of another program: no fused multiply-add.
$(foreach s,$(export_srcs),$(eval cflags-$(s:.c=) := -ffp-contract=off))

# What a page of HTML may run and look like: its policy has the hashes.
page_files := runtime/export/page/style.css runtime/export/page/script.js

$(O)/page_hashes.h: $(page_files)
	@mkdir -p $(@D)
	$(Q)hash() { sum=$$(sha256sum <$(dir $<)$$1 | cut -c1-64 | tr a-f A-F | basenc --base16 -d | base64); \
		[ -n "$$sum" ] && echo "#define $$2 \"$$sum\""; }; \
	hash style.css PAGE_STYLE_HASH >$@ && hash script.js PAGE_SCRIPT_HASH >>$@

$(O)/runtime/export/page.o: $(O)/page_hashes.h $(page_files)
# An option that is not typed is text; what a definition leaves out is zero.
$(foreach s,$(wildcard tools/*.c),$(eval cflags-$(s:.c=) := -Wno-missing-field-initializers))

cflags-tools/serve_http += $(cflags_LIBMICROHTTPD)
# Where the library will be: what `make install` is told may be news.
cflags-tools/inject += -DASCPROF_LIBDIR='"$(LIBDIR)"'
$(O)/tools/inject.o: $(O)/tools/libdir
$(O)/tools/libdir: always
	@mkdir -p $(@D)
	$(Q)echo '$(LIBDIR)' | cmp -s - $@ || echo '$(LIBDIR)' >$@
.PHONY: always

tools: $(O)/bin/ascprof

$(O)/bin/ascprof: $(tool_objs) $(export_objs)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(all_ldflags) -o $@ $^ -lm

.PHONY: install-tools
install-tools: tools
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man4 $(DESTDIR)$(MANDIR)/man7 \
		$(DESTDIR)$(BASH_COMPLETION) $(DESTDIR)$(ZSH_COMPLETION) $(DESTDIR)$(FISH_COMPLETION)
	$(INSTALL) -m 755 $(O)/bin/ascprof $(DESTDIR)$(BINDIR)/
	$(INSTALL) -m 644 packaging/man/*.1 $(DESTDIR)$(MANDIR)/man1/
	$(INSTALL) -m 644 packaging/man/ascprof.4 $(DESTDIR)$(MANDIR)/man4/
	$(INSTALL) -m 644 packaging/man/ascprof.7 $(DESTDIR)$(MANDIR)/man7/
	$(INSTALL) -m 644 packaging/completion/ascprof.bash $(DESTDIR)$(BASH_COMPLETION)/ascprof
	$(INSTALL) -m 644 packaging/completion/_ascprof $(DESTDIR)$(ZSH_COMPLETION)/
	$(INSTALL) -m 644 packaging/completion/ascprof.fish $(DESTDIR)$(FISH_COMPLETION)/

# Manual pages, completions and references, after options, comments of headers or docstrings have changed.
.PHONY: generated
generated: tools python
	$(Q)scripts/generate.sh $(O)/bin/ascprof packaging
	$(Q)$(PYTHON) -B scripts/reference .
	$(Q)[ ! -e $(python_ext) ] || $(PYTHON) -B scripts/reference . $(python_site)
