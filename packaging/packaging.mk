# SPDX-License-Identifier: Apache-2.0
# What makes of this tree something to install.
#
#   make install-dkms      the module's sources for DKMS, below DKMSDIR, and what builds them
#   make install-system    udev rule, group, examples for modprobe
#   make install-service   a systemd unit for ascprof serve, examples for Prometheus and Grafana
#   make uninstall[-dkms|-system|-service]  removes what `install...` with the same variables would put there
#   make dist              $(O)/ascprof-VERSION.tar.xz, the same bytes for the same commit
#   make deb               Debian packages, in $(O)/deb
#   make rpm               RPM packages, in $(O)/rpm
#
# Variables: DKMSDIR, DKMSTOOLDIR, UDEVDIR, SYSUSERSDIR, SYSTEMDDIR, DOCDIR, DEBFLAGS, RPMFLAGS.

DKMSDIR ?= /usr/src
DKMSTOOLDIR ?= /usr/lib/ascprof-dkms
UDEVDIR ?= /usr/lib/udev/rules.d
SYSUSERSDIR ?= /usr/lib/sysusers.d
DOCDIR ?= $(PREFIX)/share/doc
SYSTEMDDIR ?= /usr/lib/systemd/system
DEBFLAGS ?= -b

dist_name := ascprof-$(VERSION)

.PHONY: install-cmake install-dkms install-system install-service dist deb rpm \
	uninstall uninstall-dkms uninstall-system uninstall-service

install: install-cmake

install-cmake: lib
	$(Q)$(INSTALL) -d $(DESTDIR)$(LIBDIR)/cmake/ascprof
	$(Q)for file in ascprofConfig.cmake ascprofConfigVersion.cmake; do \
		sed -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
			-e 's|@SOVERSION@|$(SOVERSION)|' packaging/cmake/$$file.in \
			> $(DESTDIR)$(LIBDIR)/cmake/ascprof/$$file && \
		chmod 644 $(DESTDIR)$(LIBDIR)/cmake/ascprof/$$file || exit 1; \
	done

dkms_files = dkms.conf LICENSES/GPL-2.0-only.txt $(kmod_sources)

install-dkms:
	$(Q)for file in $(dkms_files); do \
		$(INSTALL) -D -m 644 $$file $(DESTDIR)$(DKMSDIR)/$(dist_name)/$$file || exit 1; \
	done
	$(Q)$(INSTALL) -d $(DESTDIR)$(DKMSTOOLDIR)
	$(Q)sed -e 's|@VERSION@|$(VERSION)|' -e 's|@DKMSDIR@|$(DKMSDIR)|' packaging/dkms/build.in \
		> $(DESTDIR)$(DKMSTOOLDIR)/build
	$(Q)chmod 755 $(DESTDIR)$(DKMSTOOLDIR)/build

install-system:
	$(Q)$(INSTALL) -D -m 644 packaging/udev/60-ascprof.rules $(DESTDIR)$(UDEVDIR)/60-ascprof.rules
	$(Q)$(INSTALL) -D -m 644 packaging/sysusers.d/ascprof.conf $(DESTDIR)$(SYSUSERSDIR)/ascprof.conf
	$(Q)$(INSTALL) -D -m 644 packaging/modprobe.d/ascprof.conf $(DESTDIR)$(DOCDIR)/ascprof-dkms/examples/modprobe.d-ascprof.conf

install-service:
	$(Q)$(INSTALL) -D -m 644 packaging/systemd/ascprof-serve.service $(DESTDIR)$(SYSTEMDDIR)/ascprof-serve.service
	$(Q)for file in prometheus/ascprof.yml prometheus/ascprof.rules.yml grafana/ascprof.json; do \
		$(INSTALL) -D -m 644 packaging/$$file $(DESTDIR)$(DOCDIR)/ascprof/examples/$$file || exit 1; \
	done

# Files, and of the folders those that are then empty and that nobody else has.
uninstall uninstall-dkms uninstall-system uninstall-service: uninstall%:
	$(Q)rm -rf $(O)/installed
	$(Q)$(MAKE) --no-print-directory DESTDIR=$(abspath $(O))/installed install$*
	$(Q)cd $(O)/installed && find . ! -type d | while read -r file; do rm -f "$(DESTDIR)/$$file"; done
	$(Q)cd $(O)/installed && find . -depth -type d \( -path '*ascprof*' -o -path '*/acl' -o -path '*/mstx' \) | while read -r folder; do \
		rmdir "$(DESTDIR)/$$folder" 2>/dev/null || true; \
	done
	$(Q)rm -rf $(O)/installed

# From the commit, or where there is none, from what is here.
dist:
	@mkdir -p $(O)
	$(Q)if git rev-parse -q --verify HEAD >/dev/null 2>&1; then \
		git archive --format=tar --prefix=$(dist_name)/ HEAD; \
	else \
		find . -path ./$(O) -prune -o -type f -print0 | LC_ALL=C sort -z | \
			tar --null -T - --transform 's|^\.|$(dist_name)|' --owner=0 --group=0 --numeric-owner -cf -; \
	fi > $(O)/$(dist_name).tar
	$(Q)xz -9 -T1 -f $(O)/$(dist_name).tar
	@echo '  DIST     $(O)/$(dist_name).tar.xz'

# Packages are built from a copy, so that nothing is written into this tree.
deb: dist
	$(Q)rm -rf $(O)/deb && mkdir -p $(O)/deb
	$(Q)tar -C $(O)/deb -xf $(O)/$(dist_name).tar.xz
	$(Q)cd $(O)/deb/$(dist_name) && env -u MAKEFLAGS -u MAKELEVEL -u O dpkg-buildpackage -us -uc $(DEBFLAGS)
	$(Q)rm -rf $(O)/deb/$(dist_name)
	@ls $(O)/deb/*.deb

rpm: dist
	$(Q)rm -rf $(O)/rpm && mkdir -p $(O)/rpm/SOURCES
	$(Q)cp $(O)/$(dist_name).tar.xz $(O)/rpm/SOURCES/
	$(Q)env -u MAKEFLAGS -u MAKELEVEL -u O rpmbuild --define '_topdir $(abspath $(O))/rpm' \
		--define 'ascprof_version $(VERSION)' $(RPMFLAGS) -bb packaging/rpm/ascprof.spec
	@ls $(O)/rpm/RPMS/*/*.rpm
