# SPDX-License-Identifier: Apache-2.0
"""The three documented loops: examples/python, run as they are."""
import os
import unittest

import helper

COUNT = 200000


class Loops(helper.Case):
    def loop(self, name, event, kind):
        program = os.path.join(helper.TOP, "examples", "python", name + ".py")
        self.assertEqual(self.run_python(program, self.folder), "")
        rows = helper.rows(self.folder)
        self.assertEqual(len(rows), COUNT)
        self.assertEqual(set(rows), {(event, "test msprof tx")})
        self.assertEqual(self.check_directories(self.folder), {kind: COUNT})

    def test_mark(self):
        self.loop("mark", helper.MARK, "mark")

    def test_push_pop(self):
        self.loop("push_pop", helper.PUSH_POP, "push_pop")

    def test_range(self):
        self.loop("range", helper.RANGE, "range")


class Failing(helper.Case):
    def test_bad_directory(self):
        program = os.path.join(helper.TOP, "examples", "python", "mark.py")
        self.run_python(program, "/dev/null", code=1, stderr=None)


if __name__ == "__main__":
    unittest.main()
