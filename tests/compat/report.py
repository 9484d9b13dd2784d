#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Directories with planted ranges; what ascprof report says of them, in every form.

usage: report.py ASCPROF            checks, in the current folder; exit 0 or 1
       report.py ASCPROF --page     only writes page.html, for a browser
"""
import base64
import hashlib
import html.parser
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen_prof
import planted

ASCPROF = sys.argv[1]
NAMES = [n if isinstance(n, bytes) else n.encode() for n in gen_prof.ODD_MESSAGES[:-1]] + [
    b"</script><script>document.title='owned'</script>", b"<img src=x onerror=\"document.title='owned'\">", b"<!--",
    b"\xff\xfe broken", "\u202eright to left\u202c".encode(), "\u05e9\u05dc\u05d5\u05dd".encode(), b"&amp;", b"\x01\x1b[2J", b"]]>"]
ODD = [(1, 10000 + 5 * i, 10001 + 5 * i, 9, name) for i, name in enumerate(NAMES)]


def run(*arguments, code=0, **environment):
    done = subprocess.run([ASCPROF, "report", *arguments], capture_output=True, env={**os.environ, **environment}, check=False)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stdout


STEPS = [(1, 0, 100, 5, "step"), (1, 10, 40, 5, "forward"), (1, 50, 90, 5, "backward"), (1, 60, 80, 5, "wait"),
         (0, 20, 20, 5, "mark"), (2, 30, 70, 5, "io"), (1, 200, 400, 5, "step"), (1, 210, 240, 5, "forward"),
         (2, 0, 400, 6, "other thread")]


def check_numbers():
    one = planted.make("one", 100, STEPS)
    whole = json.loads(run("--json", one))
    assert [whole["directories"][0][key] for key in ("program", "pid", "host")] == ["probe", 100, "box"], whole["directories"][0]
    names = {(n["name"], n["kind"]): n for n in whole["directories"][0]["names"]}
    expected = {  # count, total, self, min, p50, p99, max; us
        # the first has forward, backward and io in it, which overlap: no time is left; the second has forward
        ("step", "push_pop"): (2, 300, 200 - 30, 100, 100, 200, 200),
        ("backward", "push_pop"): (1, 40, 20, 40, 40, 40, 40),
        ("forward", "push_pop"): (2, 60, 60, 30, 30, 30, 30),
        ("wait", "push_pop"): (1, 20, 20, 20, 20, 20, 20),
        ("other thread", "range"): (1, 400, 400, 400, 400, 400, 400),
    }
    for key, want in expected.items():
        n = names[key]
        got = (n["count"], *(n[k + "_ns"] / 1000 for k in ("total", "self", "min", "p50", "p99", "max")))
        assert got == want, (key, got, want)
    assert names[("mark", "mark")]["count"] == 1 and "total_ns" not in names[("mark", "mark")]
    assert all(n.get("exact", True) for n in names.values())
    # merged, several directories
    planted.make("two", 200, STEPS)
    merged = json.loads(run("--json", "--merge", "one", "two"))
    assert len(merged["directories"]) == 2 and "names" not in merged["directories"][0]
    assert {n["name"]: n["count"] for n in merged["names"]}["step"] == 4
    text = run("--merge", "one", "two").decode()
    assert re.search(r"\n  step +\w+ +4 ", text), text
    # orders
    order = lambda *a: [n["name"] for n in json.loads(run("--json", *a, one))["directories"][0]["names"]]
    assert order()[0] == "other thread" and order("-s", "count")[:2] == ["step", "forward"], order("-s", "count")
    assert order("-s", "name") == sorted(order()), order("-s", "name")
    assert len(order("-n", "2")) == 2 and order("-n", "0") == []


def check_text():
    for directory in ("one", "odd"):
        text = run(directory).decode()
        wide = [line for line in text.split("\n") if len(line) > 80 and not line.startswith(("PROF_", "  path"))]
        assert not wide, wide
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    line = next(line for line in run("one").decode().split("\n") if line.startswith("  forward"))
    assert line.split() == ["forward", "push", "2", "60.0us", "60.0us", "30.0us", "30.0us", "30.0us", "30.0us"], line


def check_filtered():
    """What is wanted is counted as export has it; what is not is still no part of self times."""
    names = lambda *a: {n["name"]: n for n in json.loads(run("--json", "one", *a))["directories"][0]["names"]}
    whole = json.loads(run("--json", "one"))
    assert set(names("--name", "fo*")) == {"forward"} and names("--name", "fo*")["forward"]["count"] == 2
    assert names("--name", "step")["step"]["self_ns"] == names()["step"]["self_ns"] == 170000
    assert set(names("--tid", "6")) == {"other thread"} and set(names("--kind", "mark")) == {"mark"}
    late = names("--from", "150us")
    assert {n: late[n]["count"] for n in late} == {"step": 1, "forward": 1, "other thread": 1}, late
    filtered = json.loads(run("--json", "--pid", "1", "one"))
    assert filtered["filtered"] and not whole["filtered"] and not filtered["directories"][0]["names"]
    assert filtered["directories"][0]["accounting"] == whole["directories"][0]["accounting"]
    assert filtered["totals"] == whole["totals"]
    text = run("--name", "fo*", "one").decode()
    assert "filtered   names and counters" in text and "backward" not in text
    page = Page()
    page.feed(run("-w", "-o", "-", "-q", "--from", "150us", "--to", "230us", "one").decode())
    page.close()
    data = json.loads(page.data)
    assert len(data["spans"]) == 4 * 3 and data["length"] == 80000, (data["spans"], data["length"])
    assert "Filtered: " in "".join(page.text)
    for option, value in (("--kind", "nothing"), ("--from", "noon"), ("--pid", "x")):
        run(option, value, "one", code=2)


def check_filtered_counters():
    prof = subprocess.run([sys.executable, gen_prof.__file__, "counted", "--events", "30"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()
    rates, seen = ("/Throughput", "/Read", "/Write"), set()
    lines = subprocess.run([ASCPROF, "export", "-q", "-f", "jsonl", "-o", "-", prof], check=True, stdout=subprocess.PIPE).stdout
    lines = [json.loads(line) for line in lines.splitlines()]
    firsts = {}
    for e in lines:
        if e["kind"] in ("llc", "hbm") and e["name"].endswith(rates) and (e["device"], e["name"]) not in firsts:
            firsts[e["device"], e["name"]] = e["start_ns"]
    for conditions in ((), ("--kind", "hbm"), ("--from", "30ms"), ("--to", "@1800000000.2"), ("--name", "LLC*"),
                       ("--name", "/Read|CPU/", "--kind", "counters"), ("--tid", "100")):
        lines = subprocess.run([ASCPROF, "export", "-q", "-f", "jsonl", "-o", "-", *conditions, prof], check=True,
                               stdout=subprocess.PIPE).stdout
        want = {}
        for e in map(json.loads, lines.splitlines()):
            if "device" in e and "value" in e and firsts.get((e["device"], e["name"])) != e["start_ns"]:
                want.setdefault((e["device"], e["name"]), []).append(e["value"])
        got = {(c["device"], c["counter"]): c for c in json.loads(run("--json", *conditions, prof))["directories"][0]["counters"]}
        assert {k: len(v) for k, v in want.items()} == {k: c["samples"] for k, c in got.items()}, conditions
        for key, values in want.items():
            for word, value in (("min", min(values)), ("max", max(values)), ("average", sum(values) / len(values))):
                assert abs(got[key][word] - value) <= .0011 + 1e-9 * abs(value), (conditions, key, word, got[key], value)
        seen.add(len(want))
    assert 0 in seen and len(seen) > 3, seen


class Page(html.parser.HTMLParser):
    """What a page has; fails at what it must not have."""

    def __init__(self):
        super().__init__()
        self.open, self.policy, self.rows, self.style, self.script, self.data, self.text = [], "", 0, "", "", "", []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert not [a for a in attrs if a.startswith("on")], ("a handler", tag, attrs)
        assert tag not in ("img", "iframe", "object", "embed", "form", "base"), tag
        for name in ("src", "href", "action", "srcset"):
            assert attrs.get(name, "#").startswith("#") or attrs[name] == "data:,", (tag, attrs)
        assert "style" not in attrs, (tag, attrs)
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        self.rows += tag == "tr"
        if tag in ("script", "style"):
            self.open.append("data" if attrs.get("id") == "data" else tag)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            assert self.open.pop() in (tag, "data")

    def handle_data(self, data):
        if self.open:
            setattr(self, self.open[-1], getattr(self, self.open[-1]) + data)
        else:
            self.text.append(data)


def digest(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def check_page():
    raw = run("-w", "-o", "-", "-q", "odd")
    text = raw.decode()                     # is UTF-8
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]", text)
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open
    assert "default-src 'none'" in page.policy and "unsafe" not in page.policy, page.policy
    assert digest(page.script) in page.policy and digest(page.style) in page.policy, "the policy forbids our own script"
    data = json.loads(page.data)
    assert len(data["spans"]) == 4 * (len(STEPS) + len(NAMES)), len(data["spans"])
    shown = "".join(page.text)
    for word in ("other thread", "</script><script>document.title='owned'</script>", "\u05e9\u05dc\u05d5\u05dd", "ring_full", "still open"):
        assert word in shown, word
    assert page.rows > len(STEPS) - 3 + len(NAMES)
    assert raw == run("-w", "-o", "-", "-q", "odd", LC_ALL="de_DE.UTF-8"), "another page from the same directory"


MISSING = [
    "1|mark|6|aged: oldest slices were removed for the storage limit or a full volume", "1|mark|2|odd",
    "1|mark|4|still open at the end: nobody ended them",
    "1|counters of device 0|–|source none: no device", "1|counters of device 1|–|source sim1: simulated numbers",
    "1|everything after an error|–|disk full", "1|annotations|3|made after the end had begun",
    "2|accounting|–|the session was not stopped: the program runs, or was killed; the last 100 ms may be missing",
    "3|accounting|–|there is none: what was produced and dropped is not known",
]


def check_missing():
    """The table of what is not there, row by row."""
    account = {"format": 1, "state": "stopped", "pid": 301, "comm": "x", "error": "disk full", "refused": 3,
               "sources": [{"device": 0, "source": "none", "note": "no device"}, {"device": 1, "source": "sim1", "kind": "sim"},
                           {"device": 2, "source": "npu2", "kind": "pci"}],
               "accounting": [{"kind": "mark", "device": -1, "produced": 9, "written": 1, "dropped": {"aged": 6, "odd": 2}, "open": 4}]}
    planted.make("lacking", 301, STEPS, account)
    planted.make("lacking", 302, STEPS, {"format": 1, "state": "running", "pid": 302, "comm": "x"})
    planted.make("lacking", 303, STEPS)
    page = run("-w", "-o", "-", "-q", "lacking", code=3).decode()
    table = page[page.index('<section id="missing">'):]
    rows = ["|".join(re.split("<[^>]*>", line)[2:]) for line in table[:table.index("</table>")].splitlines() if line.startswith("<tr><td>")]
    assert rows == MISSING, rows
    assert "more names" not in page and "<p>And 4 more names.</p>" in run("-w", "-o", "-", "-q", "-n", "3", "lacking", code=3).decode()


def check_wrong():
    run("--sort", "time", "one", code=2)
    run("--json", "--html", "one", code=2)
    run("-o", "x", "one", code=2)
    run("--html", "-o", "nowhere/x.html", "one", code=1)
    run("--html", "-o", "/dev/full", "one", code=1)


planted.make("odd", 300, STEPS + ODD, account={
    "format": 1, "state": "stopped", "pid": 300, "comm": "</title>pro\u202ebe", "error": "",
    "start": {"raw_ns": gen_prof.MONO0, "real_ns": gen_prof.WALL0 * 1000}, "end": {"raw_ns": 0, "real_ns": 0},
    "sources": [{"device": 0, "source": "none", "note": "<no> /dev/ascprof"}, {"device": 1, "source": "sim1", "kind": "sim"}],
    "accounting": [
        {"kind": "mark", "device": -1, "produced": 1, "written": 1, "dropped": {}},
        {"kind": "push_pop", "device": -1, "produced": 16 + len(NAMES), "written": 6 + len(NAMES), "dropped": {"ring_full": 7, "<b>": 3}, "open": 2},
        {"kind": "range", "device": -1, "produced": 2, "written": 2, "dropped": {}}]})
if "--page" in sys.argv:
    run("-w", "-o", "page.html", "-q", "odd")
    sys.exit(0)
check_numbers()
check_text()
check_filtered()
check_filtered_counters()
check_page()
check_missing()
check_wrong()
print("all hold")
