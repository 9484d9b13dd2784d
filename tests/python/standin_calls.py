# SPDX-License-Identifier: Apache-2.0
"""What reaches the C functions, and how their results come back: with standin.c."""
import os
import sys
import threading
import time
import unittest

import acl
import acl.prof
import acl.rt

MAX = 2**64 - 1
ADDRESS = 0xfffffffffffffff0
RECORD = (ADDRESS, 80, 1)
TYPE, NAME = "t" * 5000, "n" * 3

# function, arguments, result, what C was told
CALLS = [
    (acl.init, (), 1, "aclInit NULL"),
    (acl.init, ("a.json",), 1, "aclInit a.json"),
    (acl.finalize, (), 2, "aclFinalize"),
    (acl.finalize, (1, "ignored"), 2, "aclFinalize"),
    (acl.rt.set_device, (3,), 3, "aclrtSetDevice 3"),
    (acl.rt.set_device, (-1,), 3, "aclrtSetDevice -1"),
    (acl.rt.reset_device, (4,), 4, "aclrtResetDevice 4"),

    (acl.prof.init, ("/tmp/\u6570",), 11, "aclprofInit /tmp/\u6570 8"),
    (acl.prof.init, ("",), 11, "aclprofInit  0"),
    (acl.prof.finalize, (), 12, "aclprofFinalize"),
    (acl.prof.finalize, (1,), 12, "aclprofFinalize"),
    (acl.prof.set_config, (3, "50"), 13, "aclprofSetConfig 3 50 2"),
    (acl.prof.set_config, (-2**31, "\u6570"), 13, "aclprofSetConfig -2147483648 \u6570 3"),
    (acl.prof.create_config, ([0], 255, 0, 0x81), MAX, "aclprofCreateConfig 0, 1 255 0 81"),
    (acl.prof.create_config, ([], -1, 0, 0), MAX, "aclprofCreateConfig  0 -1 0 0"),
    (acl.prof.create_config, ([2**32 + 5, MAX, True], 0, 0, 0), MAX, "aclprofCreateConfig 5,4294967295,1, 3 0 0 0"),
    (acl.prof.create_config, ([0] * 1000, 0, 0, 0), MAX, "aclprofCreateConfig 0,0,0,0,0,0,0,0, 1000 0 0 0"),
    (acl.prof.create_config, ([0], 0, -1, -1), MAX, "aclprofCreateConfig 0, 1 0 ffffffffffffffff ffffffffffffffff"),
    (acl.prof.create_config, ([0], 0, 2**64 + 2, 2**64 + 3), MAX, "aclprofCreateConfig 0, 1 0 2 3"),
    (acl.prof.destroy_config, (ADDRESS,), 14, "aclprofDestroyConfig fffffffffffffff0"),
    (acl.prof.destroy_config, (ADDRESS - 2**64,), 14, "aclprofDestroyConfig fffffffffffffff0"),
    (acl.prof.destroy_config, (2**64 + 7,), 14, "aclprofDestroyConfig 7"),
    (acl.prof.destroy_config, (True,), 14, "aclprofDestroyConfig 1"),
    (acl.prof.start, (ADDRESS,), 15, "aclprofStart fffffffffffffff0"),
    (acl.prof.start, (0,), 15, "aclprofStart 0"),
    (acl.prof.stop, (ADDRESS,), 16, "aclprofStop fffffffffffffff0"),

    (acl.prof.create_stamp, (), MAX - 1, "aclprofCreateStamp"),
    (acl.prof.create_stamp, (1, 2), MAX - 1, "aclprofCreateStamp"),
    (acl.prof.destroy_stamp, (ADDRESS,), None, "aclprofDestroyStamp fffffffffffffff0"),
    (acl.prof.set_stamp_trace_message, (ADDRESS, "abc", 3), 17, "aclprofSetStampTraceMessage fffffffffffffff0 abc 3"),
    (acl.prof.set_stamp_trace_message, (1, "abc", -1), 17, "aclprofSetStampTraceMessage 1 abc 4294967295"),
    (acl.prof.set_stamp_trace_message, (1, "abc", 2**32 + 1), 17, "aclprofSetStampTraceMessage 1 abc 1"),
    (acl.prof.mark, (ADDRESS,), 18, "aclprofMark fffffffffffffff0"),
    (acl.prof.push, (ADDRESS,), 19, "aclprofPush fffffffffffffff0"),
    (acl.prof.pop, (), 20, "aclprofPop"),
    (acl.prof.pop, (ADDRESS,), 20, "aclprofPop"),
    (acl.prof.range_start, (ADDRESS,), (2**32 - 1, 0), "aclprofRangeStart fffffffffffffff0"),
    (acl.prof.range_start, (0,), (0, 21), "aclprofRangeStart 0"),
    (acl.prof.range_stop, (2**32 - 1,), 22, "aclprofRangeStop 4294967295"),
    (acl.prof.range_stop, (2**32 + 9,), 22, "aclprofRangeStop 9"),
    (acl.prof.range_stop, (-1,), 22, "aclprofRangeStop 4294967295"),

    (acl.prof.mark_ex, ("\u6570!", ADDRESS), 23, "aclprofMarkEx \u6570! 4 fffffffffffffff0"),
    (acl.prof.create_step_info, (), MAX - 2, "aclprofCreateStepInfo"),
    (acl.prof.get_step_timestamp, (ADDRESS, -1, 1), 24, "aclprofGetStepTimestamp fffffffffffffff0 -1 1"),
    (acl.prof.destroy_step_info, (ADDRESS,), None, "aclprofDestroyStepInfo fffffffffffffff0"),

    (acl.prof.create_subscribe_config, (1, -1, 5), 0x100, "aclprofCreateSubscribeConfig 1 -1 5"),
    (acl.prof.create_subscribe_config, (255, 0, 5), 0, "aclprofCreateSubscribeConfig -1 0 5"),
    (acl.prof.model_subscribe, (1, 0x100), 0, "aclprofModelSubscribe 1 100"),
    (acl.prof.model_subscribe, (0, 0x100), 26, "aclprofModelSubscribe 0 100"),
    (acl.prof.model_subscribe, (2**32 - 1, 1), 0, "aclprofModelSubscribe 4294967295 1"),
    (acl.prof.destroy_subscribe_config, (0x100,), 0, "aclprofDestroySubscribeConfig 100"),
    (acl.prof.destroy_subscribe_config, (0,), 25, "aclprofDestroySubscribeConfig 0"),
    # the number is still there after its configuration was destroyed
    (acl.prof.model_un_subscribe, (1,), 27, "aclprofModelUnSubscribe 1, descriptor 5"),
    (acl.prof.model_unsubscribe, (1,), 27, "aclprofModelUnSubscribe 1, descriptor -1"),
    # each configuration has its own number
    (acl.prof.create_subscribe_config, (0, 0, 6), 0x200, "aclprofCreateSubscribeConfig 0 0 6"),
    (acl.prof.create_subscribe_config, (0, 0, 7), 0x300, "aclprofCreateSubscribeConfig 0 0 7"),
    (acl.prof.model_un_subscribe, (2,), 27, "aclprofModelUnSubscribe 2, descriptor 6"),
    (acl.prof.model_un_subscribe, (3,), 27, "aclprofModelUnSubscribe 3, descriptor 7"),
    (acl.prof.destroy_subscribe_config, (0x200,), 0, "aclprofDestroySubscribeConfig 200"),
    (acl.prof.destroy_subscribe_config, (0x300,), 0, "aclprofDestroySubscribeConfig 300"),

    (acl.prof.get_op_desc_size, (), (80, 28), "aclprofGetOpDescSize"),
    (acl.prof.get_op_desc_size, (1,), (80, 28), "aclprofGetOpDescSize"),
    (acl.prof.get_op_num, (ADDRESS, 160), (2**32 - 1, 29), "aclprofGetOpNum fffffffffffffff0 160"),
    (acl.prof.get_op_type_len, RECORD, (5001, 0), "aclprofGetOpTypeLen fffffffffffffff0 80 1"),
    (acl.prof.get_op_name_len, RECORD, (4, 0), "aclprofGetOpNameLen fffffffffffffff0 80 1"),
    (acl.prof.get_op_type, RECORD + (4096,), ("", 32), "aclprofGetOpType fffffffffffffff0 80 1 4096"),
    (acl.prof.get_op_name, RECORD + (4096,), (NAME, 0), "aclprofGetOpName fffffffffffffff0 80 1 4096"),
    (acl.prof.get_op_name, RECORD + (4,), (NAME, 0), "aclprofGetOpName fffffffffffffff0 80 1 4"),
    (acl.prof.get_op_name, RECORD + (0,), ("", 33), "aclprofGetOpName fffffffffffffff0 80 1 0"),
    (acl.prof.get_op_name, (1, 80, 8, 4), ("n\ufffdn", 0), "aclprofGetOpName 1 80 8 4"),
    (acl.prof.get_op_type_v2, RECORD, (TYPE, 0), "aclprofGetOpType fffffffffffffff0 80 1 5001"),
    (acl.prof.get_op_name_v2, RECORD, (NAME, 0), "aclprofGetOpName fffffffffffffff0 80 1 4"),
    (acl.prof.get_op_type_v2, (1, 80, 9), (None, 30), "aclprofGetOpTypeLen 1 80 9"),
    (acl.prof.get_op_name_v2, (1, 80, 9), (None, 31), "aclprofGetOpNameLen 1 80 9"),
    (acl.prof.get_op_start, RECORD, MAX, "aclprofGetOpStart fffffffffffffff0 80 1"),
    (acl.prof.get_op_end, RECORD, MAX - 1, "aclprofGetOpEnd fffffffffffffff0 80 1"),
    (acl.prof.get_op_duration, RECORD, MAX - 2, "aclprofGetOpDuration fffffffffffffff0 80 1"),
    (acl.prof.get_model_id, RECORD, MAX, "aclprofGetModelId fffffffffffffff0 80 1"),
    (acl.prof.get_model_id, (-1, -1, -1), MAX,
     "aclprofGetModelId ffffffffffffffff 18446744073709551615 4294967295"),
]

