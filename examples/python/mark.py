# SPDX-License-Identifier: Apache-2.0
"""Marks 200,000 instants: mark.py [DIRECTORY]"""
import acl

from session import FAILED, SUCCESS, record


def loop():
    for i in range(200000):
        stamp = acl.prof.create_stamp()
        if stamp == 0:
            print("stamp is nullptr")
            return FAILED
        msg = "test msprof tx"
        msg_len = len(msg)
        ret = acl.prof.set_stamp_trace_message(stamp, msg, msg_len)
        ret = acl.prof.mark(stamp)
        ret = acl.prof.destroy_stamp(stamp)
    return SUCCESS


if __name__ == "__main__":
    record(loop)
