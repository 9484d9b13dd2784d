# SPDX-License-Identifier: Apache-2.0
"""acl.prof with the library: codes of a session's life, ValueErrors, what is recorded."""
import array
import os
import unittest
import warnings

import helper
from helper import MARK, PUSH_POP, RANGE

import acl
from acl import prof


class Life(helper.Case):
    def tearDown(self):
        prof.finalize()

    def test_codes_without_init(self):
        self.assertEqual(prof.finalize(), helper.ACL_ERROR_PROF_NOT_RUN)
        self.assertEqual(prof.set_config(3, "50"), helper.ACL_ERROR_UNINITIALIZE)
        config = prof.create_config([0], 0, 0, helper.ACL_PROF_MSPROFTX)
        self.assertEqual(prof.start(config), helper.ACL_ERROR_PROF_NOT_RUN)
        self.assertEqual(prof.stop(config), helper.ACL_ERROR_PROF_NOT_RUN)
        self.assertEqual(prof.destroy_config(config), 0)

    def test_codes_of_wrong_values(self):
        self.assertEqual(prof.init(""), helper.ACL_ERROR_INVALID_PARAM)
        self.assertEqual(prof.init(self.folder), 0)
        self.assertEqual(prof.init(self.folder), helper.ACL_ERROR_REPEAT_INITIALIZE)
        self.assertIn("aclprofInit", acl.get_recent_err_msg())
        self.assertEqual(prof.set_config(3, "101"), helper.ACL_ERROR_INVALID_PROFILING_CONFIG)
        self.assertEqual(prof.set_config(3, "50"), 0)
        self.assertEqual(prof.set_config(0, "50"), helper.ACL_ERROR_INVALID_PARAM)
        for call in (prof.start, prof.stop, prof.destroy_config):
            self.assertEqual(call(0), helper.ACL_ERROR_INVALID_PARAM)

    def test_config_is_destroyed_once(self):
        config = prof.create_config([], 0, 0, helper.ACL_PROF_MSPROFTX)
        self.assertGreater(config, 0)
        self.assertEqual(prof.destroy_config(config - 2**64), 0)
        self.assertEqual(prof.destroy_config(config), helper.ACL_ERROR_INVALID_PARAM)

    def test_unknown_bits(self):
        self.assertEqual(prof.init(self.folder), 0)
        config = prof.create_config([], 0, 0, 0x80 | 1 << 40)
        self.assertEqual(prof.start(config), helper.ACL_ERROR_PROF_MODULES_UNSUPPORTED)
        prof.destroy_config(config)

    def test_two_sessions_and_neighbours(self):
        self.assertEqual(acl.rt.set_device(0), 0)
        for name in ("first", "zweiter \u00e4\u6570"):
            folder = os.path.join(self.folder, name)
            self.assertEqual(prof.init(folder), 0)
            config = prof.create_config([0], 255, 0, helper.ACL_PROF_MSPROFTX | helper.ACL_PROF_ACL_API)
            self.assertEqual(prof.start(config), 0)
            self.assertEqual(helper.annotate(prof, name), [0] * 7)
            self.assertEqual(prof.stop(config), 0)
            self.assertEqual(prof.destroy_config(config), 0)
            self.assertEqual(prof.finalize(), 0)
            self.assertEqual(sorted(helper.rows(folder)), [(kind, name) for kind in (MARK, PUSH_POP, RANGE)])
            self.check_directories(folder)
        self.assertEqual(acl.rt.reset_device(0), 0)

    def test_path_that_cannot_be_used(self):
        path = os.path.join(self.folder, "file")
        with open(path, "w"):
            pass
        self.assertEqual(prof.init(path), 100003)
        self.assertIn(path, acl.get_recent_err_msg())