# Parameters of each function: k and I take any int, i a C int, b 0 to 255, s a str.
FORMATS = {
    "init": "s", "set_config": "is", "create_config": "LikK", "destroy_config": "k", "start": "k", "stop": "k",
    "destroy_stamp": "k", "set_stamp_trace_message": "ksI", "mark": "k", "push": "k", "range_start": "k",
    "range_stop": "I", "mark_ex": "sk", "get_step_timestamp": "kik", "destroy_step_info": "k",
    "create_subscribe_config": "bii", "destroy_subscribe_config": "k", "model_subscribe": "Ik",
    "model_un_subscribe": "I", "model_unsubscribe": "I", "get_op_num": "kk", "get_op_type_len": "kkI",
    "get_op_name_len": "kkI", "get_op_type": "kkIk", "get_op_name": "kkIk", "get_op_type_v2": "kkI",
    "get_op_name_v2": "kkI", "get_op_start": "kkI", "get_op_end": "kkI", "get_op_duration": "kkI",
    "get_model_id": "kkI",
}
NO_PARAMETERS = {"finalize", "create_stamp", "pop", "create_step_info", "get_op_desc_size"}
GOOD = {"k": 1, "K": 1, "I": 1, "i": 1, "b": 1, "s": "text", "L": []}
NO_INT = [None, "1", b"1", 1.0, [], object()]
BAD = {
    "k": NO_INT, "K": NO_INT, "I": NO_INT, "i": NO_INT + [2**31, -2**31 - 1], "b": NO_INT + [256, -1],
    "s": [None, 1, b"text", bytearray(b"text"), "a\0b", "\ud800", []], "L": [],
}

