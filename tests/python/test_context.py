# SPDX-License-Identifier: Apache-2.0
"""A context manager around push and pop, as a public engine for language models
has it: no return code is looked at, pop gets an argument, len counts characters."""
import contextlib
import threading
import unittest

import helper

import acl


@contextlib.contextmanager
def span(message):
    stamp = acl.prof.create_stamp()
    acl.prof.set_stamp_trace_message(stamp, message, len(message))
    acl.prof.push(stamp)
    try:
        yield
    finally:
        acl.prof.pop(stamp)
        acl.prof.destroy_stamp(stamp)


class Wrong(Exception):
    pass


def model(depth):
    with span(f"layer {depth}"):
        if depth == 0:
            raise Wrong
        model(depth - 1)


class NothingRecords(helper.Case):
    def test_program_does_not_notice(self):
        self.assertEqual(acl.prof.create_stamp(), 0)
        for _ in range(1000):
            with span("outer"), span("inner"):
                pass

    def test_exceptions_pass(self):
        with self.assertRaises(Wrong):
            model(20)


class Recording(helper.Session):
    def messages(self):
        self.stop()
        self.check_directories(self.folder)
        return [message for event, message in helper.rows(self.folder) if event == helper.PUSH_POP]

    def test_inner_ones_end_first(self):
        with span("outer"):
            for number in range(3):
                with span(f"step {number}"):
                    pass
        self.assertEqual(self.messages(), ["step 0", "step 1", "step 2", "outer"])

    def test_exceptions(self):
        with self.assertRaises(Wrong):
            model(5)
        with span("after"):
            pass
        self.assertEqual(self.messages(), [f"layer {depth}" for depth in range(6)] + ["after"])

    def test_threads_have_their_own(self):
        def work(name):
            for _ in range(100):
                with span(f"outer {name}"), contextlib.suppress(Wrong), span(f"inner {name}"):
                    raise Wrong

        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        messages = self.messages()
        for name in range(4):
            self.assertEqual([text for text in messages if text.endswith(str(name))],
                             [f"inner {name}", f"outer {name}"] * 100)

    def test_length_in_characters(self):
        # 6 characters of 3 bytes each: 6 bytes are two whole characters
        with span("模型推理开始"):
            pass
        self.assertEqual(self.messages(), ["模型"])

    def test_from_begin_to_end_of_the_session(self):
        """A span that is open at stop is lost, its end is no error, and the next session is none the wiser."""
        with span("open at stop"):
            self.stop()
        self.assertEqual(self.prof.start(self.config), 0)
        with span("next"):
            pass
        self.assertEqual(self.messages(), ["next"])


if __name__ == "__main__":
    unittest.main()
