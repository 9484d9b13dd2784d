# SPDX-License-Identifier: Apache-2.0
# libascprof: everything below runtime/ but the readers, which are the command's.

runtime_src := $(filter-out $(wildcard runtime/export/*.c runtime/preload/*.c), \
	$(wildcard runtime/*/*.c))
runtime_obj := $(call objects,$(runtime_src))

$(foreach o,$(runtime_src:.c=),$(eval cflags-$(o) := -fPIC))
# For the calls that count: two stores are cheaper than what it takes to make one of them, and
# loops entered at their end leave enough registers to save none. clang has no such options. What a
# call does outside a session fits into the 32 bytes that it begins with.
cflags-runtime/api/acl_tx := -fPIC -falign-functions=32 $(if $(findstring clang,$(CC)),,-fno-tree-slp-vectorize -fno-tree-ch)
cflags-runtime/flush/io_uring := -fPIC $(cflags_LIBURING)
cflags-runtime/collect/drm := -fPIC $(cflags_LIBDRM)

# Names of system calls, as the C library of this architecture numbers them.
$(O)/syscall_names.h: runtime/runtime.mk
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)printf '/* made by runtime.mk */\n#include <sys/syscall.h>\n\nstatic const char *const syscall_names[] = {\n' >$@.tmp
	$(Q)printf '#include <sys/syscall.h>\n' | $(CC) $(CFLAGS) -E -dM - | \
		sed -n 's/^#define SYS_\([a-z0-9_]*\) .*/\t[SYS_\1] = "\1",/p' | LC_ALL=C sort >>$@.tmp
	$(Q)printf '};\n' >>$@.tmp
	$(Q)mv $@.tmp $@
$(call objects,runtime/host/osrt.c): $(O)/syscall_names.h

lib_so := $(O)/libascprof.so.$(SOVERSION)

# nodelete: threads that ended later still run our destructor.
$(lib_so): $(runtime_obj) runtime/libascprof.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(all_cflags) $(all_ldflags) -Wl,-soname,libascprof.so.$(SOVERSION) \
		-Wl,--version-script=runtime/libascprof.map -Wl,-z,nodelete \
		-o $@ $(runtime_obj) $(libs_LIBURING)

$(O)/libascprof.so: $(lib_so)
	$(Q)ln -sf libascprof.so.$(SOVERSION) $@

# What LD_LIBRARY_PATH names: the vendor's names, and the one that programs need which were
# linked with these files.
drop_in := libmsprofiler.so libprofapi.so libms_tools_ext.so libascprof.so.$(SOVERSION)

$(drop_in:%=$(O)/ascprof/%): $(lib_so)
	@mkdir -p $(@D)
	$(Q)ln -sf ../libascprof.so.$(SOVERSION) $@

# What ascprof record loads in front of all: it knows the library by its place.
preload_so := $(O)/ascprof/libascprof_preload.so
cflags-runtime/preload/preload := -fPIC

$(preload_so): $(call objects,runtime/preload/preload.c) $(lib_so)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(all_cflags) $(all_ldflags) -Wl,-soname,$(@F) -Wl,-z,nodelete -Wl,-rpath,'$$ORIGIN/..' \
		-o $@ $< $(lib_so) -ldl

# The same for calls of pthread functions, where they are asked for. x86 has two kinds of pthread_cond_*.
pthread_so := $(O)/ascprof/libascprof_pthread.so
cflags-runtime/preload/pthread := -fPIC -fexceptions
pthread_map = $(if $(filter x86_64% i%86%,$(shell $(CC) -dumpmachine)),runtime/preload/pthread.map)

$(pthread_so): $(call objects,runtime/preload/pthread.c) $(lib_so) runtime/preload/pthread.map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(all_cflags) $(all_ldflags) -Wl,-soname,$(@F) -Wl,-z,nodelete -Wl,-rpath,'$$ORIGIN/..' \
		$(pthread_map:%=-Wl,--version-script=%) -o $@ $< $(lib_so) -ldl

lib: $(lib_so) $(O)/libascprof.so $(drop_in:%=$(O)/ascprof/%) $(preload_so) $(pthread_so)

.PHONY: install-lib
install-lib: lib
	$(Q)$(INSTALL) -d $(DESTDIR)$(LIBDIR)/ascprof $(DESTDIR)$(LIBDIR)/pkgconfig \
		$(DESTDIR)$(INCLUDEDIR)/acl $(DESTDIR)$(INCLUDEDIR)/ascprof $(DESTDIR)$(INCLUDEDIR)/mstx \
		$(DESTDIR)$(MANDIR)/man3
	$(Q)$(INSTALL) -m 755 $(lib_so) $(DESTDIR)$(LIBDIR)/libascprof.so.$(SOVERSION)
	$(Q)ln -sf libascprof.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libascprof.so
	$(Q)for file in $(drop_in); do ln -sf ../libascprof.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/ascprof/$$file || exit 1; done
	$(Q)$(INSTALL) -m 755 $(preload_so) $(pthread_so) $(DESTDIR)$(LIBDIR)/ascprof/
	$(Q)$(INSTALL) -m 644 runtime/include/acl/*.h $(DESTDIR)$(INCLUDEDIR)/acl/
	$(Q)$(INSTALL) -m 644 runtime/include/ascprof/*.h $(DESTDIR)$(INCLUDEDIR)/ascprof/
	$(Q)$(INSTALL) -m 644 runtime/include/mstx/*.h $(DESTDIR)$(INCLUDEDIR)/mstx/
	$(Q)$(INSTALL) -m 644 packaging/man/man3/*.3 $(DESTDIR)$(MANDIR)/man3/
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' runtime/ascprof.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/ascprof.pc
	$(Q)chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/ascprof.pc
