# SPDX-License-Identifier: Apache-2.0
"""Threads, garbage collection, and a disk that is slow."""
import gc
import sys
import threading
import time
import unittest

import helper

import acl

THREADS = 8
SESSIONS = 200


class StartStop(helper.Case):
    """Eight threads annotate while the main thread starts and stops."""

    def annotate(self, ended, counts):
        while not ended.is_set():
            stamp = acl.prof.create_stamp()
            if not stamp:
                time.sleep(0.0001)
                continue
            acl.prof.set_stamp_trace_message(stamp, "text of a thread", 16)
            if acl.prof.push(stamp) == 0 and acl.prof.pop() == 0:
                counts["push_pop"] += 1
            if acl.prof.mark(stamp) == 0:
                counts["mark"] += 1
            range_id, code = acl.prof.range_start(stamp)
            if code == 0 and acl.prof.range_stop(range_id) == 0:
                counts["range"] += 1
            acl.prof.destroy_stamp(stamp)
            time.sleep(0) # the next thread

    def test_start_stop(self):
        # with the default of 5 ms the main thread would mostly wait for its turn
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(0.0002)
        ended = threading.Event()
        counts = [{"mark": 0, "push_pop": 0, "range": 0} for _ in range(THREADS)]
        threads = [threading.Thread(target=self.annotate, args=(ended, each)) for each in counts]
        self.assertEqual(acl.prof.init(self.folder), 0)
        config = acl.prof.create_config([], 0, 0, helper.ACL_PROF_MSPROFTX)
        for thread in threads:
            thread.start()
        try:
            for _ in range(SESSIONS):
                self.assertEqual(acl.prof.start(config), 0)
                time.sleep(0.001)
                gc.collect()
                self.assertEqual(acl.prof.stop(config), 0)
        finally:
            ended.set()
            for thread in threads:
                thread.join()
        self.assertEqual(acl.prof.destroy_config(config), 0)
        self.assertEqual(acl.prof.finalize(), 0)
        self.assertEqual(len(helper.prof_directories(self.folder)), SESSIONS)
        expected = {kind: sum(each[kind] for each in counts) for kind in counts[0]}
        self.assertEqual(self.check_directories(self.folder), expected)
        for kind, count in expected.items():
            self.assertGreater(count, 0, kind)


class AcrossThreads(helper.Session):
    def test_range_ends_in_another_thread(self):
        codes = []
        stamp = self.prof.create_stamp()
        range_id, code = self.prof.range_start(stamp)
        self.assertEqual(code, 0)
        thread = threading.Thread(target=lambda: codes.append(self.prof.range_stop(range_id)))
        thread.start()
        thread.join()
        self.assertEqual(codes, [0])

    def test_stack_is_the_thread_s(self):
        codes = []
        stamp = self.prof.create_stamp()
        self.assertEqual(self.prof.push(stamp), 0)
        thread = threading.Thread(target=lambda: codes.append(self.prof.pop()))
        thread.start()
        thread.join()
        self.assertEqual(codes, [helper.ACL_ERROR_PROF_NOT_RUN])
        self.assertEqual(self.prof.pop(), 0)


class SlowDisk(helper.Case):
    """Stop waits for a disk that takes a second; others go on, and wait where they must."""

    PROGRAM = """
        import sys
        import threading
        import time

        from acl import prof

        assert prof.init(sys.argv[1]) == 0
        config = prof.create_config([], 0, 0, 0x80)
        assert prof.start(config) == 0
        stamp = prof.create_stamp()
        assert prof.mark(stamp) == 0

        stopped = threading.Event()
        codes = []

        def stop():
            codes.append(prof.stop(config))
            stopped.set()

        def waits():
            # each of these waits for the lock that stop holds
            codes.append(prof.set_config(3, "50"))

        threads = [threading.Thread(target=stop), threading.Thread(target=waits)]
        begin = time.monotonic()
        threads[0].start()
        while prof.mark(stamp) == 0:
            pass # until stop is at work
        threads[1].start()
        count = 0
        while not stopped.is_set():
            count += 1
        seconds = time.monotonic() - begin
        for thread in threads:
            thread.join()
        assert codes == [0, 0], codes
        assert prof.finalize() == 0
        print(seconds, count)
        """

    def test_stop(self):
        seconds, count = self.run_python(self.PROGRAM, self.folder, preload="slow_disk.so",
                                         env={"ASCPROF_IO": "pwritev"}).split()
        self.assertGreater(float(seconds), 0.9)
        # held, the interpreter's lock would let this thread count no more than once
        self.assertGreater(int(count), 1000)
        self.check_directories(self.folder)


if __name__ == "__main__":
    unittest.main()
