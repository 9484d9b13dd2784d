# SPDX-License-Identifier: Apache-2.0
"""A subscription as a Python program makes it; a framework's part is played through C."""
import ctypes
import os
import threading
import unittest

import helper

import acl

NO_METRICS = 0xff
ACL_ERROR_INVALID_MODEL_ID = 100011
ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046
ACL_ERROR_PROF_API_CONFLICT = 148047
RECORD_BYTES = 80


class Op(ctypes.Structure):
    """struct ascprof_op of ascprof/models.h"""
    _fields_ = [("size", ctypes.c_uint32), ("model_id", ctypes.c_uint32), ("device_id", ctypes.c_uint32),
                ("flag", ctypes.c_uint32), ("thread_id", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("type", ctypes.c_char_p), ("name", ctypes.c_char_p), ("start_ns", ctypes.c_uint64),
                ("end_ns", ctypes.c_uint64), ("duration_us", ctypes.c_uint64), ("execution_us", ctypes.c_uint64),
                ("cube_fops", ctypes.c_uint64), ("vector_fops", ctypes.c_uint64)]


library = ctypes.CDLL("libascprof.so.1") # the one that the module has brought


def report(model, at, name="layer/MatMul"):
    op = Op(size=ctypes.sizeof(Op), model_id=model, type=b"MatMul", name=name.encode(), start_ns=1000 * at,
            end_ns=1000 * at + 500, duration_us=at)
    return library.ascprof_report_op(ctypes.byref(op))


class Subscribe(helper.Case):
    def setUp(self):
        super().setUp()
        self.prof = acl.prof
        self.read_end, self.write_end = os.pipe()
        self.addCleanup(os.close, self.read_end)
        for model in (1, 2):
            self.assertEqual(library.MsprofSetDeviceIdByGeModelIdx(model, 0), 0)
            self.addCleanup(library.MsprofUnsetDeviceIdByGeModelIdx, model, 0)

    def subscribe(self, model):
        config = self.prof.create_subscribe_config(1, NO_METRICS, self.write_end)
        self.assertNotEqual(config, 0)
        self.assertEqual(self.prof.model_subscribe(model, config), 0)
        self.assertEqual(self.prof.destroy_subscribe_config(config), 0)

    def test_records(self):
        """As the documented example: a thread reads whole records and asks for everything."""
        rows, size = [], self.prof.get_op_desc_size()
        self.assertEqual(size, (RECORD_BYTES, 0))

        def read_all():
            while True:
                data = os.read(self.read_end, 10 * RECORD_BYTES)
                if not data:
                    return
                buffer = ctypes.create_string_buffer(data, len(data))
                address, length = ctypes.addressof(buffer), len(data)
                number, ret = self.prof.get_op_num(address, length)
                self.assertEqual(ret, 0)
                for index in range(number):
                    record = (address, length, index)
                    type_length = self.prof.get_op_type_len(*record)
                    kind = self.prof.get_op_type(*record, type_length[0])
                    name = self.prof.get_op_name_v2(*record)
                    rows.append((self.prof.get_model_id(*record), type_length, kind, name,
                                 self.prof.get_op_start(*record), self.prof.get_op_end(*record),
                                 self.prof.get_op_duration(*record)))

        thread = threading.Thread(target=read_all)
        self.subscribe(2)
        thread.start()
        for at in range(1, 5001):
            self.assertEqual(report(2, at, f"layer{at}/\u6570"), 0)
        self.assertEqual(self.prof.model_un_subscribe(2), 0)
        thread.join()
        self.assertEqual(rows, [(2, (7, 0), ("MatMul", 0), (f"layer{at}/\u6570", 0), 1000 * at, 1000 * at + 500, at)
                                for at in range(1, 5001)])

    def test_texts(self):
        self.subscribe(1)
        self.assertEqual(report(1, 1, "\u6570\u6570"), 0)
        data = os.read(self.read_end, RECORD_BYTES)
        buffer = ctypes.create_string_buffer(data, RECORD_BYTES)
        record = (ctypes.addressof(buffer), RECORD_BYTES, 0)
        self.assertEqual(self.prof.get_op_name_len(*record), (7, 0))
        self.assertEqual(self.prof.get_op_name(*record, 4097), ("", helper.ACL_ERROR_INVALID_PARAM))
        self.assertEqual(self.prof.get_op_name(*record, 0), ("", helper.ACL_ERROR_INVALID_PARAM))
        # five bytes hold one character of three, and no part of the next
        self.assertEqual(self.prof.get_op_name(*record, 5), ("\u6570", 0))
        self.assertEqual(self.prof.get_op_name(*record, 4096), ("", helper.ACL_ERROR_INVALID_PARAM))
        self.assertEqual(self.prof.get_op_name_v2(*record), (None, helper.ACL_ERROR_INVALID_PARAM))
        self.assertEqual(self.prof.get_op_type_v2(*record), ("MatMul", 0))
        buffer[20] = buffer[20][0] ^ 1
        self.assertEqual(self.prof.get_op_num(record[0], RECORD_BYTES), (0, helper.ACL_ERROR_INVALID_PARAM))
        self.assertEqual(self.prof.get_op_start(*record), 0)
        self.assertEqual(self.prof.get_model_id(*record), helper.ACL_ERROR_INVALID_PARAM)
        self.assertEqual(self.prof.get_op_num(record[0], RECORD_BYTES - 1), (0, helper.ACL_ERROR_INVALID_PARAM))
        self.assertEqual(self.prof.model_unsubscribe(1), 0)

    def test_refusals(self):
        self.assertEqual(self.prof.create_subscribe_config(2, NO_METRICS, self.write_end), 0)
        config = self.prof.create_subscribe_config(1, NO_METRICS, self.write_end)
        self.assertEqual(self.prof.model_subscribe(3, config), ACL_ERROR_INVALID_MODEL_ID)
        self.assertEqual(self.prof.model_subscribe(1, 0), helper.ACL_ERROR_INVALID_PARAM)
        self.assertEqual(self.prof.model_un_subscribe(1), ACL_ERROR_INVALID_MODEL_ID)
        self.assertEqual(self.prof.model_subscribe(1, config), 0)
        self.assertEqual(self.prof.model_subscribe(1, config), ACL_ERROR_PROF_REPEAT_SUBSCRIBE)
        self.assertEqual(self.prof.init(self.folder), ACL_ERROR_PROF_API_CONFLICT)
        self.assertEqual(self.prof.finalize(), ACL_ERROR_PROF_API_CONFLICT)
        self.assertEqual(self.prof.model_un_subscribe(1), 0)
        self.assertEqual(self.prof.destroy_subscribe_config(config), 0)
        self.assertEqual(self.prof.destroy_subscribe_config(config), helper.ACL_ERROR_INVALID_PARAM)
        self.assertEqual(self.prof.init(self.folder), 0)
        self.assertEqual(self.prof.finalize(), 0)

    def test_one_descriptor(self):
        """Each configuration has a number of its own; the descriptor is closed with the last subscription."""
        self.subscribe(1)
        self.subscribe(2)
        self.assertEqual(self.prof.model_un_subscribe(1), 0)
        os.fstat(self.write_end)
        self.assertEqual(report(2, 1), 0)
        self.assertEqual(self.prof.model_un_subscribe(2), 0)
        with self.assertRaises(OSError):
            os.fstat(self.write_end)
        self.assertEqual(len(os.read(self.read_end, 1000)), RECORD_BYTES)
        self.assertEqual(os.read(self.read_end, 1000), b"")

    def test_waiting_lets_others_run(self):
        """The reader may be a Python thread: the one that ends the subscription waits for it."""
        self.subscribe(1)
        for at in range(1, 3001): # more than the pipe holds
            self.assertEqual(report(1, at), 0)
        read = []
        go = threading.Event()

        def read_all():
            go.wait()
            while True:
                data = os.read(self.read_end, 100 * RECORD_BYTES)
                if not data:
                    return
                read.append(len(data))

        thread = threading.Thread(target=read_all)
        thread.start()
        threading.Timer(0.2, go.set).start()
        self.assertEqual(self.prof.model_un_subscribe(1), 0)
        thread.join()
        self.assertEqual(sum(read), 3000 * RECORD_BYTES)


if __name__ == "__main__":
    unittest.main()
