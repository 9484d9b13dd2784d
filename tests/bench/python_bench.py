# SPDX-License-Identifier: Apache-2.0
"""What an annotation costs in Python: python_bench.py [DIRECTORY]

Each kind of call is timed in batches, all kinds in turn, round after round, and
the median batch counts. Times are given in nanoseconds and as a multiple of a
call of an empty Python function in the same run; compare the multiples, not
nanoseconds of different days. What the loop itself costs is taken off.
"""
import statistics
import sys
import time

import acl

BATCH = 2000
ROUNDS = 200
ACL_PROF_MSPROFTX = 0x80


def nothing(stamp):
    pass


def loop(stamp, turns):
    for _ in turns:
        pass


def empty(stamp, turns, call=nothing):
    for _ in turns:
        call(stamp)


def mark(stamp, turns, call=acl.prof.mark):
    for _ in turns:
        call(stamp)


def push_pop(stamp, turns, push=acl.prof.push, pop=acl.prof.pop):
    for _ in turns:
        push(stamp)
        pop()


def push_pop_by_name(stamp, turns):
    for _ in turns:
        acl.prof.push(stamp)
        acl.prof.pop()


def documented(stamp, turns):
    msg = "test msprof tx"
    for _ in turns:
        stamp = acl.prof.create_stamp()
        acl.prof.set_stamp_trace_message(stamp, msg, len(msg))
        acl.prof.push(stamp)
        acl.prof.pop()
        acl.prof.destroy_stamp(stamp)


KINDS = [
    ("empty Python function", empty),
    ("mark", mark),
    ("push and pop", push_pop),
    ("acl.prof.push and acl.prof.pop", push_pop_by_name),
    ("documented push/pop loop, 5 calls", documented),
]


def batch(kind, stamp):
    turns = range(BATCH)
    begin = time.perf_counter_ns()
    kind(stamp, turns)
    return time.perf_counter_ns() - begin


def measure(title, stamp):
    rounds = [[batch(kind, stamp) for kind in [loop] + [kind for _, kind in KINDS]] for _ in range(ROUNDS)]
    base, *ns = [statistics.median(column) / BATCH for column in zip(*rounds)]
    print(title)
    for (name, _), each in zip(KINDS, ns):
        print(f"  {name:<36} {each - base:7.1f} ns  {(each - base) / (ns[0] - base):6.2f} empty calls")


def check(ret):
    if ret:
        sys.exit(f"{ret}: {acl.get_recent_err_msg()}")


def main():
    check(acl.prof.init(sys.argv[1] if len(sys.argv) > 1 else "./bench-result"))
    config = acl.prof.create_config([], 0, 0, ACL_PROF_MSPROFTX)
    measure("no session", 1)
    check(acl.prof.start(config))
    stamp = acl.prof.create_stamp()
    check(acl.prof.set_stamp_trace_message(stamp, "forward/layer_04/abc", 20))
    measure("recording", stamp)
    acl.prof.destroy_stamp(stamp)
    check(acl.prof.stop(config))
    check(acl.prof.finalize())


main()
