# SPDX-License-Identifier: Apache-2.0
"""No call keeps memory: not of its result, and not of an argument it refuses."""
import sys
import unittest

import helper

ROUNDS = 5000


def refused(function, *arguments):
    try:
        function(*arguments)
    except (TypeError, ValueError):
        return
    raise AssertionError(f"{function.__name__}{arguments} was taken")


class Blocks(helper.Session):
    def growth(self, call):
        for _ in range(100):
            call()
        before = sys.getallocatedblocks()
        for _ in range(ROUNDS):
            call()
        return sys.getallocatedblocks() - before

    def test_calls(self):
        prof, text = self.prof, "text \u6570 " * 8
        calls = {
            "annotate": lambda: helper.annotate(prof, text),
            "configuration": lambda: prof.destroy_config(prof.create_config([10**3 % 64, 3], 0, 0, 0x80)),
            "no list": lambda: refused(prof.create_config, (0,), 0, 0, 0x80),
            "no ints": lambda: refused(prof.create_config, [10**6, "0"], 0, 0, 0x80),
            "out of range": lambda: refused(prof.create_config, [10**6, -1], 0, 0, 0x80),
            "option": lambda: prof.set_config(3, text[:2]) or prof.set_config(3, "50"),
            "too few": lambda: refused(prof.mark),
            "no pointer": lambda: refused(prof.push, object()),
            "no text": lambda: refused(prof.set_stamp_trace_message, 1, b"text", 4),
            "no range": lambda: prof.range_start(0),
        }
        for name, call in calls.items():
            with self.subTest(name):
                self.assertLess(self.growth(call), ROUNDS // 100)


if __name__ == "__main__":
    unittest.main()
