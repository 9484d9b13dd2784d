# SPDX-License-Identifier: Apache-2.0
# make demo: the whole flow in a virtual machine, on a stock kernel.

.PHONY: demo
demo:
	$(call ready,demo)
	$(Q)tests/qemu/flow.sh demo $(O)/demo $(O) '$(MAKE) O=$(O)'
