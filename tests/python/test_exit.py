# SPDX-License-Identifier: Apache-2.0
"""How an interpreter ends: while threads annotate, start and stop; without finalize."""
import json
import os
import re
import unittest

import helper

STOPPED = "ascprof: warning: the program ends without aclprofStop: stopped for it\n"
# threads that are in the middle of a range do not get to its end; on a busy machine they are faster than the flusher
STOPPED_WITHIN = re.compile(r"(ascprof: error: annotation dropped and counted: .*\n)*" + STOPPED + r"(ascprof: warning: exit: [1-8] ranges? (was|were) begun and not ended: .*\n)?")


class End(helper.Case):
    ANNOTATING = """
        import sys
        import threading
        import time

        from acl import prof

        started = threading.Semaphore(0)

        def annotate():
            mine = prof.create_stamp()
            assert prof.set_stamp_trace_message(mine, "daemon", 6) == 0
            started.release()
            while True:
                stamp = prof.create_stamp()
                prof.set_stamp_trace_message(stamp, "daemon", 6)
                prof.push(stamp)
                prof.mark(mine)
                prof.pop()
                range_id, code = prof.range_start(stamp)
                prof.range_stop(range_id)
                prof.destroy_stamp(stamp)

        sys.setswitchinterval(0.0002)
        assert prof.init(sys.argv[1]) == 0
        config = prof.create_config([], 0, 0, 0x80)
        assert prof.start(config) == 0
        threads = [threading.Thread(target=annotate, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            started.acquire()
        time.sleep(0.003)
        """

    def test_threads_annotate(self):
        for run in range(30):
            folder = os.path.join(self.folder, str(run))
            self.run_python(self.ANNOTATING, folder, stderr=STOPPED_WITHIN)
            written = self.check_directories(folder, "exit", "--dropped")
            self.assertEqual(written.keys(), {"mark", "push_pop", "range"})

    STARTING = """
        import sys
        import threading
        import time

        from acl import prof

        def start_and_stop():
            while True:
                prof.start(config)
                started.set()
                prof.stop(config)

        started = threading.Event()
        assert prof.init(sys.argv[1]) == 0
        config = prof.create_config([], 0, 0, 0x80)
        threading.Thread(target=start_and_stop, daemon=True).start()
        started.wait()
        time.sleep(float(sys.argv[2]))
        """

    def test_a_thread_starts_and_stops(self):
        for run in range(10):
            folder = os.path.join(self.folder, str(run))
            self.run_python(self.STARTING, folder, str(run * 0.0007), stderr=None)
            states = set()
            for directory in helper.prof_directories(folder):
                with open(os.path.join(directory, "ascprof.json")) as file:
                    states.add(json.load(file)["state"])
            self.assertLessEqual(states, {"stopped", "exit"})
            self.assertTrue(states)

    WITHOUT_STOP = """
        import sys

        import acl

        assert acl.prof.init(sys.argv[1]) == 0
        config = acl.prof.create_config([], 0, 0, 0x80)
        assert acl.prof.start(config) == 0
        stamp = acl.prof.create_stamp()
        assert acl.prof.mark(stamp) == 0
        """

    def test_without_stop(self):
        self.run_python(self.WITHOUT_STOP, self.folder, stderr=STOPPED)
        self.assertEqual(self.check_directories(self.folder, "exit").get("mark"), 1)

    def test_without_finalize(self):
        self.run_python(self.WITHOUT_STOP + "assert acl.prof.stop(config) == 0\n", self.folder)
        self.assertEqual(self.check_directories(self.folder).get("mark"), 1)

    def test_by_an_exception(self):
        self.run_python(self.WITHOUT_STOP + "raise ValueError\n", self.folder, code=1, stderr=None)
        self.assertEqual(self.check_directories(self.folder, "exit").get("mark"), 1)

    def test_with_annotations_in_a_destructor(self):
        """A __del__ that runs while the interpreter is torn down may still annotate."""
        self.run_python(self.WITHOUT_STOP + """
        class Late:
            def __init__(self, mark):
                self.mark = mark

            def __del__(self):
                self.mark(stamp)

        sys.late = Late(acl.prof.mark)
        """.replace("stamp)", "self.stamp)").replace("self.mark = mark", "self.mark, self.stamp = mark, stamp"),
                        self.folder, stderr=STOPPED)
        self.assertEqual(self.check_directories(self.folder, "exit").get("mark"), 2)


if __name__ == "__main__":
    unittest.main()
