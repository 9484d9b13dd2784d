# SPDX-License-Identifier: Apache-2.0
"""Conventions of every function, whatever the library does with it: see standin_calls.py."""
import os
import unittest

import helper


class StandIn(helper.Case):
    def test_calls(self):
        calls = os.path.join(helper.TOP, "tests", "python", "standin_calls.py")
        self.run_python(calls, preload="standin.so", stderr=None)


if __name__ == "__main__":
    unittest.main()