LETS_OTHERS_RUN = {
    acl.init, acl.finalize, acl.rt.set_device, acl.rt.reset_device, acl.prof.init, acl.prof.finalize,
    acl.prof.set_config, acl.prof.start, acl.prof.stop, acl.prof.model_subscribe, acl.prof.model_un_subscribe,
    acl.prof.model_unsubscribe, acl.prof.mark_ex, acl.prof.get_step_timestamp,
}


class Calls(unittest.TestCase):
    def test_arguments_and_results(self):
        for function, arguments, result, told in CALLS:
            with self.subTest(function.__name__, arguments=arguments):
                returned = function(*arguments)
                self.assertEqual(acl.get_recent_err_msg(), told)
                self.assertEqual(returned, result)
                self.assertIs(type(returned), type(result))

    def test_every_function_is_called(self):
        names = {name for name in dir(acl.prof) if not name.startswith("_")}
        self.assertEqual(names, FORMATS.keys() | NO_PARAMETERS)
        self.assertEqual(len(names), 36)
        self.assertEqual(names, {function.__name__ for function, *_ in CALLS if function.__module__ == "acl.prof"})

    def test_bad_arguments(self):
        for name, parameters in FORMATS.items():
            good = [GOOD[kind] for kind in parameters]
            wrong = [good[:-1], good + [1]]
            for at, kind in enumerate(parameters):
                wrong += [good[:at] + [bad] + good[at + 1:] for bad in BAD[kind]]
            for arguments in wrong:
                self.refuses(getattr(acl.prof, name), f"acl.prof.{name} args parse failed", arguments)

    def test_bad_arguments_of_neighbours(self):
        for arguments in ([None], [1], [b"a"], ["a\0b"], ["a", "b"]):
            self.refuses(acl.init, "acl.init args parse failed", arguments)
        for arguments in ([], [1, 2], *([bad] for bad in BAD["i"])):
            self.refuses(acl.rt.set_device, "acl.rt.set_device args parse failed", arguments)
            self.refuses(acl.rt.reset_device, "acl.rt.reset_device args parse failed", arguments)

    def refuses(self, function, text, arguments):
        acl.prof.pop()
        with self.subTest(text, arguments=arguments):
            with self.assertRaises(TypeError) as raised:
                function(*arguments)
            self.assertEqual(str(raised.exception), text)
            self.assertIsNone(raised.exception.__cause__)
            self.assertIsNone(raised.exception.__context__)
            self.assertEqual(acl.get_recent_err_msg(), "aclprofPop")

    def test_keywords(self):
        for name in FORMATS.keys() | NO_PARAMETERS:
            with self.subTest(name), self.assertRaises(TypeError):
                getattr(acl.prof, name)(stamp=1)

    def test_get_recent_err_msg_ignores_arguments(self):
        acl.prof.pop()
        self.assertEqual(acl.get_recent_err_msg(1, 2), "aclprofPop")


class Lock(unittest.TestCase):
    """Which calls let other threads run: one that waits for the interpreter gets it."""

    def setUp(self):
        # longer than this test: a thread gives the interpreter up only by itself
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(100)
        self.addCleanup(os.environ.pop, "STANDIN_MS")

    def others_run(self, function, arguments, ms):
        os.environ["STANDIN_MS"] = str(ms)
        ran = []
        go = threading.Lock()
        go.acquire()

        def other():
            go.acquire()
            ran.append(True)

        thread = threading.Thread(target=other)
        thread.start()
        time.sleep(0.01) # it waits for `go`
        go.release()
        function(*arguments)
        result = bool(ran)
        thread.join()
        return result

    def test_every_call(self):
        seen = set()
        for function, arguments, *_ in CALLS:
            if function not in seen:
                seen.add(function)
                with self.subTest(function.__name__):
                    if function in LETS_OTHERS_RUN: # at once, or later on a busy machine
                        self.assertTrue(any(self.others_run(function, arguments, ms) for ms in (10, 100, 900)))
                    else:
                        self.assertFalse(self.others_run(function, arguments, 10))
        self.assertLessEqual(LETS_OTHERS_RUN, seen)


if __name__ == "__main__":
    unittest.main()
