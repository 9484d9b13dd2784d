# SPDX-License-Identifier: Apache-2.0
"""What the three msproftx examples share: a session on device 0 around a loop."""
import sys

import acl

SUCCESS = 0
FAILED = 1

ACL_PROF_ACL_API = 0x0001
ACL_PROF_MSPROFTX = 0x0080
ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3
ACL_PROF_LLC_MODE = 4
ACL_AICORE_NONE = 0xFF


def check(call, ret):
    if ret != SUCCESS:
        sys.exit(f"{call}: {ret}: {acl.get_recent_err_msg()}")


def record(loop):
    """Records one call of `loop` below the directory argv[1], or ./result.

    Ends the program: 0, or 1 after saying what failed. Device counters are
    recorded too where there are any.
    """
    path = sys.argv[1] if len(sys.argv) > 1 else "./result"
    check("acl.init", acl.init())
    check("acl.rt.set_device", acl.rt.set_device(0))
    check("acl.prof.init", acl.prof.init(path))
    check("acl.prof.set_config", acl.prof.set_config(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50"))
    check("acl.prof.set_config", acl.prof.set_config(ACL_PROF_LLC_MODE, "read"))
    config = acl.prof.create_config([0], ACL_AICORE_NONE, 0, ACL_PROF_ACL_API | ACL_PROF_MSPROFTX)
    if config == 0:
        sys.exit(f"acl.prof.create_config: {acl.get_recent_err_msg()}")
    check("acl.prof.start", acl.prof.start(config))
    result = loop()
    check("acl.prof.stop", acl.prof.stop(config))
    check("acl.prof.destroy_config", acl.prof.destroy_config(config))
    check("acl.prof.finalize", acl.prof.finalize())
    check("acl.rt.reset_device", acl.rt.reset_device(0))
    check("acl.finalize", acl.finalize())
    sys.exit(result)
