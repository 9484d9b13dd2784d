#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The operations on rings, by the memory model of C11: every execution that it allows.

usage: c11.py            checks all shapes; exit 0 or 1
       c11.py -v         also prints what each allows

A shape is a few threads, each a short list of operations on shared words. An execution says
which store each load reads (rf) and in which order the stores to each word come (mo). It is
allowed when happens-before (program order, and a release store read by an acquire load) has
no cycle, agrees with mo and rf (coherence), and sequentially consistent operations have one
order. Nothing forbids a load to read a store that comes later in program order of another
thread: that is what weak machines do.

membarrier(2) is a full fence in the caller and, while the call lasts, one at some point of
each other thread: all that is before that point happens before what follows the call, and
all that is before the call happens before what follows the point.

Each shape has an outcome that must not be; and the same with one thing weaker, which allows
it, so that the check can fail.
"""
import itertools
import sys

RELAXED, ACQUIRE, RELEASE, SC = "relaxed", "acquire", "release", "sc"


def store(word, value, order=RELAXED):
    return ("store", word, value, order)


def load(word, order=RELAXED):
    return ("load", word, None, order)


MEMBARRIER = ("membarrier", None, None, SC)
FENCE = ("fence", None, None, SC)


def closure(pairs, size):
    """Which of @size events reaches which, as bits."""
    reach = [0] * size
    for a, b in pairs:
        reach[a] |= 1 << b
    for k in range(size):
        for a in range(size):
            if reach[a] >> k & 1:
                reach[a] |= reach[k]
    return reach


def cyclic(pairs, size):
    reach = closure(pairs, size)
    return any(reach[a] >> a & 1 for a in range(size))


class Execution:
    """Events of one shape, with the points where a membarrier meets the other threads."""

    def __init__(self, threads, points):
        words = sorted({op[1] for thread in threads for op in thread if op[1]})
        self.events = [(None, ("store", word, 0, RELAXED)) for word in words]
        self.po, self.barrier = [], []
        at = {}
        for t, thread in enumerate(threads):
            mine = []
            for i, op in enumerate(thread):
                at[t, i] = len(self.events)
                mine.append(len(self.events))
                self.events.append((t, op))
            self.po += list(itertools.combinations(mine, 2))
            self.po += [(first, event) for first in range(len(words)) for event in mine]
        for (t, i), cuts in points.items():
            call = at[t, i]
            for other, cut in cuts.items():
                for j in range(len(threads[other])):
                    if j < cut:
                        self.barrier += [(at[other, j], at[t, k]) for k in range(i + 1, len(threads[t]))] + [(at[other, j], call)]
                    else:
                        self.barrier += [(at[t, k], at[other, j]) for k in range(i)] + [(call, at[other, j])]
        self.size = len(self.events)

    def of(self, kind):
        return [e for e in range(self.size) if self.events[e][1][0] == kind]

    def outcomes(self):
        """What the loads of each allowed execution read, in program order."""
        loads, stores = self.of("load"), self.of("store")
        op = [event[1] for event in self.events]
        words = {op[e][1] for e in stores}
        orders = [[tuple(p) for p in itertools.permutations([e for e in stores if op[e][1] == word])
                   if self.events[p[0]][0] is None] for word in sorted(words)]
        sources = [[s for s in stores if op[s][1] == op[e][1]] for e in loads]
        for rf in itertools.product(*sources):
            reads = list(zip(rf, loads))
            sw = [(s, e) for s, e in reads if op[s][3] in (RELEASE, SC) and op[e][3] in (ACQUIRE, SC)]
            hb_pairs = self.po + self.barrier + sw
            if cyclic(hb_pairs, self.size):
                continue
            hb = closure(hb_pairs, self.size)
            for mo_lists in itertools.product(*orders):
                mo = [pair for line in mo_lists for pair in itertools.combinations(line, 2)]
                fr = [(e, later) for s, e in reads for first, later in mo if first == s]
                if self.coherent(hb, mo + reads + fr) and self.sc_in_order(hb, mo + reads + fr):
                    yield tuple(op[s][2] for s in rf)

    def coherent(self, hb, eco_pairs):
        eco = closure(eco_pairs, self.size)
        return not any(hb[a] >> b & 1 and eco[b] >> a & 1 for a in range(self.size) for b in range(self.size)) and \
            not any(eco[a] >> a & 1 for a in range(self.size))

    def sc_in_order(self, hb, eco_pairs):
        """Operations and fences that are sequentially consistent have one order."""
        eco = closure(eco_pairs, self.size)
        sc = [e for e in range(self.size) if self.events[e][1][3] == SC]
        fences = [e for e in sc if self.events[e][1][0] in ("fence", "membarrier")]
        pairs = [(a, b) for a in sc for b in sc if a != b and (hb[a] >> b & 1 or eco[a] >> b & 1)]
        # a fence orders what is before it with what is behind another
        for a in fences:
            for b in fences:
                if a != b and any(hb[a] >> x & 1 and eco[x] >> y & 1 and hb[y] >> b & 1
                                  for x in range(self.size) for y in range(self.size)):
                    pairs.append((a, b))
            for e in sc:
                if any(hb[a] >> x & 1 and eco[x] >> e & 1 for x in range(self.size)):
                    pairs.append((a, e))
                if any(eco[e] >> x & 1 and hb[x] >> a & 1 for x in range(self.size)):
                    pairs.append((e, a))
        return not cyclic(pairs, self.size)


def outcomes(threads):
    """Over all points at which each membarrier may meet each other thread."""
    calls = [(t, i) for t, thread in enumerate(threads) for i, op in enumerate(thread) if op == MEMBARRIER]
    cuts = []
    for t, _ in calls:
        others = [o for o in range(len(threads)) if o != t]
        cuts.append([dict(zip(others, choice)) for choice in itertools.product(*[range(len(threads[o]) + 1) for o in others])])
    found = set()
    for choice in itertools.product(*cuts):
        found |= set(Execution(threads, dict(zip(calls, choice))).outcomes())
    return found


# name, threads, weaker threads, and whether what the loads read (in program order) must not be.
# Words: pass and gate (1: inside; on), head, record, tail, asleep; a value says which store it was.
SHAPES = [
    ("a record is whole when its head is seen",
     [[store("record", 1), store("head", 1, RELEASE)], [load("head", ACQUIRE), load("record")]],
     [[store("record", 1), store("head", 1)], [load("head", ACQUIRE), load("record")]],
     lambda head, record: head == 1 and record == 0),
    ("and with an acquire that is none",
     [[store("record", 1), store("head", 1, RELEASE)], [load("head", ACQUIRE), load("record")]],
     [[store("record", 1), store("head", 1, RELEASE)], [load("head"), load("record")]],
     lambda head, record: head == 1 and record == 0),
    ("a record is copied before it is written over",
     [[load("record"), store("tail", 1, RELEASE)], [load("tail", ACQUIRE), store("record", 2)]],
     [[load("record"), store("tail", 1)], [load("tail", ACQUIRE), store("record", 2)]],
     lambda record, tail: record == 2 and tail == 1),
    ("Stop sees who is inside, or who enters sees that it is shut: membarrier",
     [[store("pass", 1), load("gate", SC)], [store("gate", 1, SC), MEMBARRIER, load("pass", SC)]],
     [[store("pass", 1), load("gate", SC)], [store("gate", 1, SC), load("pass", SC)]],
     lambda gate, inside: gate == 0 and inside == 0),
    ("the same where there is no membarrier: GATE_FENCE",
     [[store("pass", 1, SC), load("gate", SC)], [store("gate", 1, SC), load("pass", SC)]],
     [[store("pass", 1, RELEASE), load("gate", SC)], [store("gate", 1, SC), load("pass", SC)]],
     lambda gate, inside: gate == 0 and inside == 0),
    ("who is outside again has published: Stop finds the record",
     [[store("record", 1), store("head", 1, RELEASE), store("pass", 2, RELEASE)],
      [load("pass", SC), load("head", ACQUIRE), load("record")]],
     [[store("record", 1), store("head", 1, RELEASE), store("pass", 2)],
      [load("pass", SC), load("head", ACQUIRE), load("record")]],
     lambda outside, head, record: outside == 2 and (head == 0 or record == 0)),
    ("the flusher sees the record, or who wrote it sees that it sleeps: membarrier",
     [[store("head", 1, RELEASE), load("asleep")], [store("asleep", 1), MEMBARRIER, load("head", ACQUIRE)]],
     [[store("head", 1, RELEASE), load("asleep")], [store("asleep", 1), load("head", ACQUIRE)]],
     lambda asleep, head: asleep == 0 and head == 0),
    ("two threads and one flusher",
     [[store("head1", 1, RELEASE), load("asleep")], [store("head2", 1, RELEASE), load("asleep")],
      [store("asleep", 1), MEMBARRIER, load("head1", ACQUIRE), load("head2", ACQUIRE)]],
     [[store("head1", 1, RELEASE), load("asleep")], [store("head2", 1, RELEASE), load("asleep")],
      [store("asleep", 1), load("head1", ACQUIRE), load("head2", ACQUIRE)]],
     lambda asleep1, asleep2, head1, head2: (asleep1 == 0 and head1 == 0) or (asleep2 == 0 and head2 == 0)),
]

# Known answers, so that the enumerator itself is tested: what C11 allows of the classical shapes.
KNOWN = [
    ("store buffering", [[store("x", 1), load("y")], [store("y", 1), load("x")]], (0, 0), True),
    ("store buffering, sc", [[store("x", 1, SC), load("y", SC)], [store("y", 1, SC), load("x", SC)]], (0, 0), False),
    ("store buffering, fences", [[store("x", 1), FENCE, load("y")], [store("y", 1), FENCE, load("x")]], (0, 0), False),
    ("store buffering, one fence", [[store("x", 1), FENCE, load("y")], [store("y", 1), load("x")]], (0, 0), True),
    ("load buffering", [[load("x"), store("y", 1)], [load("y"), store("x", 1)]], (1, 1), True),
    ("load buffering, acquire", [[load("x", ACQUIRE), store("y", 1, RELEASE)], [load("y", ACQUIRE), store("x", 1, RELEASE)]],
     (1, 1), False),
    ("coherence of reads", [[store("x", 1), store("x", 2)], [load("x"), load("x")]], (2, 1), False),
    ("independent reads of independent writes, acquire",
     [[store("x", 1, RELEASE)], [store("y", 1, RELEASE)], [load("x", ACQUIRE), load("y", ACQUIRE)],
      [load("y", ACQUIRE), load("x", ACQUIRE)]], (1, 0, 1, 0), True),
    ("independent reads of independent writes, sc",
     [[store("x", 1, SC)], [store("y", 1, SC)], [load("x", SC), load("y", SC)], [load("y", SC), load("x", SC)]],
     (1, 0, 1, 0), False),
    ("write to read causality", [[store("x", 1, RELEASE)], [load("x", ACQUIRE), store("y", 1, RELEASE)],
                                 [load("y", ACQUIRE), load("x")]], (1, 1, 0), False),
]


def main():
    failed = 0
    for name, threads, outcome, allowed in KNOWN:
        if (outcome in outcomes(threads)) != allowed:
            print("FAIL: the enumerator is wrong: %s: %s is %sallowed" % (name, outcome, "" if allowed else "not "))
            failed = 1
    for name, threads, weaker, forbidden in SHAPES:
        strong, weak = outcomes(threads), outcomes(weaker)
        if "-v" in sys.argv:
            print("%s: %s; weaker: %s" % (name, sorted(strong), sorted(weak)))
        if any(forbidden(*outcome) for outcome in strong):
            print("FAIL: %s: not so" % name)
            failed = 1
        if not any(forbidden(*outcome) for outcome in weak):
            print("FAIL: %s: no weaker one is found" % name)
            failed = 1
    print("%d shapes, %d known answers" % (len(SHAPES), len(KNOWN)))
    return failed


if __name__ == "__main__":
    sys.exit(main())
