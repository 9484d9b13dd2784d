# SPDX-License-Identifier: Apache-2.0
"""Perfetto's binary trace, read: only the fields that ascprof writes, all of which are checked."""
import struct

VARINT, FIXED64, BYTES = 0, 1, 2


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, wire type, value) of a message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            value, at = varint(data, at)
        elif wire == FIXED64:
            value, at = data[at:at + 8], at + 8
        elif wire == BYTES:
            size, at = varint(data, at)
            assert at + size <= len(data), "a field is longer than its message"
            value, at = data[at:at + size], at + size
        else:
            raise AssertionError("wire type %d" % wire)
        yield number, wire, value


def message(data, known):
    """One message as a dictionary of lists. @known: number -> (name, kind)."""
    out = {}
    for number, wire, value in fields(data):
        assert number in known, "field %d is not known here: %r" % (number, sorted(known))
        name, kind = known[number]
        if kind == "text":
            assert wire == BYTES
            value = value.decode("utf-8")
        elif kind == "double":
            assert wire == FIXED64
            value = struct.unpack("<d", value)[0]
        elif kind == "int":
            assert wire == VARINT
            value -= (value >> 63) << 64
        elif kind == "uint":
            assert wire == VARINT
        else:
            assert wire == BYTES
            value = message(value, kind)
        out.setdefault(name, []).append(value)
    return out


INTERNED = {1: ("iid", "uint"), 2: ("text", "text")}
DETAIL = {1: ("key", "uint"), 3: ("value", "uint"), 4: ("value", "int"), 5: ("value", "double"), 6: ("value", "text")}
PACKET = {
    6: ("clocks", {1: ("clock", {1: ("id", "uint"), 2: ("ns", "uint")}), 2: ("primary", "uint")}),
    8: ("timestamp", "uint"),
    10: ("sequence", "uint"),
    11: ("event", {3: ("category", "uint"), 4: ("detail", DETAIL), 9: ("type", "uint"), 10: ("name_iid", "uint"),
                   11: ("track", "uint"), 23: ("name", "text"), 30: ("value", "int"), 44: ("value", "double")}),
    12: ("interned", {1: ("category", INTERNED), 2: ("name", INTERNED), 3: ("key", INTERNED)}),
    13: ("flags", "uint"),
    59: ("defaults", {58: ("clock", "uint")}),
    60: ("track", {1: ("uuid", "uint"), 2: ("name", "text"), 5: ("parent", "uint"),
                   3: ("process", {1: ("pid", "int"), 6: ("name", "text"), 8: ("label", "text")}),
                   4: ("thread", {1: ("pid", "int"), 2: ("tid", "int"), 5: ("name", "text")}),
                   8: ("counter", {6: ("unit", "text")})}),
    87: ("first", "uint"),
}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


class Trace:
    """slices, instants: (name, start, end, track, details); counters: (name, unit, time, value, track)"""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.packets = [message(p["packet"][0], PACKET) for p in
                        ({"packet": [v]} for n, w, v in fields(data) if (n, w) == (1, BYTES) or 1 / 0)]
        self.tracks, self.slices, self.counters = {}, [], []
        tables = {"category": {}, "name": {}, "key": {}}
        events = []
        for n, packet in enumerate(self.packets):
            assert packet["sequence"] == [1]
            for table in packet.get("interned", []):
                for what, entries in table.items():
                    for e in entries:
                        assert e["iid"][0] not in tables[what], "a number is given twice"
                        tables[what][e["iid"][0]] = e["text"][0]
            for track in packet.get("track", []):
                assert self.tracks.get(track["uuid"][0], track) == track, "a track is described in two ways"
                self.tracks[track["uuid"][0]] = track
            for event in packet.get("event", []):
                assert packet["flags"] == [2]
                track = event["track"][0]
                assert track in self.tracks, "an event comes before its track"
                name = tables["name"][event["name_iid"][0]] if "name_iid" in event else event.get("name", [None])[0]
                details = {tables["key"][d["key"][0]]: d["value"][0] for d in event.get("detail", [])}
                if "category" in event:
                    details["kind"] = tables["category"][event["category"][0]]
                events.append((packet["timestamp"][0], n, event["type"][0], track, name, details, event))
        assert self.packets[0]["flags"] == [1] and self.packets[0]["first"] == [1] and self.packets[0]["defaults"] == [{"clock": [1]}]
        self.clocks = self.packets[1]["clocks"][0]
        assert self.clocks["primary"] == [1]
        self.replay(sorted(events, key=lambda e: e[:2]))

    def replay(self, events):
        """What a viewer does: by time, and packets of one time as they come."""
        stacks = {}
        for time, _, kind, track, name, details, event in events:
            described = self.tracks[track]
            if kind == COUNTER:
                self.counters.append((described["name"][0], described["counter"][0]["unit"][0], time,
                                      event["value"][0], track))
            elif kind == INSTANT:
                self.slices.append((name, time, time, track, details))
            elif kind == BEGIN:
                stacks.setdefault(track, []).append((name, time, track, details))
            else:
                assert kind == END
                name, start, track, details = stacks[track].pop()
                self.slices.append((name, start, time, track, details))
        assert not any(stacks.values()), "slices that do not end"

    def place(self, track):
        """Names from the outermost track on."""
        described = self.tracks[track]
        if "process" in described:
            return ["%d" % described["process"][0]["pid"][0]]
        if "thread" in described:
            thread = described["thread"][0]
            return ["%d" % thread["pid"][0], "Thread %d" % thread["tid"][0]]
        return (self.place(described["parent"][0]) if "parent" in described else []) + described["name"]