class Configuration(unittest.TestCase):
    def make(self, devices, bits=helper.ACL_PROF_MSPROFTX):
        config = prof.create_config(devices, 0, 0, bits)
        if config:
            self.assertEqual(prof.destroy_config(config), 0)
        return bool(config)

    def test_no_list(self):
        for devices in ((0,), range(1), array.array("I", [0]), {0}, iter([0]), None, 0, "0"):
            with self.subTest(devices=devices), self.assertRaisesRegex(TypeError, "^argument 1 is not list$"):
                self.make(devices)

    def test_no_ints(self):
        for item in ("0", None, 0.0, [0], b"0"):
            for devices in ([item], [0, item]):
                with self.subTest(devices=devices), \
                        self.assertRaisesRegex(TypeError, "^the first argument is not list of int$"):
                    self.make(devices)

    def test_out_of_range(self):
        for item in (-1, -2**64, 2**64, 2**100):
            for devices in ([item], [0, item]):
                with self.subTest(devices=devices), self.assertRaises(ValueError) as raised:
                    self.make(devices)
                self.assertEqual(str(raised.exception),
                                 f"acl.prof.create_config: device_list[{len(devices) - 1}] is out of range, "
                                 "expected 0 to 2**64-1")
                self.assertIsNone(raised.exception.__context__)

    def test_what_is_looked_at_first(self):
        with self.assertRaisesRegex(TypeError, "^acl.prof.create_config args parse failed$"):
            prof.create_config((0,), 0, None, 1)
        with self.assertRaises(ValueError):
            self.make([-1, "0"])
        with self.assertRaises(TypeError):
            self.make(["0", -1])

    def test_cut_to_32_bits(self):
        self.assertTrue(self.make([2**32]))
        self.assertFalse(self.make([2**32 - 1]))
        self.assertFalse(self.make([2**64 - 1]))
        self.assertFalse(self.make([0, 2**32]))

    def test_lists(self):
        class Sub(list):
            pass

        self.assertTrue(self.make([]))
        self.assertFalse(self.make([], helper.ACL_PROF_ACL_API))
        self.assertTrue(self.make([True, False]))
        self.assertTrue(self.make(Sub([0])))
        self.assertFalse(self.make([0, 0]))
        self.assertFalse(self.make(list(range(65))))
        self.assertFalse(self.make([0] * 100000))

    def test_events_must_be_none(self):
        self.assertEqual(prof.create_config([], 0, 8, helper.ACL_PROF_MSPROFTX), 0)


