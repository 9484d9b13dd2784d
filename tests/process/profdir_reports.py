# SPDX-License-Identifier: Apache-2.0
"""What frameworks report: the part of profdir.py that reads api_event, compact and
additional slices and the dictionary of types, from the tables of docs/format.md."""
import re
import struct

NAMED = re.compile(r"(?:un)?aging\.(compact|additional)\.([A-Za-z0-9_.-]{1,40})")
API = "api_event.data"
TYPES = "type_info_dic"
HEAD = struct.Struct("<HHIIIQ")
CALL = struct.Struct("<HHIIIQQQ")
EVENT = 2**64 - 1
ROW_BYTES = {"compact": 64, "additional": 256}
KINDS = ("api", "event", "compact", "additional")
CHAR_IS_SIGNED = {"x86_64": True, "aarch64": False}


def number_of(text, machine):
    """The number of a text, unless another text had it first."""
    high = low = 0
    for byte in text:
        char = byte - 256 if byte > 127 and CHAR_IS_SIGNED.get(machine, True) else byte
        high, low = (high * 29 + char) & 0xFFFFFFFF, (low * 131 + char) & 0xFFFFFFFF
    number = high << 32 | low
    return number if 1 < number < 2**64 - 1 else 2


def kind_of(tag):
    """api_event, compact, additional, types; None: no tag of a report."""
    if tag.endswith(API):
        return "api_event"
    if tag == "unaging.additional." + TYPES:
        return "types"
    match = NAMED.fullmatch(tag)
    return match[1] if match else None


class Reports:
    """Of one directory. `bad(where, what)` tells a problem."""

    def __init__(self, bad, rows):
        self.bad, self.rows = bad, rows
        self.types = {}      # (level, type) -> names
        self.seen = []       # (path, name in the tag, level, type)
        self.items = set()

    def row_bytes(self, kind):
        return {"api_event": 40, "types": 1}.get(kind) or ROW_BYTES[kind]

    def check(self, path, tag, kind, data):
        if kind == "types":
            self.check_types(path, data)
        elif kind == "api_event":
            for number, fields in enumerate(CALL.iter_unpack(data[:len(data) // 40 * 40])):
                self.check_call(path, number, fields)
        else:
            size = ROW_BYTES[kind]
            for number in range(len(data) // size):
                self.check_named(path, tag, kind, number, data[number * size:(number + 1) * size])

    def check_call(self, path, number, fields):
        magic, level, _, _, _, start, end, item = fields
        if magic != 0x5A5A or not level:
            self.bad(path, f"row {number}: head: {fields}")
        if end != EVENT and end < start:
            self.bad(path, f"row {number}: ends before it begins: {fields}")
        self.rows["event" if end == EVENT else "api"] += 1
        self.items.add(item)

    def check_named(self, path, tag, kind, number, row):
        magic, level, type_, _, length, _ = HEAD.unpack_from(row)
        if magic != 0x5A5A or not level or length > len(row) - HEAD.size:
            self.bad(path, f"row {number}: head: {HEAD.unpack_from(row)}")
        self.seen.append((path, NAMED.fullmatch(tag)[2], level, type_))
        self.rows["tensor_info" if (kind, level, type_) == ("additional", 10000, 1) else kind] += 1

    def check_types(self, path, data):
        try:
            lines = data.decode("utf-8").split("\n")
        except UnicodeDecodeError:
            self.bad(path, "not UTF-8")
            return
        if lines[-1]:
            self.bad(path, "half a line")
        for line in lines[:-1]:
            match = re.fullmatch(r"([1-9]\d*)_(\d+):(.+)", line)
            if not match or int(match[1]) > 0xFFFF or int(match[2]) > 0xFFFFFFFF:
                self.bad(path, f"line {line!r}")
            else:
                self.types.setdefault((int(match[1]), int(match[2])), []).append(match[3])

    def finish(self, dictionary, machine, running):
        """When all slices have been read."""
        for path, name, level, type_ in set(self.seen):
            names = self.types.get((level, type_), [])
            if name not in names and (name != "invalid" and not running or
                                      any(NAMED.fullmatch("aging.compact." + known) for known in names)):
                self.bad(path, f"level {level}, type {type_}, of which the dictionary says {names}")
        for item in self.items & set(dictionary):
            text = dictionary[item].encode()
            if b"\xef\xbf\xbd" not in text and number_of(text, machine) != item:
                self.bad("host/data", f"{item} is not the number of {dictionary[item]!r}")