class Annotations(helper.Session):
    def written(self):
        self.stop()
        return helper.rows(self.folder)

    def test_kinds(self):
        self.assertEqual(helper.annotate(self.prof), [0] * 7)
        self.assertEqual(self.written(), [(MARK, "message"), (PUSH_POP, "message"), (RANGE, "message")])
        self.check_directories(self.folder)

    def test_results(self):
        stamp = self.prof.create_stamp()
        self.assertGreater(stamp, 0)
        range_id, code = self.prof.range_start(stamp)
        self.assertEqual(code, 0)
        self.assertGreater(range_id, 0)
        self.assertEqual(self.prof.range_stop(range_id + 2**32), 0)
        self.assertEqual(self.prof.range_stop(range_id), helper.ACL_ERROR_PROF_NOT_RUN)
        self.assertEqual(self.prof.range_start(0), (0, helper.ACL_ERROR_INVALID_PARAM))
        self.assertEqual(self.prof.mark(0), helper.ACL_ERROR_INVALID_PARAM)
        self.assertEqual(self.prof.push(0), helper.ACL_ERROR_INVALID_PARAM)
        self.assertEqual(self.prof.pop(), helper.ACL_ERROR_PROF_NOT_RUN)
        self.assertEqual(self.prof.push(stamp), 0)
        self.assertEqual(self.prof.pop(stamp), 0)
        self.assertIsNone(self.prof.destroy_stamp(stamp))
        self.assertIsNone(self.prof.destroy_stamp(0))

    def test_numbers_that_are_no_stamps(self):
        stamp = self.prof.create_stamp()
        for number in (True, 8, stamp + 1, 2**63, -1):
            with self.subTest(number=number):
                self.assertEqual(self.prof.mark(number), helper.ACL_ERROR_INVALID_PARAM)
                self.assertEqual(self.prof.push(number), helper.ACL_ERROR_INVALID_PARAM)
                self.assertEqual(self.prof.range_start(number), (0, helper.ACL_ERROR_INVALID_PARAM))
                self.assertEqual(self.prof.set_stamp_trace_message(number, "a", 1), helper.ACL_ERROR_INVALID_PARAM)
                self.assertIsNone(self.prof.destroy_stamp(number))
        self.assertEqual(self.prof.mark(stamp), 0)
        self.prof.destroy_stamp(stamp)
        self.assertEqual(self.prof.mark(stamp), helper.ACL_ERROR_INVALID_PARAM)

    def test_messages(self):
        stamp = self.prof.create_stamp()
        texts = ["", "a", "b" * 127, "\u6570\u636e", "\U0001f40d", "a\nb\"c"]
        for text in texts:
            self.assertEqual(self.prof.set_stamp_trace_message(stamp, text, len(text.encode())), 0)
            self.assertEqual(self.prof.mark(stamp), 0)
        self.assertEqual(self.prof.set_stamp_trace_message(stamp, "c" * 128, 128), helper.ACL_ERROR_INVALID_PARAM)
        # msg_len counts bytes, and no character is cut
        for length, text in ((4, "\u6570"), (5, "\u6570"), (3, "\u6570"), (2, ""), (100, "\u6570\u636e")):
            self.assertEqual(self.prof.set_stamp_trace_message(stamp, "\u6570\u636e", length), 0)
            self.assertEqual(self.prof.mark(stamp), 0)
            texts.append(text)
        self.prof.destroy_stamp(stamp)
        self.assertEqual([message for _, message in self.written()], texts)

    def test_after_stop(self):
        stamp = self.prof.create_stamp()
        self.stop()
        self.assertEqual(self.prof.create_stamp(), 0)
        self.assertEqual(self.prof.mark(stamp), helper.ACL_ERROR_PROF_NOT_RUN)
        self.assertEqual(self.prof.range_start(stamp), (0, helper.ACL_ERROR_PROF_NOT_RUN))
        self.assertIsNone(self.prof.destroy_stamp(stamp))

    def test_fork(self):
        self.assertEqual(helper.annotate(self.prof), [0] * 7)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore") # a fork with threads, ours among them, is what is tested
            child = os.fork()
        if not child:
            # no session here, and none of the parent's files
            os._exit(0 if self.prof.create_stamp() == 0 and self.prof.stop(self.config) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(helper.annotate(self.prof), [0] * 7)
        self.assertEqual(len(self.written()), 6)
        self.check_directories(self.folder)


class File(helper.Case):
    """acl.init and acl.finalize where AscendCL is not in the process."""

    PROGRAM = """
        import json
        import sys

        import acl

        if sys.argv[1:]:
            with open("acl.json", "w") as file:
                json.dump({"profiler": {"switch": "on", "output": sys.argv[1], "msproftx": "on"}}, file)
            print(acl.init("acl.json"))
        else:
            print(acl.init())
        stamp = acl.prof.create_stamp()
        print(bool(stamp), acl.prof.mark(stamp), acl.prof.init("."))
        print(acl.finalize(), acl.prof.finalize())
        """

    def test_without(self):
        self.assertEqual(self.run_python(self.PROGRAM, stderr=None).splitlines(), ["0", "False 100000 0", "0 100043"])

    def test_with(self):
        said = self.run_python(self.PROGRAM, self.folder, stderr=None)
        self.assertEqual(said.splitlines(), ["0", "True 0 100042", "0 100043"])
        self.assertEqual(self.check_directories(self.folder, "finalized"), {"mark": 1})


class Neighbours(unittest.TestCase):
    """acl and acl.rt where AscendCL is not in the process."""

    def test_devices(self):
        for device in (0, 1, 63, 64, -1, 2**31 - 1, -2**31):
            config = prof.create_config([device % 2**32], 0, 0, helper.ACL_PROF_MSPROFTX)
            if config:
                prof.destroy_config(config)
            expected = 0 if config else helper.ACL_ERROR_RT_INVALID_DEVICEID
            self.assertEqual(acl.rt.set_device(device), expected, device)
            self.assertEqual(acl.rt.reset_device(device), expected, device)
        self.assertEqual(acl.rt.set_device(0), 0)
        self.assertEqual(acl.rt.set_device(64), helper.ACL_ERROR_RT_INVALID_DEVICEID)

    def test_recent_error_is_the_thread_s(self):
        import threading

        seen = []
        prof.init("")
        self.assertIn("length", acl.get_recent_err_msg())
        thread = threading.Thread(target=lambda: seen.append(acl.get_recent_err_msg()))
        thread.start()
        thread.join()
        self.assertEqual(seen, [None])


if __name__ == "__main__":
    unittest.main()
